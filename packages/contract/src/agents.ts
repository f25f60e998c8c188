import { z } from 'zod';
import { recordId } from './ids.ts';

/** Maximum number of tools of an agent, and of names that a tool may list. */
const MAX_AGENT_TOOLS = 32;
const MAX_NAMES = 128;

const names = z.array(z.string().trim().min(1).max(128)).min(1).max(MAX_NAMES);

/** Which calls wait for approval: none, those that may change something, all, or those of the named tools. */
export const toolApproval = z
  .union([z.enum(['never', 'writes', 'always']), names], {
    error: 'must be never, writes, always, or a list of tool names',
  })
  .describe('Which calls need approval. `writes`: calls of servers and APIs that are not read-only');
export type ToolApproval = z.infer<typeof toolApproval>;

const ownApproval = toolApproval.optional().describe("Replaces the agent's `approval` for these tools");

/** A tool of an agent, which runs on the server. */
export const agentToolConfig = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('knowledge_search'),
    tags: z
      .array(z.string().trim().min(1).max(100))
      .max(50)
      .optional()
      .describe('Only entries with one of these tags. Default: all entries of the scope'),
  }),
  z.strictObject({ type: z.literal('web_fetch') }),
  z.strictObject({
    type: z.literal('generate_image'),
    model: z.string().min(1).max(200).optional().describe('`provider/model`. Default: the configured model'),
  }),
  z.strictObject({ type: z.literal('read_document') }),
  z.strictObject({
    type: z.literal('http'),
    api_id: recordId.describe('`api_…`: a registered API'),
    operations: names.optional().describe('Ids of its operations. Default: all'),
    approval: ownApproval,
  }),
  z.strictObject({
    type: z.literal('mcp'),
    server_id: recordId.describe('`mcp_…`: a registered MCP server'),
    allowed_tools: names.optional().describe('Names of its tools. Default: all'),
    approval: ownApproval,
  }),
]);
export type AgentToolConfig = z.infer<typeof agentToolConfig>;

/** The tools of an agent and the limits of its turns. */
export const agentWork = {
  tools: z
    .array(agentToolConfig)
    .max(MAX_AGENT_TOOLS)
    .describe('Tools that the agent runs on the server, in chat and voice turns'),
  max_steps: z
    .int()
    .min(1)
    .max(50)
    .describe('Maximum number of model answers in a turn that call tools. After that, the model answers without tools'),
  approval: toolApproval,
  max_cost_usd: z.number().positive().max(10_000).nullable().describe('A turn that has cost this much ends'),
};

/** The settings of an agent without tools, such as one stored before agents had tools. */
export const AGENT_WORK_DEFAULTS: AgentWork = { tools: [], max_steps: 8, approval: 'writes', max_cost_usd: null };

/** The tools and limits of a turn, as its job keeps them. */
export const agentTurn = z.object(agentWork);
export type AgentWork = z.infer<typeof agentTurn>;

const fields = {
  name: z.string().trim().min(1).max(100),
  instructions: z.string().max(32_000).nullable().describe('Instructions that precede the conversation'),
  model: z
    .string()
    .regex(/^[^/\s]+\/\S+$/, { error: 'must be provider/model' })
    .max(200)
    .nullable()
    .describe('`provider/model`; null: the configured default'),
  temperature: z.number().min(0).max(2).nullable(),
  knowledge_tags: z
    .array(z.string().trim().min(1).max(100))
    .max(50)
    .describe('Entries with one of these tags are used for answers'),
  voice: z.string().trim().min(1).max(100).nullable().describe('Voice of spoken answers'),
  fallbacks: z
    .array(
      z
        .string()
        .regex(/^[^/\s]+\/\S+$/, { error: 'must be provider/model' })
        .max(200),
    )
    .max(8)
    .describe('Models to fall back to, in this order, when one fails before producing output'),
  ...agentWork,
};

export const agentCreate = z.strictObject({
  name: fields.name,
  instructions: fields.instructions.default(null),
  model: fields.model.default(null),
  temperature: fields.temperature.default(null),
  knowledge_tags: fields.knowledge_tags.default([]),
  voice: fields.voice.default(null),
  fallbacks: fields.fallbacks.default([]),
  tools: fields.tools.default(AGENT_WORK_DEFAULTS.tools),
  max_steps: fields.max_steps.default(AGENT_WORK_DEFAULTS.max_steps),
  approval: fields.approval.default(AGENT_WORK_DEFAULTS.approval),
  max_cost_usd: fields.max_cost_usd.default(AGENT_WORK_DEFAULTS.max_cost_usd),
});
export type AgentCreate = z.infer<typeof agentCreate>;

export const agentPatch = z
  .strictObject(fields)
  .partial()
  .refine((patch) => Object.keys(patch).length > 0, {
    error: `send at least one of ${Object.keys(fields).join(', ')}`,
  });
export type AgentPatch = z.infer<typeof agentPatch>;

export const agent = z.object({
  id: z.string().describe('`agt_…`'),
  object: z.literal('agent'),
  ...fields,
  user_id: z.string().describe('The creator'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Agent = z.infer<typeof agent>;
