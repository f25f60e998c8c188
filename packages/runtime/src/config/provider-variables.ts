import { PROVIDERS, type ProviderName } from '@chorus/contract/names';
import { z } from 'zod';
import { optionalNumber, webUrl } from './variables.ts';

/** Limit of concurrent calls over all processes. Null: no limit. */
export interface ProviderVariables {
  apiKey: string | null;
  baseUrl: string | null;
  maxConcurrency: number | null;
}

const maxConcurrency = optionalNumber(1, 1_000_000);

export function readProviders(
  given: Record<string, string | undefined>,
  problems: string[],
): Record<ProviderName, ProviderVariables> {
  const read = <T>(name: string, schema: z.ZodType<T>): T | null => {
    const { success, data, error } = schema.safeParse(given[name]);
    if (!success) problems.push(`${name} ${error.issues[0]?.message}`);
    return data ?? null;
  };
  const providers = {} as Record<ProviderName, ProviderVariables>;
  for (const provider of PROVIDERS) {
    const prefix = provider.toUpperCase();
    providers[provider] = {
      apiKey: given[`${prefix}_API_KEY`]?.trim() ?? null,
      baseUrl: read(`${prefix}_BASE_URL`, webUrl),
      maxConcurrency: read(`${prefix}_MAX_CONCURRENCY`, maxConcurrency),
    };
  }
  return providers;
}

/** The paths that clients of Chorus use instead of a provider's. */
const CLIENT_PATH = /^\/(anthropic|openai)(\/v1)?$/;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]', '0.0.0.0'];

/** Refuses base URLs that shells set for clients of this platform: it would call itself. */
export function refuseOwnAddress(
  providers: Record<ProviderName, ProviderVariables>,
  own: { PORT: number; PUBLIC_URL: string | null },
  problems: string[],
): void {
  const publicOrigin = own.PUBLIC_URL === null ? null : new URL(own.PUBLIC_URL).origin;
  for (const provider of PROVIDERS) {
    const { baseUrl } = providers[provider];
    if (baseUrl === null) continue;
    const { origin, hostname, port, pathname } = new URL(baseUrl);
    const isOwn = origin === publicOrigin || (LOOPBACK.includes(hostname) && Number(port) === own.PORT);
    if (isOwn && CLIENT_PATH.test(pathname))
      problems.push(
        `${provider.toUpperCase()}_BASE_URL must not be this server's own address, which is for its clients: unset it`,
      );
  }
}

const MODEL = new RegExp(`^(${PROVIDERS.join('|')})/.+$`);

export const modelName = (example: string) =>
  z
    .string()
    .trim()
    .regex(MODEL, { error: `must be provider/model, such as ${example}, of the providers ${PROVIDERS.join(', ')}` })
    .nullable()
    .default(null);

/** `off`, or the model that names sessions. */
export const titleModel = z
  .string()
  .trim()
  .regex(new RegExp(`^off$|${MODEL.source}`), {
    error: 'must be off, or provider/model, such as openai/gpt-5-nano',
  })
  .nullable()
  .default(null)
  .transform((value) => ({ enabled: value !== 'off', model: value === 'off' ? null : value }));

/** Chains of fallback models, each for its first model: `a/x>b/y>c/z`, separated by commas or lines. */
export const fallbackChains = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(/[,\n]/)
      .filter((chain) => chain.trim() !== '')
      .map((chain) => chain.split('>').map((model) => model.trim())),
  )
  .refine((chains) => chains.every((chain) => chain.length > 1 && chain.every((model) => MODEL.test(model))), {
    error: `must be chains of models, such as openai/gpt-5>anthropic/claude-sonnet-4-5, of the providers ${PROVIDERS.join(', ')}`,
  })
  .refine((chains) => chains.every((chain) => new Set(chain).size === chain.length), {
    error: 'must name a model once in a chain',
  })
  .refine((chains) => new Set(chains.map(([first]) => first)).size === chains.length, {
    error: 'must have one chain for each first model',
  });

/** Entries, separated by commas or lines. */
const entryList = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(/[,\n]/)
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  );

/** Prices of models in USD per million input and output tokens: `a/x=0.5/2`, separated by commas or lines. */
export const modelPrices = entryList
  .refine((entries) => entries.every((entry) => MODEL.test(entry) && PRICE.test(entry)), {
    error: `must be models with their prices for a million input and output tokens in USD, such as compatible/qwen3:8b=0.1/0.4, of the providers ${PROVIDERS.join(', ')}`,
  })
  .transform((entries) =>
    entries.map((entry) => {
      const [, model = '', input, output] = PRICE.exec(entry) ?? [];
      return { model: model.trim(), input: Number(input), output: Number(output) };
    }),
  );

/** Prices of models without a known price, in USD. Null: their calls are not counted. */
export const DEFAULT_PRICES = {
  DEFAULT_PRICE_TOKENS: z
    .string()
    .regex(/^\s*\d+(?:\.\d+)?\s*\/\s*\d+(?:\.\d+)?\s*$/, {
      error: 'must be the prices of a million input and output tokens in USD, such as 1/4',
    })
    .transform((value) => {
      const [input, output] = value.split('/').map(Number) as [number, number];
      return { input, output };
    })
    .nullable()
    .default(null),
  DEFAULT_PRICE_IMAGE: price('an image'),
  DEFAULT_PRICE_VIDEO: price('a second of video'),
  DEFAULT_PRICE_SPEECH: price('a million characters that are spoken'),
  DEFAULT_PRICE_TRANSCRIPTION: price('an hour of sound that is transcribed'),
};

function price(of: string) {
  return z
    .string()
    .regex(/^\s*\d{1,9}(?:\.\d+)?\s*$/, { error: `must be the price of ${of} in USD, such as 0.5` })
    .transform(Number)
    .nullable()
    .default(null);
}

/** Limits of concurrent calls to single models: `a/x=20`, separated by commas or lines. */
export const modelLimits = entryList
  .refine((entries) => entries.every((entry) => MODEL.test(entry) && LIMIT.test(entry)), {
    error: `must be models with their numbers of concurrent calls, such as openai/gpt-5=20, of the providers ${PROVIDERS.join(', ')}`,
  })
  .transform(
    (entries) =>
      new Map(
        entries.map((entry): [string, number] => {
          const [, model = '', calls] = LIMIT.exec(entry) ?? [];
          return [model.trim(), Number(calls)];
        }),
      ),
  );

const LIMIT = /^(.+)=\s*([1-9]\d{0,5})$/;

const PRICE = /^(.+)=\s*(\d+(?:\.\d+)?)\s*\/\s*(\d+(?:\.\d+)?)$/;
