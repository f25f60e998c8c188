import { createAnthropic } from '@ai-sdk/anthropic';
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { type ChatMessage, type ChatSettings, PROVIDER_URLS, reasoningOf } from '@chorus/contract';
import { z } from 'zod';
import { anthropicBatches } from '../batches/anthropic-batches.ts';
import type { BatchingProvider } from '../batches/batch-port.ts';
import { cacheRecent } from '../cache-recent.ts';
import { callFetch } from '../call-fetch.ts';
import { offersTools } from '../call-settings.ts';
import { type ChatDialect, tierOf } from '../chat-dialect.ts';
import { toEndpoint } from '../endpoint.ts';
import { listedCount, modelId, modelsOf } from '../model-list.ts';
import type { PrepareChat } from '../model-stream.ts';
import type { AdapterContext } from '../provider-port.ts';
import { modelsByCapability, sdkProvider } from '../sdk-provider.ts';
import { readSignature } from '../signature.ts';
import { anthropicMessages } from '../wires/anthropic.ts';

const OWN_BASE_URL = PROVIDER_URLS.anthropic;
const API_VERSION = '2023-06-01';

const modelsAnswer = z
  .object({
    data: modelsOf(
      z.object({ id: modelId, created_at: z.string().optional().catch(undefined), max_input_tokens: listedCount }),
    ),
  })
  .transform(({ data }) =>
    data.map(({ id, created_at, max_input_tokens }) => ({
      id,
      created: Math.floor((Date.parse(created_at ?? '') || 0) / 1000),
      capabilities: ['chat' as const, 'vision' as const],
      contextWindow: max_input_tokens,
    })),
  );

export function createAdapter(context: AdapterContext): BatchingProvider {
  const { baseUrl, headers, secrets } = toEndpoint(context.settings.baseUrl ?? OWN_BASE_URL, context.settings.apiKey);
  const apiKey = context.settings.apiKey ?? '';
  const provider = createAnthropic({ baseURL: baseUrl, apiKey, headers, fetch: limitedFetch });
  return sdkProvider(context, {
    secrets,
    list: {
      url: `${baseUrl}/models?limit=1000`,
      headers: { ...headers, 'x-api-key': apiKey, 'anthropic-version': API_VERSION },
      schema: modelsAnswer,
    },
    initialModels: modelsByCapability([['chat', 'vision'], 'claude-sonnet-4-5', 'claude-opus-4-1', 'claude-haiku-4-5']),
    listReplaces: true,
    settingsOf: context.name,
    chat: { dialect: DIALECT, prepare: prepareBy(cacheRecent((id) => provider.messages(id))) },
    batches: {
      baseUrl,
      headers: { ...headers, 'x-api-key': apiKey, 'anthropic-version': API_VERSION },
      wire: anthropicBatches,
    },
  });
}

const TIERS = { auto: 'auto', default: 'standard_only' };
const CANNOT_REASON = /claude-(instant|2|3-(5|haiku|opus|sonnet))/;

const DIALECT: ChatDialect = {
  namespace: 'anthropic',
  reasoning: 'signed',
  callIds: { pattern: /^[\w-]{1,64}$/, prefix: 'toolu_', length: 24 },
  options: (settings) => ({
    disableParallelToolUse: offersTools(settings) && settings.parallel_tool_calls === false ? true : undefined,
    metadata: settings.user === undefined ? undefined : { userId: settings.user },
    serviceTier: tierOf(settings, 'anthropic', TIERS),
  }),
  unsupported: (model) => [
    'logprobs',
    'top_logprobs',
    'logit_bias',
    'verbosity',
    'input_audio',
    ...(CANNOT_REASON.test(model) ? ['reasoning_effort' as const] : []),
  ],
};

/** The schema for `json_object`, which Anthropic only supports as a tool. */
const ANY_OBJECT = {
  responseFormat: { type: 'json', schema: { type: 'object' } },
  mode: { structuredOutputMode: 'jsonTool' },
} as const;

/** Options that never add anything to the answer that our own reader would miss. */
const PLAIN_OPTIONS = new Set([
  'disableParallelToolUse',
  'metadata',
  'serviceTier',
  'thinking',
  'effort',
  'cacheControl',
]);

