import { createOpenAI } from '@ai-sdk/openai';
import { APICallError } from '@ai-sdk/provider';
import { callFetch } from '../call-fetch.ts';
import { toEndpoint } from '../endpoint.ts';
import { openaiList } from '../model-list.ts';
import { capabilitiesOf } from '../model-traits.ts';
import type { AdapterContext, ChatCall, Provider } from '../provider-port.ts';
import { OPENAI_SPEECH } from '../provider-voices.ts';
import { recent } from '../recent.ts';
import { sdkProvider } from '../sdk-provider.ts';
import { shapeOpenAIImage } from './openai-images.ts';

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
  'gpt-image-1',
  'gpt-4o-mini-tts',
  'gpt-4o-transcribe',
  'text-embedding-3-small',
  'text-embedding-3-large',
];

/**
 * OpenAI itself, or what stands for it at a base URL of its own. The Responses API is used, but for settings that only chat
 * completions have (stop, seed, penalties), and for servers that lack it.
 */
export function createAdapter(context: AdapterContext): Provider {
  const { name, settings, log } = context;
  const { baseUrl, headers, secrets } = toEndpoint(settings.baseUrl ?? OWN_BASE_URL, settings.apiKey);
  const elsewhere = new URL(baseUrl).host !== new URL(OWN_BASE_URL).host;
  const apiKey = settings.apiKey ?? '';
  const provider = createOpenAI({ name, baseURL: baseUrl, apiKey, headers, fetch: callFetch });
  const chatModel = recent((id) => provider.chat(id));
  const responsesModel = recent((id) => provider.responses(id));
  let lacksResponses = false;

  return sdkProvider(context, {
    secrets,
    list: { url: `${baseUrl}/models`, headers: { authorization: `Bearer ${apiKey}`, ...headers }, schema: openaiList },
    present: PRESENT_MODELS.map((id) => ({ id, created: 0, capabilities: capabilitiesOf(id), contextWindow: null })),
    listReplaces: elsewhere,
    settingsDiffer: true,
    chat(call, options) {
      const chatOnly = needsChatCompletions(call);
      return {
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
      };
    },
    image: { model: (id) => provider.image(id), shape: shapeOpenAIImage },
    speech: { model: (id) => provider.speech(id), ...OPENAI_SPEECH },
    transcription: (id) => provider.transcription(id),
    embedding: { model: (id) => provider.embedding(id) },
  });
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
