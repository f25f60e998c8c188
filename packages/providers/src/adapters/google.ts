import { createGoogle } from '@ai-sdk/google';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { type Capability, PROVIDER_URLS } from '@chorus/contract';
import { z } from 'zod';
import type { BatchingProvider } from '../batches/batch-port.ts';
import { googleBatches } from '../batches/google-batches.ts';
import { cacheRecent } from '../cache-recent.ts';
import { callFetch, callFetchTo } from '../call-fetch.ts';
import { type ChatDialect, tierOf } from '../chat-dialect.ts';
import { toEndpoint } from '../endpoint.ts';
import { listedCount, modelId, modelsOf } from '../model-list.ts';
import type { PrepareChat } from '../model-stream.ts';
import { capabilitiesOf } from '../model-traits.ts';
import type { AdapterContext } from '../provider-port.ts';
import { GOOGLE_SPEECH } from '../provider-voices.ts';
import { modelsByCapability, sdkProvider, type WireChoice } from '../sdk-provider.ts';
import { googleContents } from '../wires/google.ts';
import { googleVideos, shapeGoogleImage } from './google-media.ts';

const OWN_BASE_URL = PROVIDER_URLS.google;

/** Newer models expect the task in the text. */
const TAKES_TASK_TYPES = /embedding-00\d/;

const modelsAnswer = z
  .object({
    models: modelsOf(
      z.object({
        name: modelId,
        inputTokenLimit: listedCount,
        supportedGenerationMethods: z.array(z.string()).default([]),
      }),
    ),
  })
  .transform(({ models }) =>
    models.map(({ name, inputTokenLimit, supportedGenerationMethods }) => {
      const id = name.replace(/^models\//, '');
      return {
        id,
        created: 0,
        capabilities: capabilitiesBy(id, supportedGenerationMethods),
        contextWindow: inputTokenLimit,
      };
    }),
  );

/** Listed methods show what a model supports. Models for images and speech are recognized by name. */
function capabilitiesBy(id: string, methods: string[]): Capability[] {
  if (methods.includes('embedContent')) return ['embedding'];
  if (methods.includes('predictLongRunning')) return capabilitiesOf(id).filter((one) => one === 'video');
  return methods.includes('generateContent') ? capabilitiesOf(id) : [];
}

const TIERS = { auto: null, default: 'standard', flex: 'flex', priority: 'priority' };
const THINKS = /gemini-(2\.5|[3-9])/;
const PLAIN_GEMMA = /gemma-[123]/;

const DIALECT: ChatDialect = {
  namespace: 'google',
  reasoning: 'signed',
  systemFirst: true,
  options: (settings, model) => ({
    serviceTier: tierOf(settings, 'google', TIERS),
    thinkingConfig: THINKS.test(model) && settings.reasoning_effort !== 'none' ? { includeThoughts: true } : undefined,
  }),
  unsupported: (model) => [
    'logprobs',
    'top_logprobs',
    'logit_bias',
    'verbosity',
    'parallel_tool_calls',
    ...(THINKS.test(model) ? [] : ['reasoning_effort' as const]),
    ...(PLAIN_GEMMA.test(model) ? (['tools', 'tool_choice', 'response_format', 'input_audio', 'file'] as const) : []),
  ],
  ignored: ['user'],
};

const WIRE = googleContents();

/** For JSON in a request with tools, the package makes some models call another tool, and shows its input as text. */
const wireFor: WireChoice = ({ tools, responseFormat }) =>
  tools !== undefined && responseFormat?.type === 'json' ? null : WIRE;

const prepareBy =
  (modelOf: (id: string) => LanguageModelV4): PrepareChat =>
  ({ model }, options) => ({
    start: (abortSignal, continuationToken) =>
      modelOf(model).doStream({
        ...options,
        ...(continuationToken !== undefined && {
          providerOptions: { google: { ...options.providerOptions?.google, continuationToken } },
        }),
        abortSignal,
      }),
    wire: () => wireFor(options),
  });

export function createAdapter(context: AdapterContext): BatchingProvider {
  const { baseUrl, headers, secrets } = toEndpoint(context.settings.baseUrl ?? OWN_BASE_URL, context.settings.apiKey);
  const apiKey = context.settings.apiKey ?? '';
  const own = { baseURL: baseUrl, apiKey, headers };
  const provider = createGoogle({ ...own, fetch: callFetch });
  // Results are downloaded through the base URL, too.
  const reach = callFetchTo(
    context.settings.baseUrl && baseUrl.replace(/\/v1\w*$/, ''),
    /^generativelanguage\.googleapis\.com$/,
  );
  return sdkProvider(context, {
    secrets,
    list: {
      url: `${baseUrl}/models?pageSize=1000`,
      headers: { ...headers, 'x-goog-api-key': apiKey },
      schema: modelsAnswer,
    },
    initialModels: modelsByCapability(
      [['chat', 'vision'], 'gemini-2.5-flash', 'gemini-2.5-pro', 'gemini-2.5-flash-lite'],
      [['image'], 'gemini-2.5-flash-image'],
      [['video'], 'veo-3.1-generate-preview', 'veo-3.1-fast-generate-preview', 'veo-3.0-generate-001'],
      [['embedding'], 'gemini-embedding-001', 'gemini-embedding-2'],
      [['speech'], 'gemini-2.5-flash-preview-tts', 'gemini-2.5-pro-preview-tts'],
      [['transcription'], 'gemini-3.5-transcribe'],
    ),
    listReplaces: true,
    settingsOf: context.name,
    chat: { dialect: DIALECT, prepare: prepareBy(cacheRecent((id) => provider.chat(id))) },
    image: { model: (id) => provider.image(id), shape: shapeGoogleImage },
    video: googleVideos((id, fetch) => createGoogle({ ...own, fetch }).video(id), reach, {
      baseUrl,
      headers: { 'x-goog-api-key': apiKey, ...headers },
    }),
    speech: { model: (id) => provider.speech(id), ...GOOGLE_SPEECH },
    transcription: {
      model: (id) => provider.transcription(id),
      options: () => ({
        languages: null,
        prompt: false,
        temperature: false,
        timestamps: ['segment', 'word'],
        translates: false,
      }),
      request: ({ language }) => ({
        google: { wordTimestamp: true, ...(language !== undefined && { languageCodes: [language] }) },
      }),
      timesWords: true,
    },
    embedding: {
      model: (id) => provider.embedding(id),
      options: (purpose, model) =>
        TAKES_TASK_TYPES.test(model)
          ? { google: { taskType: purpose === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT' } }
          : undefined,
    },
    batches: {
      baseUrl,
      headers: { 'x-goog-api-key': apiKey, ...headers },
      fetch: reach,
      wire: (http) => googleBatches(http, { baseUrl }),
    },
  });
}
