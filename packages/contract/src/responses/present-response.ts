import type { TokenLogprob } from '../chat.ts';
import type { ErrorBody } from '../error-body.ts';
import type { ExecutionStatus, McpToolsItem, OutputItem, ToolCallItem, Usage } from '../execution.ts';
import { callOutcome } from '../message-steps.ts';
import { openAiCode } from '../openai-error.ts';
import { type CalledTool, clientToolsIn, parseObject, toInput } from './client-tools.ts';
import { outputItemId, publicCallId, responseId } from './public-ids.ts';
import type { ResponseItem, ResponseLogprob, ResponseObject } from './response-object.ts';
import type { ResponseOptions } from './response-options.ts';

/** The parts of an execution that its response shows. */
export interface ResponseSource {
  id: string;
  status: ExecutionStatus;
  model: string | null;
  output: readonly OutputItem[];
  usage: Usage;
  error: ErrorBody | null;
  finish_reason: string | null;
  /** How often the answer has started over. */
  resets?: number;
  metadata: Record<string, string>;
  created_at: Date;
  finished_at: Date | null;
}

type Status = ResponseObject['status'];
type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

const SERVER_ERRORS = ['internal_error', 'provider_error', 'provider_unavailable', 'worker_lost'];
const PROMPT_ERRORS = ['invalid_request', 'content_refused'];

export function presentResponse(source: ResponseSource, options: ResponseOptions): ResponseObject {
  const status = statusOf(source);
  const seconds = (time: Date) => Math.floor(time.getTime() / 1_000);
  const { error, usage, finished_at } = source;
  const { user } = options;
  return {
    id: responseId(source.id),
    object: 'response',
    created_at: seconds(source.created_at),
    completed_at: status === 'completed' && finished_at ? seconds(finished_at) : null,
    status,
    background: options.background ?? false,
    error: status === 'failed' && error ? { code: errorCode(error), message: error.message } : null,
    incomplete_details: status === 'incomplete' ? { reason: incompleteReason(source.finish_reason) ?? '' } : null,
    instructions: options.instructions ?? null,
    max_output_tokens: options.max_output_tokens ?? null,
    max_tool_calls: options.max_tool_calls ?? null,
    model: source.model ?? '',
    output: presentOutput(source, options),
    parallel_tool_calls: options.parallel_tool_calls ?? true,
    previous_response_id: options.previous_response_id ?? null,
    prompt_cache_key: options.prompt_cache_key ?? null,
    reasoning: { effort: options.reasoning?.effort ?? null, summary: options.reasoning?.summary ?? null },
    safety_identifier: options.safety_identifier ?? null,
    service_tier: options.service_tier ?? 'default',
    store: options.store ?? true,
    temperature: options.temperature ?? 1,
    text: textOf(options),
    tool_choice: options.tool_choice ?? 'auto',
    tools: (options.tools ?? []).map(presentTool),
    top_logprobs: options.top_logprobs ?? 0,
    top_p: options.top_p ?? 1,
    presence_penalty: options.presence_penalty ?? 0,
    frequency_penalty: options.frequency_penalty ?? 0,
    truncation: options.truncation ?? 'disabled',
    usage: finished_at === null ? null : usageOf(usage),
    ...(user != null && { user }),
    metadata: source.metadata,
  };
}

/** Returns the output items that the response has so far. */
export function presentOutput(source: ResponseSource, options: ResponseOptions): ResponseItem[] {
  const { id, resets = 0 } = source;
  const cutOff = statusOf(source) !== 'completed';
  const last = source.output.findLastIndex(isShown);
  return source.output.flatMap((item, index) => {
    if (!isShown(item)) return [];
    const status = cutOff && index === last ? 'incomplete' : 'completed';
    return [
      presentOutputItem(item, { id: outputItemId(id, typeOf(item, options), index, resets), status, resets, options }),
    ];
  });
}

