import { z } from 'zod';

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
};

export const agentCreate = z.strictObject({
  name: fields.name,
  instructions: fields.instructions.default(null),
  model: fields.model.default(null),
  temperature: fields.temperature.default(null),
  knowledge_tags: fields.knowledge_tags.default([]),
  voice: fields.voice.default(null),
  fallbacks: fields.fallbacks.default([]),
});
export type AgentCreate = z.infer<typeof agentCreate>;

export const agentPatch = z
  .strictObject(fields)
  .partial()
  .refine((patch) => Object.keys(patch).length > 0, { error: `at least one of ${Object.keys(fields).join(', ')}` });
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
