import { createElevenLabs } from '@ai-sdk/elevenlabs';
import { PROVIDER_URLS } from '@chorus/contract';
import { z } from 'zod';
import { callFetchTo } from '../call-fetch.ts';
import { toEndpoint } from '../endpoint.ts';
import { modelId } from '../model-list.ts';
import type { AdapterContext, Provider } from '../provider-port.ts';
import { ELEVENLABS_SPEECH } from '../provider-voices.ts';
import { modelsByCapability, sdkProvider } from '../sdk-provider.ts';

const OWN_BASE_URL = PROVIDER_URLS.elevenlabs;

/** The list contains speech models only. */
const modelsAnswer = z
  .array(z.object({ model_id: modelId, can_do_text_to_speech: z.boolean().default(false) }))
  .transform((models) =>
    models.map(({ model_id, can_do_text_to_speech }) => ({
      id: model_id,
      created: 0,
      capabilities: can_do_text_to_speech ? ['speech' as const] : [],
      contextWindow: null,
    })),
  );

export function createAdapter(context: AdapterContext): Provider {
  const { baseUrl, headers, secrets } = toEndpoint(context.settings.baseUrl ?? OWN_BASE_URL, context.settings.apiKey);
  const apiKey = context.settings.apiKey ?? '';
  const reach = callFetchTo(context.settings.baseUrl && baseUrl, /^api\.elevenlabs\.io$/);
  const fetch: typeof globalThis.fetch = (input, init) => reach(toStreamingUrl(input), init);
  const provider = createElevenLabs({ apiKey, headers, fetch });
  return sdkProvider(context, {
    secrets,
    list: { url: `${baseUrl}/v1/models`, headers: { ...headers, 'xi-api-key': apiKey }, schema: modelsAnswer },
    initialModels: modelsByCapability(
      [['speech'], 'eleven_multilingual_v2', 'eleven_flash_v2_5'],
      [['transcription'], 'scribe_v1'],
    ),
    listReplaces: false,
    speech: { model: (id) => provider.speech(id), ...ELEVENLABS_SPEECH },
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
        elevenlabs: { tagAudioEvents: false, ...(language !== undefined && { languageCode: language }) },
      }),
      timesWords: true,
    },
  });
}

/** Redirects speech requests to the streaming endpoint, which the package does not use. */
function toStreamingUrl(input: string | URL | Request): string | URL | Request {
  return typeof input === 'string' ? input.replace(/(\/text-to-speech\/[^/?]+)(?=\?|$)/, '$1/stream') : input;
}