type ShownItem = Extract<OutputItem, { type: 'text' | 'refusal' | 'tool_call' | 'reasoning' | 'mcp_list_tools' }>;

const SHOWN: readonly OutputItem['type'][] = ['text', 'refusal', 'tool_call', 'reasoning', 'mcp_list_tools'];

/** Returns whether responses show an item. They hide calls of unknown tools, which only the model sees. */
export function isShown(item: OutputItem): item is ShownItem {
  if (item.type === 'tool_call') return item.status === 'requested' || item.mcp !== undefined;
  return SHOWN.includes(item.type);
}

/** An item of an MCP server: its tools, a call, or a request to approve one. */
export type McpShownItem = McpToolsItem | (ToolCallItem & { mcp: NonNullable<ToolCallItem['mcp']> });

export function isMcpItem(item: ShownItem): item is McpShownItem {
  return item.type === 'mcp_list_tools' || (item.type === 'tool_call' && item.mcp !== undefined);
}

/** Returns the type that an item has in a response. */
export function typeOf(item: ShownItem, options: ResponseOptions): ResponseItem['type'] {
  switch (item.type) {
    case 'tool_call':
      if (item.mcp === undefined) return CALL_TYPES[calledTool(item, options).type];
      return item.status === 'awaiting_approval' ? 'mcp_approval_request' : 'mcp_call';
    case 'reasoning':
    case 'mcp_list_tools':
      return item.type;
    default:
      return 'message';
  }
}

export function presentOutputItem(
  item: ShownItem,
  { id, status, resets, options }: { id: string; status: ItemStatus; resets: number; options: ResponseOptions },
): ResponseItem {
  switch (item.type) {
    case 'text': {
      const part = { type: 'output_text' as const, text: item.text, annotations: [] };
      const logprobs = (item.logprobs ?? []).map(presentLogprob);
      return { type: 'message', id, status, role: 'assistant', content: [{ ...part, logprobs }] };
    }
    case 'refusal':
      return {
        type: 'message',
        id,
        status,
        role: 'assistant',
        content: [{ type: 'refusal', refusal: item.refusal }],
      };
    case 'mcp_list_tools':
      return { ...item, id, tools: item.tools.map(presentServerTool) };
    case 'tool_call': {
      if (item.mcp !== undefined) return presentMcpCall(item, item.mcp, { id, status });
      return presentCall(item, calledTool(item, options), { id, status, call_id: publicCallId(item.id, resets) });
    }
    case 'reasoning': {
      const { text, signature } = item;
      return {
        type: 'reasoning',
        id,
        summary: text === '' ? [] : [{ type: 'summary_text', text }],
        ...(signature !== undefined && includesEncrypted(options) && { encrypted_content: signature }),
      };
    }
    default:
      throw item satisfies never;
  }
}

const CALL_TYPES = {
  function: 'function_call',
  custom: 'custom_tool_call',
  tool_search: 'tool_search_call',
} as const;

/** Returns the tool that a model has called by its function. */
function calledTool({ name }: Pick<ToolCallItem, 'name'>, { tools }: ResponseOptions): CalledTool {
  return clientToolsIn(tools).find(({ shown }) => shown.name === name) ?? { type: 'function', name };
}

function presentCall(
  { arguments: text }: ToolCallItem,
  { type, name, namespace }: CalledTool,
  call: { id: string; status: ItemStatus; call_id: string },
): ResponseItem {
  const named = { ...call, name, ...(namespace != null && { namespace }) };
  switch (type) {
    case 'function':
      return { type: 'function_call', ...named, arguments: text };
    case 'custom':
      return { type: 'custom_tool_call', ...named, input: toInput(text) };
    case 'tool_search':
      return { type: 'tool_search_call', ...call, execution: 'client', arguments: parseObject(text) ?? {} };
    default:
      throw type satisfies never;
  }
}

