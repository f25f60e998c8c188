import { createOpenAI } from '@ai-sdk/openai';
import { APICallError } from '@ai-sdk/provider';
import { ChorusError, type ImageOptions } from '@chorus/contract';
import { cacheRecent } from '../cache-recent.ts';
import { callFetch } from '../call-fetch.ts';
import { toEndpoint } from '../endpoint.ts';
import { type ShapedImage, withNegativePrompt } from '../image-port.ts';
import { openaiList } from '../model-list.ts';
import { capabilitiesOf } from '../model-traits.ts';
import type { AdapterContext, ChatCall, ImageCall, Provider } from '../provider-port.ts';
import { OPENAI_SPEECH } from '../provider-voices.ts';
import { sdkProvider } from '../sdk-provider.ts';
import { openaiTranscription, toTranslations } from './openai-audio.ts';

const OWN_BASE_URL = 'https://api.openai.com/v1';

/** Listed until the first list arrives, the default first. */
const INITIAL_MODELS = [
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
  'tts-1',
  'tts-1-hd',
  'gpt-4o-transcribe',
  'whisper-1',
  'text-embedding-3-small',
  'text-embedding-3-large',
];

/**
 * Connects to OpenAI, or a compatible server at a base URL. Uses the Responses API, except for
 * settings that only chat completions have (stop, seed, penalties) and servers that lack it.
 */
export function createAdapter(context: AdapterContext): Provider {
  const { name, settings, log } = context;
  const { baseUrl, headers, secrets } = toEndpoint(settings.baseUrl ?? OWN_BASE_URL, settings.apiKey);
  const elsewhere = new URL(baseUrl).host !== new URL(OWN_BASE_URL).host;
  const apiKey = settings.apiKey ?? '';
  const own = { name, baseURL: baseUrl, apiKey, headers };
  const provider = createOpenAI({ ...own, fetch: callFetch });
  const translator = createOpenAI({ ...own, fetch: toTranslations });
  const chatModel = cacheRecent((id) => provider.chat(id));
  const responsesModel = cacheRecent((id) => provider.responses(id));
  let lacksResponses = false;

  return sdkProvider(context, {
    secrets,
    list: { url: `${baseUrl}/models`, headers: { authorization: `Bearer ${apiKey}`, ...headers }, schema: openaiList },
    initialModels: INITIAL_MODELS.map((id) => ({
      id,
      created: 0,
      capabilities: capabilitiesOf(id),
      contextWindow: null,
    })),
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
                // The platform keeps its conversations itself, so nothing is stored at the provider.
                providerOptions: { openai: { store: false } },
              }),
        adapt: (thrown) => {
          if (!elsewhere || chatOnly || lacksResponses || !saysNoSuchRoute(thrown)) return false;
          lacksResponses = true;
          log.info({}, 'no Responses API at the base URL, using chat completions');
          return true;
        },
      };
    },
    image: { model: (id) => provider.image(id), shape: shapeOpenAIImage },
    speech: { model: (id) => provider.speech(id), ...OPENAI_SPEECH },
    transcription: {
      model: (id) => provider.transcription(id),
      translator: (id) => translator.transcription(id),
      ...openaiTranscription,
    },
    embedding: { model: (id) => provider.embedding(id) },
  });
}

function needsChatCompletions({ settings }: ChatCall): boolean {
  const { stop, seed, presence_penalty, frequency_penalty } = settings;
  return (stop?.length ?? 0) > 0 || seed !== undefined || Boolean(presence_penalty) || Boolean(frequency_penalty);
}

/** Detects a 404 or 405 of the route rather than of the model. */
function saysNoSuchRoute(thrown: unknown): boolean {
  if (!APICallError.isInstance(thrown)) return false;
  if (thrown.statusCode !== 404 && thrown.statusCode !== 405) return false;
  return !/model_not_found/.test(thrown.responseBody ?? '');
}

/**
 * Shapes requests for OpenAI's image models. Unsupported options are refused or reported; OpenAI
 * itself rejects unsupported sizes.
 */
export function shapeOpenAIImage(call: ImageCall): ShapedImage {
  const { model, prompt, size, negativePrompt, references = [], options } = call;
  const most = /^dall-e-3/.test(model) ? 0 : /^dall-e-2/.test(model) ? 1 : 16;
  if (references.length > most)
    throw new ChorusError(
      'invalid_request',
      `${model} takes ${most === 0 ? 'no reference images' : `at most ${most} of the reference images`}`,
    );
  const reads = !/^dall-e-2/.test(model);
  const warnings =
    negativePrompt === undefined
      ? []
      : [
          reads
            ? `${model} was asked in the prompt to leave out the negative prompt.`
            : `${model} takes no negative prompt. It was left out.`,
        ];
  return {
    prompt: reads ? withNegativePrompt(prompt, negativePrompt) : prompt,
    ...(size && { size }),
    ...(options && { options: { openai: toOpenAIOptions(options) } }),
    warnings,
  };
}

function toOpenAIOptions({ quality, background, output_format, output_compression, input_fidelity }: ImageOptions) {
  return {
    ...(quality && { quality }),
    ...(background && { background }),
    ...(output_format && { outputFormat: output_format }),
    ...(output_compression !== undefined && { outputCompression: output_compression }),
    ...(input_fidelity && { inputFidelity: input_fidelity }),
  };
}
