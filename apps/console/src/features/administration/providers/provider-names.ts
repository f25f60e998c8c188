import type { Provider } from '@chorus/client';
import { t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';

/** Query key of all providers. */
export const PROVIDERS_KEY = ['administration', 'providers'];

/** Names and uses of the providers. */
const PROVIDERS: Readonly<Record<Provider['name'], { name: string | null; use: MessageKey }>> = {
  openai: { name: 'OpenAI', use: 'administration.chatImagesSpeechEmbeddings' },
  anthropic: { name: 'Anthropic', use: 'common.chat' },
  google: { name: 'Google', use: 'administration.chatImagesVideosSpeech' },
  mistral: { name: 'Mistral', use: 'administration.chatEmbeddings' },
  groq: { name: 'Groq', use: 'administration.chatTranscription' },
  elevenlabs: { name: 'ElevenLabs', use: 'administration.speechTranscription' },
  deepgram: { name: 'Deepgram', use: 'administration.speechTranscription' },
  fal: { name: 'fal', use: 'administration.imagesVideos' },
  compatible: { name: null, use: 'administration.compatibleServers' },
};

export const providerLabel = (provider: Provider['name']): string =>
  PROVIDERS[provider].name ?? t('administration.compatibleServer');

export const providerUse = (provider: Provider['name']): string => t(PROVIDERS[provider].use);
