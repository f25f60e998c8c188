import { z } from 'zod';
import { asset, assetFacts } from './assets.ts';
import { tokenLogprob } from './chat.ts';
import { citationItem } from './citation.ts';
import { documentItem } from './document.ts';
import { embeddingsItem } from './embeddings.ts';
import { errorBody } from './error-body.ts';
import { entryItem, passageItem } from './knowledge.ts';
import { waitingFor } from './lanes.ts';
import { storedMetadata } from './metadata.ts';
import { ocrItem } from './ocr.ts';
import { requiredAction } from './tool-approval.ts';
import { transcriptItem } from './transcript.ts';
import { verificationItem } from './verification.ts';

export const SURFACES = ['chat', 'iris', 'knowledge', 'voice'] as const;

export const EXECUTION_STATUSES = [
  'queued',
  'running',
  'requires_action',
  'succeeded',
  'failed',
  'cancelling',
  'cancelled',
] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

export const TERMINAL_STATUSES = ['succeeded', 'failed', 'cancelled'] as const;
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

export function isTerminal(status: ExecutionStatus): status is TerminalStatus {
  return (TERMINAL_STATUSES as readonly string[]).includes(status);
}

export const textItem = z.object({
  type: z.literal('text'),
  text: z.string(),
  logprobs: z.array(tokenLogprob).max(1_000_000).optional(),
});
export type TextItem = z.infer<typeof textItem>;

const signature = z.string().optional().describe('Opaque data of the provider. Send it back with the item.');

/** Reasoning of a model, or its summary, as far as the provider shows it. */
export const reasoningItem = z.object({ type: z.literal('reasoning'), text: z.string(), signature });
export type ReasoningItem = z.infer<typeof reasoningItem>;

/** The model's words for refusing to answer. */
export const refusalItem = z.object({ type: z.literal('refusal'), refusal: z.string() });

const TOOL_CALL_STATUSES = [
  'requested',
  'awaiting_approval',
  'running',
  'succeeded',
  'failed',
  'denied',
  'unknown',
] as const;

/** A function call of the model. */
export const toolCallItem = z.object({
  type: z.literal('tool_call'),
  id: z.string(),
  name: z.string(),
  arguments: z.string().describe('JSON, as the model wrote it. It may be invalid.'),
  status: z
    .enum(TOOL_CALL_STATUSES)
    .describe(
      '`requested`: you run it. Others run on the server. `unknown`: it was interrupted and may have had an effect',
    ),
  result: z.string().nullable().describe('What the model received'),
  started_at: z.iso.datetime().nullable(),
  finished_at: z.iso.datetime().nullable(),
  signature,
  step: z.int().optional().describe('For calls that run on the server: the step of the turn, from 0'),
  sources: z.array(z.string()).max(1_000).optional().describe('Entries that the result quotes'),
  mcp: z
    .object({
      server_label: z.string(),
      name: z.string().describe("The server's name for the tool"),
      approval_request_id: z.string().optional().describe('The request that the caller has approved'),
    })
    .optional()
    .describe('For calls of the `mcp` tools of a response'),
});
export type ToolCallItem = z.infer<typeof toolCallItem>;

/** The tools of an MCP server that a response may use. */
export const mcpToolsItem = z.object({
  type: z.literal('mcp_list_tools'),
  server_label: z.string(),
  tools: z
    .array(
      z.object({
        name: z.string(),
        description: z.string().describe("The server's description, which is not trusted"),
        input_schema: z.string().describe('A JSON Schema, as JSON'),
        read_only: z.boolean(),
      }),
    )
    .max(1_000),
  error: z.string().nullable().describe('Why the tools are not available'),
});
export type McpToolsItem = z.infer<typeof mcpToolsItem>;

/** A generated file, as workers return it and as it is stored. */
export const assetItem = z.object({ type: z.literal('asset'), asset: assetFacts });

/** An output item of an answer. */
export const answerItem = z.discriminatedUnion('type', [
  textItem,
  reasoningItem,
  refusalItem,
  toolCallItem,
  mcpToolsItem,
  citationItem,
  assetItem,
]);

