import type { ProviderName } from '@chorus/contract';
import type { RedisConnection } from '@chorus/events';
import type { Logger } from '@chorus/runtime/log';
import type { CallObserver } from './call-observer.ts';
import { createSharedGates } from './gate/shared-gates.ts';
import { type ModelPrice, usePrices } from './prices.ts';
import type { ProviderSettings } from './provider-port.ts';
import { createProviders, type Providers } from './providers.ts';
import { type ProviderKeyStore, watchKeys } from './watch-keys.ts';

export interface ProvidersConfig {
  providers: Record<ProviderName, ProviderSettings & { maxConcurrency: number | null }>;
  providerIdleTimeoutMs: number;
  embeddedModelPath: string | null;
  modelsFolder: string;
  chat: { fallbacks: readonly (readonly string[])[] };
  modelPrices: readonly ModelPrice[];
}

interface Connections {
  redis: RedisConnection;
  subscriber: RedisConnection;
  database: { providerKeys: ProviderKeyStore };
  log: Logger;
  /** Observes calls, for metrics and traces. */
  observer?: CallObserver;
}

/**
 * Loads the providers of a process, behind gates shared by all processes. Stored keys take effect immediately.
 */
export async function openProviders(
  config: ProvidersConfig,
  { redis, subscriber, database, log, observer }: Connections,
): Promise<Providers> {
  usePrices(config.modelPrices);
  const limits = Object.fromEntries(Object.entries(config.providers).map(([name, own]) => [name, own.maxConcurrency]));
  const gates = createSharedGates({ redis, subscriber, limits, log, ...(observer && { observer }) });
  const providers = createProviders(config.providers, {
    log,
    idleTimeoutMs: config.providerIdleTimeoutMs,
    fallbacks: () => config.chat.fallbacks,
    gateOf: gates.gateOf,
    ...(observer && { observer }),
    embeddedModelPath: config.embeddedModelPath,
    modelsFolder: config.modelsFolder,
  });
  const keys = { redis, subscriber, store: database.providerKeys, log };
  const stopWatching = await watchKeys(keys, config.providers, (settings) => void providers.configure(settings));
  await providers.ready(); // so that the first published list of models is complete
  return {
    ...providers,
    close() {
      stopWatching();
      providers.close();
      gates.close();
    },
  };
}

/** Opens the providers of a worker, and closes them after it. */
export function withProviders<
  Parts extends { config: ProvidersConfig; connections: Connections },
  Started extends { close(): Promise<void> },
>(start: (parts: Parts & { providers: Providers }) => Promise<Started>): (parts: Parts) => Promise<Started> {
  return async (parts) => {
    const providers = await openProviders(parts.config, parts.connections);
    const started = await start({ ...parts, providers });
    return {
      ...started,
      async close() {
        await started.close();
        providers.close();
      },
    };
  };
}
