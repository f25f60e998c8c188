import { z } from 'zod';
import { PROVIDERS, type ProviderName } from './names/index.ts';

/** Providers that need a key or an address. */
export const KEYED_PROVIDERS = PROVIDERS.filter(
  (name): name is Exclude<ProviderName, 'embedded'> => name !== 'embedded',
);
export type KeyedProvider = (typeof KEYED_PROVIDERS)[number];

/** Base URLs of the providers. The one for `compatible` must be set. */
export const PROVIDER_URLS = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  mistral: 'https://api.mistral.ai/v1',
  groq: 'https://api.groq.com/openai/v1',
  elevenlabs: 'https://api.elevenlabs.io',
  deepgram: 'https://api.deepgram.com',
  fal: 'https://fal.run',
} as const satisfies Record<Exclude<KeyedProvider, 'compatible'>, string>;

/** Where a provider's key comes from. */
export const KEY_SOURCES = ['environment', 'stored', 'none'] as const;

/** A stored key, decrypted. Never part of a response, a job, or a log. */
export interface StoredProviderKey {
  provider: string;
  apiKey: string | null;
  baseUrl: string | null;
}

export const providerEntry = z.object({
  name: z.enum(KEYED_PROVIDERS),
  object: z.literal('provider'),
  source: z
    .enum(KEY_SOURCES)
    .describe('Where its key comes from. `environment`: an environment variable, which overrides a stored key'),
  key_hint: z.string().nullable().describe('The last four characters of the stored key'),
  base_url: z.string().nullable().describe('For `compatible`: the stored address'),
  status: z
    .enum(['ok', 'failing', 'unknown', 'off'])
    .describe("The outcome of the workers' latest calls. `off`: no worker uses it"),
  model_count: z.int().describe('Models that the workers list'),
  updated_at: z.iso.datetime().nullable().describe('When the stored key was set'),
});
export type ProviderEntry = z.infer<typeof providerEntry>;

const apiKey = z
  .string()
  .trim()
  .min(8)
  .max(1_000)
  .regex(/^[\x21-\x7e]+$/, { error: 'must not contain spaces or letters that keys never have' })
  .regex(/^[^"']+$/, { error: 'must not be in quotes' });
const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(2_000)
  .transform((url) => url.replace(/\/+$/, ''));

const fields = {
  api_key: apiKey.optional(),
  base_url: baseUrl.optional().describe('Only for `compatible`: the address of an OpenAI-compatible server'),
};

/** `PATCH /providers/{provider}` */
export const providerKeySet = z
  .strictObject(fields)
  .refine((body) => Object.keys(body).length > 0, { error: 'send at least one of api_key, base_url' });
export type ProviderKeySet = z.infer<typeof providerKeySet>;

/** `POST /providers/{provider}/test` */
export const providerKeyTest = z.strictObject(fields);

export const providerTestResult = z.object({
  object: z.literal('provider.test'),
  provider: z.enum(KEYED_PROVIDERS),
  ok: z.boolean(),
  model_count: z.int().nullable().describe('Models that the provider lists for this key, if it lists any'),
  message: z.string().nullable().describe('Why it failed'),
});
export type ProviderTestResult = z.infer<typeof providerTestResult>;
