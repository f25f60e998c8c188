import { createGroq } from '@ai-sdk/groq';
import { callFetch } from '../call-fetch.ts';
import { toEndpoint } from '../endpoint.ts';
import { openaiList } from '../model-list.ts';
import type { AdapterContext, Provider } from '../provider-port.ts';
import { chatBy, modelsByCapability, sdkProvider } from '../sdk-provider.ts';
import { groqTranscription, toTranslations } from './openai-audio.ts';

const OWN_BASE_URL = 'https://api.groq.com/openai/v1';

export function createAdapter(context: AdapterContext): Provider {
  const { baseUrl, headers, secrets } = toEndpoint(context.settings.baseUrl ?? OWN_BASE_URL, context.settings.apiKey);
  const apiKey = context.settings.apiKey ?? '';
  const own = { baseURL: baseUrl, apiKey, headers };
  const provider = createGroq({ ...own, fetch: callFetch });
  const translator = createGroq({ ...own, fetch: toTranslations });
  return sdkProvider(context, {
    secrets,
    list: { url: `${baseUrl}/models`, headers: { authorization: `Bearer ${apiKey}`, ...headers }, schema: openaiList },
    initialModels: modelsByCapability(
      [['chat'], 'llama-3.3-70b-versatile', 'llama-3.1-8b-instant'],
      [['transcription'], 'whisper-large-v3-turbo', 'whisper-large-v3'],
    ),
    listReplaces: true,
    chat: chatBy((id) => provider.languageModel(id)),
    transcription: {
      model: (id) => provider.transcription(id),
      translator: (id) => translator.transcription(id),
      ...groqTranscription,
    },
  });
}
