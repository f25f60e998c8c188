import { createAnthropic } from '@ai-sdk/anthropic';
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { type ChatMessage, PROVIDER_URLS, reasoningOf } from '@chorus/contract';
import { z } from 'zod';
import { cacheRecent } from '../cache-recent.ts';
import { callFetch } from '../call-fetch.ts';
import { offersTools } from '../call-settings.ts';
import { type ChatDialect, tierOf } from '../chat-dialect.ts';
import { toEndpoint } from '../endpoint.ts';
import { listedCount, modelId, modelsOf } from '../model-list.ts';
import type { PrepareChat } from '../model-stream.ts';
import type { AdapterContext, Provider } from '../provider-port.ts';
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

export function createAdapter(context: AdapterContext): Provider {
  const { baseUrl, headers, secrets } = toEndpoint(context.settings.baseUrl ?? OWN_BASE_URL, context.settings.apiKey);
  const apiKey = context.settings.apiKey ?? '';
  const provider = createAnthropic({ baseURL: baseUrl, apiKey, headers, fetch: callFetch });
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
  return ({ model, messages, cache }, { responseFormat, reasoning, providerOptions, ...options }) => {
    const anyObject = responseFormat?.type === 'json' && responseFormat.schema === undefined;
    const { thinking, ...own } = providerOptions?.anthropic ?? {};
    const thinks = !lacksThinking(messages, `anthropic/${model}`);
    const anthropic = {
      ...(anyObject && ANY_OBJECT.mode),
      ...own,
      ...(thinks && thinking !== undefined && { thinking }),
    };
    const all = {
      ...options,
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
