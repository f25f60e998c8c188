import { createOpenAI } from '@ai-sdk/openai';
import { APICallError } from '@ai-sdk/provider';
import { callFetch } from '../call-fetch.ts';
import { CallStatus } from '../call-status.ts';
import { toPrompt } from '../chat-prompt.ts';
import { toEndpoint } from '../endpoint.ts';
import { ModelList } from '../model-list.ts';
import { streamModel, toCallSettings } from '../model-stream.ts';
import { capabilitiesOf, isChatModel } from '../model-traits.ts';
import type { AdapterContext, ChatCall, ChatProvider, KnownModel } from '../provider-port.ts';
import { recent } from '../recent.ts';

const OWN_BASE_URL = 'https://api.openai.com/v1';

/** Known before the first list has come, the default first. */
const PRESENT_MODELS = [
  'gpt-6.1-sol',
  'gpt-6.1-terra',
  'gpt-6-astra',
  'gpt-6-luna',
  'gpt-5.6',
  'gpt-5.5',
  'gpt-5.4',
  'gpt-5.4-mini',
  'gpt-5.4-nano',
  'gpt-5.1',
  'gpt-5',
  'gpt-5-mini',
  'gpt-4.1',
  'gpt-4.1-mini',
  'gpt-4o',
  'gpt-4o-mini',
];

/**
 * OpenAI itself, or what stands for it at a base URL of its own. The Responses API is used, but for settings that only chat
 * completions have (stop, seed, penalties), and for servers that lack it.
 */
export function createAdapter({ name, settings, log, idleTimeoutMs }: AdapterContext): ChatProvider {
  const { baseUrl, headers, secrets } = toEndpoint(settings.baseUrl ?? OWN_BASE_URL, settings.apiKey);
  const elsewhere = new URL(baseUrl).host !== new URL(OWN_BASE_URL).host;
  const apiKey = settings.apiKey ?? '';
  const provider = createOpenAI({ name, baseURL: baseUrl, apiKey, headers, fetch: callFetch });
  const chatModel = recent((id) => provider.chat(id));
  const responsesModel = recent((id) => provider.responses(id));
  const status = new CallStatus();
  const list = new ModelList({
    url: `${baseUrl}/models`,
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
    log,
  });
  let lacksResponses = false;

  const models = (): KnownModel[] => {
    const listed = (list.models ?? []).filter(({ id }) => isChatModel(id));
    const present = elsewhere && listed.length > 0 ? [] : PRESENT_MODELS;
    const created = new Map([
      ...present.map((id): [string, number] => [id, 0]),
      ...listed.map(({ id, created }): [string, number] => [id, created]),
    ]);
    return [...created].map(([id, at]) => ({ id, created: at, capabilities: capabilitiesOf(id) }));
  };
  return {
    models,
    defaultModel: () => models()[0]?.id ?? null,
    settled: () => true,
    status: () => status.current(),
    streamChat(call, { signal, executionId }) {
      const options = { ...toCallSettings(call.settings), prompt: toPrompt(call.messages) };
      const chatOnly = needsChatCompletions(call);
      return streamModel({
        provider: name,
        secrets,
        status,
        log,
        executionId,
        signal,
        idleTimeoutMs,
        start: (abortSignal) =>
          chatOnly || lacksResponses
            ? chatModel(call.model).doStream({ ...options, abortSignal })
            : responsesModel(call.model).doStream({
                ...options,
                abortSignal,
                // The platform keeps its conversations itself; nothing is left at the provider that is not needed.
                providerOptions: { openai: { store: false } },
              }),
        adapt: (thrown) => {
          if (!elsewhere || chatOnly || lacksResponses || !saysNoSuchRoute(thrown)) return false;
          lacksResponses = true;
          log.info({}, 'no Responses API at the base URL: chat completions are used');
          return true;
        },
      });
    },
    close: () => list.close(),
  };
}

function needsChatCompletions({ settings }: ChatCall): boolean {
  const { stop, seed, presence_penalty, frequency_penalty } = settings;
  return (stop?.length ?? 0) > 0 || seed !== undefined || Boolean(presence_penalty) || Boolean(frequency_penalty);
}

/** A 404 or 405 of the route, not of the model. */
function saysNoSuchRoute(thrown: unknown): boolean {
  if (!APICallError.isInstance(thrown)) return false;
  if (thrown.statusCode !== 404 && thrown.statusCode !== 405) return false;
  return !/model_not_found/.test(thrown.responseBody ?? '');
}