const otherItems = [
  reasoningItem,
  refusalItem,
  toolCallItem,
  mcpToolsItem,
  ocrItem,
  verificationItem,
  citationItem,
  transcriptItem,
  passageItem,
  entryItem,
  documentItem,
  embeddingsItem,
] as const;

/** An output item, as workers return it and as it is stored. */
export type OutputItem = z.infer<typeof textItem | typeof assetItem | (typeof otherItems)[number]>;

/** An output item in a response. */
export const outputItem = z.discriminatedUnion('type', [textItem, assetItem.extend({ asset }), ...otherItems]);
export type PresentedItem = z.infer<typeof outputItem>;

export const progress = z.object({ completed: z.number(), total: z.number(), stage: z.string() });
export type Progress = z.infer<typeof progress>;

export const usage = z.object({
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
  cost_usd: z.number().nullable(),
  cached_input_tokens: z.int().optional().describe("Input tokens that came from the provider's cache"),
  reasoning_tokens: z.int().optional().describe('Output tokens of the reasoning'),
  audio_input_tokens: z.int().optional(),
  audio_output_tokens: z.int().optional(),
  estimated: z
    .boolean()
    .optional()
    .describe('Whether some of it is an upper estimate, since work ended before its provider reported it'),
});
export type Usage = z.infer<typeof usage>;

/** The usage of an execution in a response. */
export const executionUsage = usage.required({ cached_input_tokens: true, reasoning_tokens: true });

/** Returns usage for a response. */
export function presentUsage(used: Usage): z.infer<typeof executionUsage> {
  return { cached_input_tokens: 0, reasoning_tokens: 0, ...used };
}

/** The part of a session that the model received. */
export const conversationContext = z.object({
  messages: z.int().describe('Number of messages'),
  estimated_tokens: z.int(),
  dropped: z.boolean().describe('Whether older messages were left out because they did not fit'),
  tool_results: z
    .object({
      cut: z.int().describe('Number of results that the model saw in part'),
      dropped: z.int().describe('Number of results that were left out'),
      tokens_left_out: z.int().describe('Estimated'),
    })
    .optional()
    .describe('Results of tools that did not fit. Absent: the model saw all of them'),
});
export type ConversationContext = z.infer<typeof conversationContext>;

/** The common response of all routes that run work. */
export const execution = z.object({
  id: z.string().describe('`job_…`'),
  object: z.string().describe('`execution`, or `chat.completion` for requests that OpenAI clients read'),
  kind: z.string().describe('`chat.completion`, `iris.image`, …'),
  surface: z.enum(SURFACES),
  status: z.enum(EXECUTION_STATUSES),
  model: z.string().nullable().describe('`provider/model`'),
  provider: z.string().nullable(),
  output: z.array(outputItem).max(10_000),
  progress: progress.nullable(),
  waiting_for: waitingFor.nullable().describe('With status `queued`: the provider that it waits for. Null: none'),
  required_action: requiredAction.nullable().describe('With status `requires_action`'),
  usage: executionUsage,
  context: conversationContext
    .nullable()
    .describe('For a turn of a session, once it runs, and for one whose results of tools did not fit'),
  warnings: z
    .array(z.string())
    .max(1_000)
    .describe('Parts of the request that were ignored or changed, such as a seed that the model does not support'),
  error: errorBody.nullable(),
  attempt: z.int().describe('1, or more after another worker took over'),
  retry_of: z.string().nullable(),
  session_id: z.string().nullable(),
  message_id: z.string().nullable().describe("The assistant's message that this execution writes"),
  batch_id: z.string().nullable(),
  metadata: storedMetadata,
  user_id: z.string().describe('The user who started it'),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  finished_at: z.iso.datetime().nullable(),
  urls: z.object({
    self: z.string(),
    events: z.string(),
    cancel: z.string(),
    trace: z.string().optional().describe('Its trace, where `TRACE_URL_TEMPLATE` is set'),
  }),
});
export type Execution = z.infer<typeof execution>;
