import type { OpenAIProvider } from '@ai-sdk/openai';
import { APICallError, type JSONValue, type LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { type ChatFeature, hasEffect } from '@chorus/contract';
import type { Logger } from '@chorus/runtime/log';
import { cacheRecent } from '../cache-recent.ts';
import { offersTools, shortUser, strictSchema } from '../call-settings.ts';
import { type ChatDialect, definedOnly, tierOf } from '../chat-dialect.ts';
import type { PrepareChat } from '../model-stream.ts';
import { capabilitiesOf } from '../model-traits.ts';
import type { ChatCall } from '../provider-port.ts';
import type { SdkParts } from '../sdk-provider.ts';
import { chatCompletions } from '../wires/chat-completions.ts';
import { responses } from '../wires/responses.ts';

type Options = Omit<LanguageModelV4CallOptions, 'abortSignal'>;

const TIERS = { auto: 'auto', default: 'default', flex: 'flex', priority: 'priority' };

/** Models to which the package sends an effort in the Responses API. */
const REASONS = /^(o\d+(-|$)|gpt-([5-9]|\d{2,})(?!-chat))/;
/** Models without adjustable verbosity. */
const FIXED_VERBOSITY = /^(gpt-[34]|chatgpt|o\d)/;

/**
 * Chat with OpenAI, or with a compatible server elsewhere. Uses the Responses API, except for requests that only chat
 * completions accept, and for servers without it.
 */
export function openaiChat(provider: OpenAIProvider, elsewhere: boolean, log: Logger): NonNullable<SdkParts['chat']> {
  const chatModel = cacheRecent((id) => provider.chat(id));
  const responsesModel = cacheRecent((id) => provider.responses(id));
  const chatWire = elsewhere ? WIRE_ELSEWHERE : CHAT_WIRE;
  let lacksResponses = false;
  let lacksSummaries = false;
  let lacksCacheKeys = false;

  const prepare: PrepareChat = (call, options) => {
    const chatOnly = needsChatCompletions(call, elsewhere);
    const keyed = () =>
      lacksCacheKeys ? options : { ...options, ...withOptions(options, { promptCacheKey: call.cache?.key }) };
    return {
      start: (abortSignal) =>
        chatOnly || lacksResponses
          ? chatModel(call.model).doStream({ ...options, ...forChat(keyed(), call), abortSignal })
          : responsesModel(call.model).doStream({
              ...options,
              ...forResponses(keyed(), call, lacksSummaries),
              abortSignal,
            }),
      variant: () => (chatOnly || lacksResponses ? 'chat' : 'responses'),
      wire: () => (chatOnly || lacksResponses ? chatWire : responses(options.tools?.map(({ name }) => name) ?? [])),
      adapt(thrown) {
        if (!lacksCacheKeys && call.cache !== undefined && refusesCacheKeys(thrown)) {
          lacksCacheKeys = true;
          return true;
        }
        if (chatOnly || lacksResponses) return false;
        if (!lacksSummaries && refusesSummaries(thrown)) {
          lacksSummaries = true;
          log.info({}, 'the key may not receive summaries of reasoning');
          return true;
        }
        if (!elsewhere || !saysNoSuchRoute(thrown)) return false;
        lacksResponses = true;
        log.info({}, 'no Responses API at the base URL, using chat completions');
        return true;
      },
    };
  };
  return { dialect: { ...DIALECT, ...(elsewhere ? {} : { unsupported: unsupportedAtOpenAI }) }, prepare };
}

const DIALECT: ChatDialect = {
  namespace: 'openai',
  reasoning: 'signed',
  names: 'openai',
  callIds: { pattern: /^.{1,40}$/s, prefix: 'call_', length: 24 },
  options: (settings) => ({
    user: shortUser(settings),
    parallelToolCalls: offersTools(settings) ? settings.parallel_tool_calls : undefined,
    textVerbosity: settings.verbosity,
    serviceTier: tierOf(settings, 'openai', TIERS),
    strictJsonSchema: strictSchema(settings),
  }),
};

const CHAT_WIRE = chatCompletions({ ...DIALECT, errorsHaveStatus: true });
const WIRE_ELSEWHERE = chatCompletions({ ...DIALECT, errorsHaveStatus: true, thinksInText: true });

/** Does not apply to servers elsewhere, whose models are unknown. */
function unsupportedAtOpenAI(model: string): ChatFeature[] {
  return [
    ...(REASONS.test(model) ? [] : (['reasoning_effort'] as const)),
    ...(FIXED_VERBOSITY.test(model) ? (['verbosity'] as const) : []),
    ...(/audio/.test(model) ? [] : (['input_audio'] as const)),
    ...(capabilitiesOf(model).includes('vision') ? [] : (['file'] as const)),
  ];
}

function forChat(options: Options, { settings: { logprobs, top_logprobs, logit_bias } }: ChatCall) {
  return withOptions(options, { logprobs: logprobs && (top_logprobs ?? true), logitBias: logit_bias });
}

function forResponses(options: Options, { model, settings }: ChatCall, lacksSummaries: boolean) {
  const { logprobs, top_logprobs = 0, reasoning_effort: effort } = settings;
  // Null keeps the package from requesting a summary by itself.
  const summary = lacksSummaries ? null : effort === 'none' || !REASONS.test(model) ? undefined : 'auto';
  return withOptions(
    options,
    {
      reasoningSummary: summary,
      include: logprobs ? ['message.output_text.logprobs'] : undefined,
      logprobs: logprobs && top_logprobs > 0 ? top_logprobs : undefined,
    },
    // Chorus stores conversations itself, so the provider must not.
    { store: false },
  );
}

function withOptions(
  { providerOptions }: Options,
  defaults: Record<string, JSONValue | undefined>,
  fixed: Record<string, JSONValue> = {},
): Pick<Options, 'providerOptions'> {
  return { providerOptions: { openai: { ...definedOnly(defaults), ...providerOptions?.openai, ...fixed } } };
}

/** Whether a request uses features that only chat completions accept. */
function needsChatCompletions({ model, messages, settings }: ChatCall, elsewhere: boolean): boolean {
  const { seed, presence_penalty, frequency_penalty } = settings;
  return (
    hasEffect(settings, 'stop') ||
    seed !== undefined ||
    Boolean(presence_penalty) ||
    Boolean(frequency_penalty) ||
    hasEffect(settings, 'logit_bias') ||
    settings.provider_options?.openai?.prediction !== undefined ||
    hasAudio(messages) ||
    (elsewhere && hasEffect(settings, 'reasoning_effort') && !REASONS.test(model))
  );
}

function hasAudio(messages: ChatCall['messages']): boolean {
  return messages.some(({ content }) => Array.isArray(content) && content.some((part) => part.type === 'input_audio'));
}

function refusesSummaries(thrown: unknown): boolean {
  return (
    APICallError.isInstance(thrown) && thrown.statusCode === 400 && /reasoning.summar/.test(thrown.responseBody ?? '')
  );
}

function refusesCacheKeys(thrown: unknown): boolean {
  if (!APICallError.isInstance(thrown)) return false;
  return (thrown.statusCode === 400 || thrown.statusCode === 422) && /prompt_cache_key/.test(thrown.responseBody ?? '');
}

/** Detects a 404 or 405 for the route rather than the model. */
function saysNoSuchRoute(thrown: unknown): boolean {
  if (!APICallError.isInstance(thrown)) return false;
  if (thrown.statusCode !== 404 && thrown.statusCode !== 405) return false;
  return !/model_not_found/.test(thrown.responseBody ?? '');
}
