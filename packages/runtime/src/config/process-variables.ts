import { ASSET_KINDS, POOLS, PROVIDERS, type ProviderName } from '@chorus/contract/names';
import { BLOB_VARIABLES } from './blob-variables.ts';
import { VARIABLES } from './load-config.ts';

/** For speech and transcription. The API serves the voice socket, which does both. */
const SOUND: ProviderName[] = ['openai', 'google', 'groq', 'elevenlabs', 'deepgram'];
const CHAT: ProviderName[] = ['openai', 'anthropic', 'google', 'mistral', 'groq', 'compatible'];

const PROVIDERS_OF: Record<string, readonly ProviderName[]> = {
  api: SOUND,
  voice: SOUND,
  'worker-text': CHAT,
  'worker-media': ['openai', 'google', 'fal'],
  'worker-vision': CHAT,
  /** For embeddings, and to transcribe audio. */
  'worker-knowledge': [...new Set<ProviderName>(['openai', 'google', 'mistral', 'compatible', ...SOUND])],
  'worker-voice': SOUND,
  maintenance: [],
  background: PROVIDERS,
};

/**
 * Secret variables, and the processes that get them. Every process gets all others, and `SECRET_KEY`, since every
 * process reads stored secrets: logins, keys of providers, signatures, or credentials of tools.
 */
const RESTRICTED: Record<string, readonly string[]> = {
  ADMIN_EMAIL: ['api'],
  ADMIN_PASSWORD: ['api'],
  METRICS_TOKEN: ['api'],
  OIDC_CLIENT_SECRET: ['api'],
  OPERATOR_WEBHOOK_URL: ['maintenance', 'background'],
  OPERATOR_WEBHOOK_SECRET: ['maintenance', 'background'],
  /** Several processes of one machine cannot share a port. */
  HEALTH_PORT: [],
  TLS_CERT_FILE: ['api'],
  TLS_KEY_FILE: ['api'],
  C2PA_CERTIFICATE_FILE: ['background', 'worker-media', 'worker-voice'],
  C2PA_PRIVATE_KEY_FILE: ['background', 'worker-media', 'worker-voice'],
};

export const PROCESS_NAMES: readonly string[] = Object.keys(PROVIDERS_OF);

export function variablesOf(name: string): string[] {
  const open = VARIABLES.filter((variable) => RESTRICTED[variable]?.includes(name) ?? true);
  const pools = POOLS.flatMap((pool) => ['CONCURRENCY', 'MAX_CALLS'].map((what) => `${pool.toUpperCase()}_${what}`));
  const limits = ASSET_KINDS.map((kind) => `UPLOAD_LIMIT_${kind.toUpperCase()}_BYTES`);
  const providers = PROVIDERS.filter((provider) => PROVIDERS_OF[name]?.includes(provider));
  const keys = providers.flatMap((provider) =>
    ['API_KEY', 'BASE_URL', 'MAX_CONCURRENCY'].map((what) => `${provider.toUpperCase()}_${what}`),
  );
  return [...open, ...BLOB_VARIABLES, 'KNOWLEDGE_INDEX_URL', ...pools, ...limits, ...keys];
}
