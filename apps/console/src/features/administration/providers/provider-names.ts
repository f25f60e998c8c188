import type { Provider } from '@chorus/client';
import { t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';

/** Query key of all providers. */
export const PROVIDERS_KEY = ['administration', 'providers'];

const USES: Readonly<Record<Provider['name'], MessageKey>> = {
  openai: 'administration.chatImagesSpeechEmbeddings',
  anthropic: 'common.chat',
  google: 'administration.chatImagesVideosSpeech',
  mistral: 'administration.chatEmbeddings',
  groq: 'administration.chatTranscription',
  elevenlabs: 'administration.speechTranscription',
  deepgram: 'administration.speechTranscription',
  fal: 'administration.imagesVideos',
  compatible: 'administration.compatibleServers',
};

export const providerUse = (provider: Provider['name']): string => t(USES[provider]);
