import { createDeepgram } from '@ai-sdk/deepgram';
import { type Capability, PROVIDER_URLS } from '@chorus/contract';
import { z } from 'zod';
import { callFetchTo } from '../call-fetch.ts';
import { toEndpoint } from '../endpoint.ts';
import { modelId } from '../model-list.ts';
import type { AdapterContext, Provider } from '../provider-port.ts';
import { DEEPGRAM_SPEECH } from '../provider-voices.ts';
import { modelsByCapability, sdkProvider } from '../sdk-provider.ts';

const OWN_BASE_URL = PROVIDER_URLS.deepgram;

const listed = z.array(z.object({ canonical_name: modelId })).default([]);
/** The list repeats a name for each language. */
const modelsAnswer = z.object({ stt: listed, tts: listed }).transform(({ stt, tts }) => {
  const known = (models: z.infer<typeof listed>, capability: Capability) =>
    [...new Set(models.map(({ canonical_name }) => canonical_name))].map((id) => ({
      id,
      created: 0,
      capabilities: [capability],
      contextWindow: null,
    }));
  return [...known(stt, 'transcription'), ...known(tts, 'speech')];
});

export function createAdapter(context: AdapterContext): Provider {
  const { baseUrl, headers, secrets } = toEndpoint(context.settings.baseUrl ?? OWN_BASE_URL, context.settings.apiKey);
  const apiKey = context.settings.apiKey ?? '';
  const fetch = callFetchTo(context.settings.baseUrl && baseUrl, /^api\.deepgram\.com$/);
  const provider = createDeepgram({ apiKey, headers, fetch });
  return sdkProvider(context, {
    secrets,
    list: {
      url: `${baseUrl}/v1/models`,
      headers: { authorization: `Token ${apiKey}`, ...headers },
      schema: modelsAnswer,
    },
    initialModels: modelsByCapability([['transcription'], 'nova-3', 'nova-2'], [['speech'], 'aura-2-helena-en']),
    listReplaces: true,
    speech: { model: (id) => provider.speech(id), ...DEEPGRAM_SPEECH },
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
        deepgram: { smartFormat: true, ...(language === undefined ? { detectLanguage: true } : { language }) },
      }),
      timesWords: true,
      words: ({ response, segments }) => punctuated.safeParse(response.body).data ?? segments,
    },
  });
}

/** The package returns words without their punctuation. */
const punctuated = z
  .object({
    results: z.object({
      channels: z
        .tuple([
          z.object({
            alternatives: z
              .tuple([
                z.object({
                  words: z.array(
                    z.object({
                      punctuated_word: z.string().optional(),
                      word: z.string(),
                      start: z.number(),
                      end: z.number(),
                    }),
                  ),
                }),
              ])
              .rest(z.unknown()),
          }),
        ])
        .rest(z.unknown()),
    }),
  })
  .transform(({ results }) =>
    results.channels[0].alternatives[0].words.map(({ word, punctuated_word = word, start, end }) => ({
      text: punctuated_word,
      startSecond: start,
      endSecond: end,
    })),
  );