/** Returns a call of a server's tool, or the request to approve it. */
function presentMcpCall(
  item: ToolCallItem,
  { server_label, name, approval_request_id }: NonNullable<ToolCallItem['mcp']>,
  { id, status }: { id: string; status: ItemStatus },
): ResponseItem {
  const call = { id, server_label, name, arguments: item.arguments };
  if (item.status === 'awaiting_approval') return { type: 'mcp_approval_request', ...call };
  const isOpen = item.status === 'running';
  const succeeded = item.status === 'succeeded';
  const openStatus = status === 'completed' ? 'in_progress' : status;
  return {
    type: 'mcp_call',
    ...call,
    status: isOpen ? openStatus : succeeded ? 'completed' : 'failed',
    output: succeeded ? (item.result ?? '') : null,
    error:
      isOpen || succeeded
        ? null
        : { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: item.result ?? callOutcome(item) }] },
    approval_request_id: approval_request_id ?? null,
  };
}

function presentServerTool({ name, description, input_schema, read_only }: McpToolsItem['tools'][number]) {
  return { name, description, input_schema: JSON.parse(input_schema), annotations: { read_only } };
}

function presentTool(tool: NonNullable<ResponseOptions['tools']>[number]): ResponseObject['tools'][number] {
  if (tool.type === 'mcp') {
    const { type, server_label, server_url, allowed_tools, require_approval, server_description } = tool;
    const approval = require_approval ?? 'always';
    const described = server_description ? { server_description } : {};
    return { type, server_label, server_url, allowed_tools, require_approval: approval, ...described };
  }
  if (tool.type !== 'function') return tool;
  const { type, name, description, parameters, strict } = tool;
  return {
    type,
    name,
    description: description ?? null,
    parameters: parameters ?? null,
    strict: strict ?? null,
  };
}

export function includesEncrypted({ include }: ResponseOptions): boolean {
  return include?.includes('reasoning.encrypted_content') ?? false;
}

export function presentLogprob({ top_logprobs, ...token }: TokenLogprob): ResponseLogprob {
  return { ...withBytes(token), top_logprobs: top_logprobs.map(withBytes) };
}

function withBytes({ token, logprob, bytes }: Omit<TokenLogprob, 'top_logprobs'>) {
  return { token, logprob, bytes: bytes ?? [...new TextEncoder().encode(token)].slice(0, 64) };
}

function statusOf({ status, finish_reason }: Pick<ResponseSource, 'status' | 'finish_reason'>): Status {
  switch (status) {
    case 'queued':
    case 'failed':
    case 'cancelled':
      return status;
    case 'succeeded':
      return incompleteReason(finish_reason) === null ? 'completed' : 'incomplete';
    default:
      return 'in_progress';
  }
}

function incompleteReason(finishReason: string | null): string | null {
  if (finishReason === 'length') return 'max_output_tokens';
  return finishReason === 'content_filter' ? finishReason : null;
}

/** Returns OpenAI's code for an error, if it has one. */
function errorCode({ code }: Pick<ErrorBody, 'code'>): string {
  if (code === 'provider_rate_limited') return 'rate_limit_exceeded';
  if (SERVER_ERRORS.includes(code)) return 'server_error';
  return PROMPT_ERRORS.includes(code) ? 'invalid_prompt' : openAiCode(code);
}

/** OpenAI's specification sets the `schema` of a format to null. */
function textOf({ text }: ResponseOptions): ResponseObject['text'] {
  const format = text?.format ?? { type: 'text' as const };
  const { verbosity } = text ?? {};
  const shown =
    format.type === 'json_schema'
      ? { ...format, description: format.description ?? null, schema: null, strict: format.strict ?? false }
      : format;
  return { format: shown, ...(verbosity && { verbosity }) };
}

function usageOf(usage: Usage): ResponseObject['usage'] {
  const { input_tokens, output_tokens, total_tokens } = usage;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: usage.cached_input_tokens ?? 0 },
    output_tokens,
    output_tokens_details: { reasoning_tokens: usage.reasoning_tokens ?? 0 },
    total_tokens,
  };
}
