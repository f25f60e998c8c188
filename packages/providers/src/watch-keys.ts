import type { ProviderName, StoredProviderKey } from '@chorus/contract';
import { followSettings, type SettingsConnections } from '@chorus/events';
import type { ProviderSettings } from './provider-port.ts';

/** Keys stored by operators: `database.providerKeys`. */
export interface ProviderKeyStore {
  open(): Promise<StoredProviderKey[]>;
}

type Settings = Record<ProviderName, ProviderSettings>;

/**
 * Applies the stored keys, now and after each change.
 *
 * @param apply Receives the settings of the environment, completed with stored keys.
 * @returns A function that stops watching.
 */
export function watchKeys(
  { store, ...connections }: SettingsConnections & { store: ProviderKeyStore },
  environment: Settings,
  apply: (settings: Settings) => void,
): Promise<() => void> {
  const load = async () => apply(withStored(environment, await store.open()));
  return followSettings(connections, 'provider_keys', load);
}

/** Fills in settings from stored keys. A key or address in the environment takes precedence. */
export function withStored(environment: Settings, stored: readonly StoredProviderKey[]): Settings {
  const settings = { ...environment };
  for (const { provider, apiKey, baseUrl } of stored) {
    const own = environment[provider as ProviderName];
    if (own === undefined) continue; // from another version of Chorus
    const isSet = provider === 'compatible' ? own.baseUrl !== null : Boolean(own.apiKey);
    if (!isSet)
      settings[provider as ProviderName] = { ...own, apiKey, baseUrl: baseUrl ?? own.baseUrl, source: 'stored' };
  }
  return settings;
}
