import { t } from '../i18n/i18n.ts';

const PROVIDERS: Readonly<Record<string, { name: string }>> = {
  openai: { name: 'OpenAI' },
  anthropic: { name: 'Anthropic' },
  google: { name: 'Google' },
  mistral: { name: 'Mistral' },
  groq: { name: 'Groq' },
  elevenlabs: { name: 'ElevenLabs' },
  deepgram: { name: 'Deepgram' },
  fal: { name: 'fal' },
};

/** Returns the name of a provider. Those of a newer server are shown as they are. */
export function providerLabel(provider: string): string {
  return provider === 'compatible' ? t('components.compatibleServer') : (PROVIDERS[provider]?.name ?? provider);
}
