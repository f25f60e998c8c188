// Names and numbers that the configuration and child processes need, apart from the schemas, which are slow to load.

export { ROLES, type Role } from '../owner.ts';
export { PCM16, SPEECH_RATE } from './speech-format.ts';
export { VOICE_LIMITS } from './voice-limits.ts';

export const PROVIDERS = [
  'openai',
  'anthropic',
  'google',
  'mistral',
  'groq',
  'elevenlabs',
  'deepgram',
  'fal',
  'compatible',
  'embedded',
] as const;
export type ProviderName = (typeof PROVIDERS)[number];

export const POOLS = ['text', 'media', 'vision', 'knowledge', 'voice'] as const;
export type Pool = (typeof POOLS)[number];

export const ASSET_KINDS = ['image', 'video', 'audio', 'document', 'other'] as const;
export type AssetKind = (typeof ASSET_KINDS)[number];

export { LIMIT_NAMES, type LimitName, PLATFORM_LIMITS } from './platform-limits.ts';
