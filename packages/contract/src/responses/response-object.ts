import { z } from 'zod';
import { storedMetadata } from '../metadata.ts';
import { MAX_RESPONSE_ITEMS } from './input-items.ts';
import { responseOptions } from './response-options.ts';

const MAX_PARTS = 1_000;
const MAX_LOGPROBS = 1_000_000;

const topLogprob = z.object({ token: z.string(), logprob: z.number(), bytes: z.array(z.int()).max(64) });
export const responseLogprob = topLogprob.extend({ top_logprobs: z.array(topLogprob).max(20) });
export type ResponseLogprob = z.infer<typeof responseLogprob>;

const outputTextPart = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.unknown()).max(0),
  logprobs: z.array(responseLogprob).max(MAX_LOGPROBS),
});
const refusalPart = z.object({ type: z.literal('refusal'), refusal: z.string() });
const summaryPart = z.object({ type: z.literal('summary_text'), text: z.string() });
export type ResponsePart = z.infer<typeof outputTextPart | typeof refusalPart>;
export type SummaryPart = z.infer<typeof summaryPart>;

const itemStatus = z.enum(['in_progress', 'completed', 'incomplete']);

/** An output item of a response. */
export const responseItem = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message'),
    id: z.string(),
    status: itemStatus,
    role: z.literal('assistant'),
    content: z.array(z.discriminatedUnion('type', [outputTextPart, refusalPart])).max(MAX_PARTS),
  }),
  z.object({
    type: z.literal('function_call'),
    id: z.string(),
    status: itemStatus,
    call_id: z.string(),
    name: z.string(),
    namespace: z.string().optional(),
    arguments: z.string(),
  }),
  z.object({
    type: z.literal('custom_tool_call'),
    id: z.string(),
    status: itemStatus,
    call_id: z.string(),
    name: z.string(),
    namespace: z.string().optional(),
    input: z.string().describe('What the model wrote'),
  }),
  z.object({
    type: z.literal('tool_search_call'),
    id: z.string(),
    status: itemStatus,
    call_id: z.string(),
    execution: z.literal('client'),
    arguments: z.record(z.string(), z.unknown()).meta({ maxProperties: 1_000 }).describe('Arguments of the search'),
  }),
  z.object({
    type: z.literal('reasoning'),
    id: z.string(),
    summary: z.array(summaryPart).max(MAX_PARTS),
    encrypted_content: z.string().optional(),
  }),
  z.object({
    type: z.literal('mcp_list_tools'),
    id: z.string(),
    server_label: z.string(),
    tools: z
      .array(
        z.object({
          name: z.string(),
          description: z.string(),
          input_schema: z.record(z.string(), z.unknown()).meta({ maxProperties: 1_000 }),
          annotations: z.object({ read_only: z.boolean() }),
        }),
      )
      .max(1_000),
    error: z.string().nullable(),
  }),
  z.object({
    type: z.literal('mcp_call'),
    id: z.string(),
    status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
    server_label: z.string(),
    name: z.string(),
    arguments: z.string(),
    output: z.string().nullable(),
    error: z
      .object({
        type: z.literal('mcp_tool_execution_error'),
        content: z.array(z.object({ type: z.literal('text'), text: z.string() })).max(1),
      })
      .nullable(),
    approval_request_id: z.string().nullable(),
  }),
  z.object({
    type: z.literal('mcp_approval_request'),
    id: z.string(),
    server_label: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
]);
export type ResponseItem = z.infer<typeof responseItem>;

export const RESPONSE_STATUSES = ['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'] as const;

const { tools, tool_choice } = responseOptions.shape;

/** A response of `/openai/v1/responses`. */
export const responseObject = z.object({
  id: z.string().describe('`resp_…`'),
  object: z.literal('response'),
  created_at: z.int().describe('Unix seconds'),
  completed_at: z.int().nullable(),
  status: z.enum(RESPONSE_STATUSES),
  background: z.boolean(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.object({ reason: z.string().describe('`max_output_tokens` or `content_filter`') }).nullable(),
  instructions: z.string().nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  model: z.string().describe('`provider/model`'),
  output: z.array(responseItem).max(MAX_RESPONSE_ITEMS),
  parallel_tool_calls: z.boolean(),
  previous_response_id: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
  reasoning: z.object({ effort: z.string().nullable(), summary: z.string().nullable() }),
  safety_identifier: z.string().nullable(),
  service_tier: z.string(),
  store: z.boolean(),
  temperature: z.number(),
  text: z.object({
    format: z.record(z.string(), z.unknown()).meta({ maxProperties: 5 }),
    verbosity: z.string().optional(),
  }),
  tool_choice: tool_choice.unwrap().unwrap(),
  tools: tools.unwrap().unwrap(),
  top_logprobs: z.int(),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  truncation: z.enum(['auto', 'disabled']),
  usage: z
    .object({
      input_tokens: z.int(),
      input_tokens_details: z.object({ cached_tokens: z.int() }),
      output_tokens: z.int(),
      output_tokens_details: z.object({ reasoning_tokens: z.int() }),
      total_tokens: z.int(),
    })
    .nullable(),
  user: z.string().optional(),
  metadata: storedMetadata,
});
export type ResponseObject = z.infer<typeof responseObject>;
