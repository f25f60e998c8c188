import { ASSET_KINDS, POOLS, PROVIDERS, type ProviderName } from '@chorus/contract';
import { BLOB_VARIABLES } from './blob-variables.ts';
import { VARIABLES } from './load-config.ts';

/** What speaks and writes down. The API serves the voice socket, which does both itself. */
const SOUND: ProviderName[] = ['openai', 'google', 'groq', 'elevenlabs', 'deepgram'];
const CHAT: ProviderName[] = ['openai', 'anthropic', 'google', 'mistral', 'groq', 'compatible'];

/** Every process of the platform, and the providers that it calls. */
const PROVIDERS_OF: Record<string, readonly ProviderName[]> = {
  api: SOUND,
  voice: SOUND,
  'worker-text': CHAT,
  'worker-media': ['openai', 'google', 'fal'],
  'worker-vision': CHAT,
  'worker-knowledge': ['openai', 'google', 'mistral', 'compatible'],
  'worker-voice': SOUND,
  'worker-system': [],
};

/** Variables that only some processes get: what is secret, and what leads to it. All others go to every process. */
const RESTRICTED: Record<string, readonly string[]> = {
  ADMIN_EMAIL: ['api'],
  ADMIN_PASSWORD: ['api'],
  METRICS_TOKEN: ['api'],
  TLS_CERT_FILE: ['api'],
  TLS_KEY_FILE: ['api'],
  // Who logs in, signs media or webhooks, and reads whether a signature is ours.
  SECRET_KEY: ['api', 'voice', 'worker-system', 'worker-media', 'worker-vision', 'worker-voice'],
  SECRET_KEY_FILE: ['api', 'voice', 'worker-system', 'worker-media', 'worker-vision', 'worker-voice'],
  C2PA_CERTIFICATE_FILE: ['worker-media', 'worker-voice'],
  C2PA_PRIVATE_KEY_FILE: ['worker-media', 'worker-voice'],
};

/** Names of all processes of the platform that read a configuration. */
export const PROCESS_NAMES: readonly string[] = Object.keys(PROVIDERS_OF);

/** The variables that a process gets; nothing else of a shell's environment is its business. */
export function variablesOf(name: string): string[] {
  const open = VARIABLES.filter((variable) => RESTRICTED[variable]?.includes(name) ?? true);
  const pools = POOLS.map((pool) => `${pool.toUpperCase()}_CONCURRENCY`);
  const limits = ASSET_KINDS.map((kind) => `UPLOAD_LIMIT_${kind.toUpperCase()}_BYTES`);
  const providers = PROVIDERS.filter((provider) => PROVIDERS_OF[name]?.includes(provider));
  const keys = providers.flatMap((provider) =>
    ['API_KEY', 'BASE_URL', 'MAX_CONCURRENCY'].map((what) => `${provider.toUpperCase()}_${what}`),
  );
  return [...open, ...BLOB_VARIABLES, 'KNOWLEDGE_INDEX_URL', ...pools, ...limits, ...keys];
}