function prepareBy(modelOf: (id: string) => ReturnType<ReturnType<typeof createAnthropic>['messages']>): PrepareChat {
  return ({ model, messages, cache, settings }, { responseFormat, reasoning, providerOptions, ...options }) => {
    const anyObject = responseFormat?.type === 'json' && responseFormat.schema === undefined;
    const { thinking, ...own } = providerOptions?.anthropic ?? {};
    const thinks = !lacksThinking(messages, `anthropic/${model}`);
    const anthropic = {
      ...(anyObject && ANY_OBJECT.mode),
      ...own,
      ...(thinks && thinking !== undefined && { thinking }),
    };
    const limit = limitOf(settings, thinks);
    const all = {
      ...options,
      ...(limit && { headers: { [LIMIT_HEADER]: limit } }),
      ...(cache?.repeats && { prompt: withCacheMarks(options.prompt) }),
      ...(options.tools === undefined && calledTools(options.prompt)),
      ...(responseFormat && { responseFormat: anyObject ? ANY_OBJECT.responseFormat : responseFormat }),
      ...(thinks && reasoning !== undefined && { reasoning }),
      ...(Object.keys(anthropic).length > 0 && { providerOptions: { anthropic } }),
    };
    // Only the package can turn a tool's input into JSON, and read results of Anthropic's own tools.
    const plain = responseFormat === undefined && Object.keys(anthropic).every((name) => PLAIN_OPTIONS.has(name));
    return {
      start: (abortSignal) => modelOf(model).doStream({ ...all, abortSignal }),
      variant: () => `${thinks} ${all.tools === options.tools}`,
      wire: () => (plain ? anthropicMessages : null),
    };
  };
}

/** Carries the caller's limit to `limitedFetch`. */
const LIMIT_HEADER = 'x-chorus-limit';

/** Returns the caller's limit if it includes thinking, and whether the caller has set the budget for that. */
function limitOf({ max_tokens, provider_options, reasoning_effort }: ChatSettings, thinks: boolean): string | null {
  if (!thinks || max_tokens === undefined) return null;
  if (provider_options?.anthropic?.thinking !== undefined) return `${max_tokens}`;
  return reasoning_effort === undefined ? null : `${max_tokens} shared`;
}

/** Sends the caller's limit of all tokens. The package adds the budget for thinking to it. */
const limitedFetch: typeof fetch = (input, init = {}) => {
  const { [LIMIT_HEADER]: limit, ...headers } = init.headers as Record<string, string>;
  if (limit === undefined) return callFetch(input, init);
  const [tokens, shared] = limit.split(' ');
  const body = JSON.stringify(withinLimit(JSON.parse(String(init.body)), Number(tokens), shared !== undefined));
  return callFetch(input, { ...init, headers, body });
};

interface LimitedBody {
  max_tokens: number;
  thinking?: { type: string; budget_tokens?: number };
}

/** The smallest budget that Anthropic accepts. */
const MIN_BUDGET = 1_024;

/** @param isShared whether half of the tokens are for the answer */
function withinLimit(body: LimitedBody, limit: number, isShared: boolean): LimitedBody {
  const max_tokens = Math.min(body.max_tokens, limit);
  const { thinking, ...rest } = body;
  if (!isShared || thinking?.budget_tokens === undefined) return { ...body, max_tokens };
  const budget_tokens = Math.min(thinking.budget_tokens, Math.floor(max_tokens / 2));
  if (budget_tokens < MIN_BUDGET) return { ...rest, max_tokens };
  return { ...rest, max_tokens, thinking: { ...thinking, budget_tokens } };
}

const MARK = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const;

/** Marks the ends of the cached prefixes: the tools with the system messages, and the whole prompt. */
function withCacheMarks(prompt: LanguageModelV4CallOptions['prompt']): LanguageModelV4CallOptions['prompt'] {
  const marked = new Set([prompt.findLastIndex(({ role }) => role === 'system'), prompt.length - 1]);
  return prompt.map((message, index) => (marked.has(index) ? { ...message, providerOptions: MARK } : message));
}

/** Declares the tools of earlier calls, which Anthropic requires even if the request offers none. */
function calledTools(
  prompt: LanguageModelV4CallOptions['prompt'],
): Pick<LanguageModelV4CallOptions, 'tools' | 'toolChoice'> {
  const names = new Set(
    prompt.flatMap(({ role, content }) =>
      role === 'assistant' ? content.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : [])) : [],
    ),
  );
  if (names.size === 0) return {};
  const tools = [...names].map((name) => ({
    type: 'function' as const,
    name,
    inputSchema: { type: 'object' as const },
  }));
  return { tools, toolChoice: { type: 'none' } };
}

/**
 * Whether the last tool calls came without signed thinking, for example from another model. Anthropic then rejects
 * thinking about their results.
 */
function lacksThinking(messages: readonly ChatMessage[], model: string): boolean {
  const last = messages.findLast(({ role }) => role === 'assistant');
  if (last?.role !== 'assistant' || !last.tool_calls?.length) return false;
  return reasoningOf(last).every(({ signature }) => readSignature(signature, model) === null);
}
