import { PROVIDER_KEYS_VERSION, type ProviderName, type StoredProviderKey } from '@chorus/contract';
import { fromRedis, type RedisConnection } from '@chorus/events';
import type { Logger } from '@chorus/runtime/log';
import type { ProviderSettings } from './provider-port.ts';

/** Keys that operators stored. `database.providerKeys` fits. */
export interface ProviderKeyStore {
  open(): Promise<StoredProviderKey[]>;
}

type Settings = Record<ProviderName, ProviderSettings>;

/** Polled, since a subscription can lose a message: a change takes effect within a second. */
const LOOK_EVERY_MS = 250;

/**
 * Applies the stored keys, now and after each change.
 *
 * @param apply gets the settings of the environment, completed by the stored keys
 * @returns stops it
 */
export async function watchKeys(
  { redis, store, log }: { redis: RedisConnection; store: ProviderKeyStore; log: Logger },
  environment: Settings,
  apply: (settings: Settings) => void,
): Promise<() => void> {
  let known: string | null | undefined;
  const look = async () => {
    // Read first: a change meanwhile has another version, and is seen by the next look.
    const version = await fromRedis(redis.get(PROVIDER_KEYS_VERSION));
    if (version === known) return;
    apply(withStored(environment, await store.open()));
    known = version;
  };
  let failed = false;
  const lookSafely = async () => {
    try {
      await look();
      failed = false;
    } catch (err) {
      if (!failed) log.warn({ err }, 'could not read the stored provider keys; trying again');
      failed = true;
    }
  };
  await lookSafely();
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    void lookSafely().finally(() => {
      looking = false;
    });
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Completes settings by stored keys. A key or address of the environment wins. */
export function withStored(environment: Settings, stored: readonly StoredProviderKey[]): Settings {
  const settings = { ...environment };
  for (const { provider, apiKey, baseUrl } of stored) {
    const own = environment[provider as ProviderName];
    if (own === undefined) continue; // of another version
    const isSet = provider === 'compatible' ? own.baseUrl !== null : Boolean(own.apiKey);
    if (!isSet)
      settings[provider as ProviderName] = { ...own, apiKey, baseUrl: baseUrl ?? own.baseUrl, source: 'stored' };
  }
  return settings;
}
