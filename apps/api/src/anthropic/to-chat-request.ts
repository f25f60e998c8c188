import { type ChatRequest, ChorusError, PROVIDERS, toolIssues } from '@chorus/contract';
import { estimatePrompt } from '@chorus/providers/usage';
import type { Rename } from '../protocols/check-fields.ts';
import type { CacheControl, CountedBody, MessageBody } from './message-body.ts';
import { offeredTools, toFunctions } from './offered-tools.ts';
import { renamePaths, toConversation } from './to-conversation.ts';

/**
 * Converts a request for a message to one for a chat turn.
 * @throws {ChorusError} `invalid_request` for contradictory tools and results
 */
export function toChatRequest(body: MessageBody): ChatRequest {
  const { output_config: output, metadata, stop_sequences: stop, service_tier: tier } = body;
  const format = output?.format;
  const request = {
    model: body.model,
    messages: toConversation(body),
    stream: body.stream === true,
    max_tokens: body.max_tokens,
    temperature: body.temperature,
    top_p: body.top_p,
    stop,
    ...toolSettings(body),
    ...(format && {
      response_format: {
        type: 'json_schema' as const,
        json_schema: { name: 'answer', schema: format.schema, strict: true },
      },
    }),
    reasoning_effort: effortOf(body),
    user: metadata?.user_id,
    ...(tier === 'standard_only' && { service_tier: 'default' as const }),
    provider_options: optionsOf(body),
  };
  const [issue] = toolIssues(request);
  if (issue !== undefined) refuse(renameFields(body)(`body.${issue.path.join('.')}`), issue.message);
  if (body.top_k != null && lacksTopK(body.model)) refuse('body.top_k', `is not supported by ${body.model}`);
  return request;
}

/** Providers with `top_k`. */
const WITH_TOP_K = ['anthropic', 'google', 'compatible'];

function lacksTopK(model: string): boolean {
  const provider = model.split('/', 1)[0] as string;
  return (PROVIDERS as readonly string[]).includes(provider) && !WITH_TOP_K.includes(provider);
}

function refuse(path: string, message: string): never {
  throw new ChorusError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}

/** Returns an upper estimate of the tokens of a request's input. */
export function estimateInput(body: CountedBody): number {
  return estimatePrompt({ messages: toConversation(body), tools: toFunctions(body) });
}

function toolSettings(body: CountedBody): Pick<ChatRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'> {
  const { tool_choice: choice } = body;
  const isSingle = choice != null && choice.type !== 'none' && choice.disable_parallel_tool_use === true;
  return {
    tools: toFunctions(body),
    ...(choice && { tool_choice: choiceOf(choice) }),
    ...(isSingle && { parallel_tool_calls: false }),
  };
}

function choiceOf(choice: NonNullable<CountedBody['tool_choice']>): NonNullable<ChatRequest['tool_choice']> {
  if (choice.type === 'tool') return { type: 'function', function: { name: choice.name } };
  return choice.type === 'any' ? 'required' : choice.type;
}

/** Thinking budgets from which the effort is medium or high. */
const MEDIUM_BUDGET = 4_096;
const HIGH_BUDGET = 16_384;

function effortOf({ output_config: output, thinking }: CountedBody): ChatRequest['reasoning_effort'] {
  const effort = output?.effort;
  if (thinking?.type === 'disabled') return 'none';
  if (effort != null) return effort === 'max' ? 'xhigh' : effort;
  if (thinking?.type !== 'enabled') return undefined;
  const { budget_tokens: budget } = thinking;
  return budget < MEDIUM_BUDGET ? 'low' : budget < HIGH_BUDGET ? 'medium' : 'high';
}

/** Passes settings on unchanged to providers that have them. */
function optionsOf(body: MessageBody): ChatRequest['provider_options'] {
  const { top_k, thinking, output_config: output } = body;
  const effort = output?.effort;
  const cache_control = cacheControlOf(body);
  const own = {
    ...(top_k != null && { top_k }),
    ...(thinking && { thinking }),
    ...(effort != null && { effort }),
    ...(cache_control && { cache_control }),
  };
  if (Object.keys(own).length === 0) return undefined;
  return {
    anthropic: own,
    ...(top_k != null && { google: { top_k }, compatible: { top_k } }),
  };
}

interface Marked {
  type?: unknown;
  cache_control?: CacheControl;
}

/** Returns the first mark for a cache. Anthropic then chooses itself what to cache. */
function cacheControlOf(body: CountedBody): CacheControl {
  const contents: (string | readonly Marked[] | null | undefined)[] = [
    body.system,
    ...body.messages.map(({ content }) => content),
  ];
  const blocks = contents.flatMap((content) => (typeof content === 'string' ? [] : (content ?? [])));
  const marked: Marked[] = [body, ...(body.tools ?? []), ...blocks];
  const mark = marked.find(({ cache_control }) => cache_control != null)?.cache_control;
  return mark && { type: mark.type, ...(mark.ttl != null && { ttl: mark.ttl }) };
}

/** Returns how errors name the fields of a body. */
export function renameFields(body: CountedBody): Rename {
  const names: Readonly<Record<string, string>> = {
    stop: 'stop_sequences',
    reasoning_effort: body.output_config?.effort == null ? 'thinking' : 'output_config.effort',
    response_format: 'output_config.format',
    parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
    user: 'metadata.user_id',
  };
  return (text) =>
    renamePaths(body, text)
      .replaceAll(
        /(?<=`|\bbody\.)(?:stop|reasoning_effort|response_format|parallel_tool_calls|user)\b/g,
        (name) => names[name] ?? name,
      )
      .replaceAll(/\btools\.(\d+)\b/g, (_, index) => `tools.${toolIndex(body, Number(index))}`)
      .replaceAll(/\b(tools\.\d+|tool_choice)\.function\b/g, '$1');
}

/** Returns where the body has an offered tool. A tool that a message defines counts as the last one. */
function toolIndex(body: CountedBody, offered: number): number {
  const { tools } = body;
  const [tool] = offeredTools(body).slice(offered);
  const found = tool === undefined ? offered : (tools ?? []).lastIndexOf(tool);
  return found === -1 ? (tools ?? []).length : found;
}
