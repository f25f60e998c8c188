import { t } from '../i18n/i18n.ts';

const NAMES: Readonly<Record<string, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  mistral: 'Mistral',
  groq: 'Groq',
  elevenlabs: 'ElevenLabs',
  deepgram: 'Deepgram',
  fal: 'fal',
};

/** Returns the name of a provider. Those of a newer server are shown as they are. */
export function providerLabel(provider: string): string {
  return provider === 'compatible' ? t('components.compatibleServer') : (NAMES[provider] ?? provider);
}
