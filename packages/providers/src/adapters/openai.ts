import { createOpenAI } from '@ai-sdk/openai';
import { ChorusError, type ImageOptions, PROVIDER_URLS } from '@chorus/contract';
import type { BatchingProvider } from '../batches/batch-port.ts';
import { openaiBatches } from '../batches/openai-batches.ts';
import { callFetch } from '../call-fetch.ts';
import { toEndpoint } from '../endpoint.ts';
import { type ShapedImage, withNegativePrompt } from '../image-port.ts';
import { openaiList } from '../model-list.ts';
import { capabilitiesOf } from '../model-traits.ts';
import type { AdapterContext, ImageCall } from '../provider-port.ts';
import { OPENAI_SPEECH } from '../provider-voices.ts';
import { sdkProvider } from '../sdk-provider.ts';
import { openaiTranscription, toTranslations } from './openai-audio.ts';
import { openaiChat } from './openai-chat.ts';

const OWN_BASE_URL = PROVIDER_URLS.openai;

/** Models to list until the first list arrives, the default first. */
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

/** Connects to OpenAI, or a compatible server at a base URL. */
export function createAdapter(context: AdapterContext): BatchingProvider {
  const { name, settings, log } = context;
  const { baseUrl, headers, secrets } = toEndpoint(settings.baseUrl ?? OWN_BASE_URL, settings.apiKey);
  const elsewhere = new URL(baseUrl).host !== new URL(OWN_BASE_URL).host;
  const apiKey = settings.apiKey ?? '';
  const own = { name, baseURL: baseUrl, apiKey, headers };
  const provider = createOpenAI({ ...own, fetch: callFetch });
  const translator = createOpenAI({ ...own, fetch: toTranslations });
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
    settingsOf: elsewhere ? `${name}/elsewhere` : name,
    chat: openaiChat(provider, elsewhere, log),
    image: { model: (id) => provider.image(id), shape: shapeOpenAIImage },
    speech: { model: (id) => provider.speech(id), ...OPENAI_SPEECH },
    transcription: {
      model: (id) => provider.transcription(id),
      translator: (id) => translator.transcription(id),
      ...openaiTranscription,
    },
    embedding: { model: (id) => provider.embedding(id) },
    batches: {
      baseUrl,
      headers: { authorization: `Bearer ${apiKey}`, ...headers },
      wire: (http) => openaiBatches(http, ['chat/completions', 'responses', 'embeddings']),
    },
  });
}

/**
 * Adapts requests to OpenAI's image models. Unsupported options are refused or reported. OpenAI itself rejects
 * unsupported sizes.
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
