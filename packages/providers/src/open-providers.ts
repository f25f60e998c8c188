import { PROVIDERS, type ProviderName, providerOf } from '@chorus/contract';
import type { RedisConnection } from '@chorus/events';
import { createLanes, type Lanes } from '@chorus/lanes';
import type { Logger } from '@chorus/runtime/log';
import type { CallObserver } from './call-observer.ts';
import { type ModelPrice, usePrices } from './prices.ts';
import type { ProviderSettings } from './provider-port.ts';
import { createProviders, type Providers } from './providers.ts';
import { type ProviderKeyStore, watchKeys } from './watch-keys.ts';

export interface ProvidersConfig {
  providers: Record<ProviderName, ProviderSettings & { maxConcurrency: number | null }>;
  /** Limits of single models. They win over those of their providers. */
  modelLimits: ReadonlyMap<string, number>;
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

/** Providers whose calls go through lanes that all processes share. */
export type OpenedProviders = Providers & { lanes: Pick<Lanes, 'onState' | 'read'> };

/** Loads the providers of a process. Stored keys take effect immediately, and resume what a refused key has paused. */
export async function openProviders(
  config: ProvidersConfig,
  { redis, subscriber, database, log, observer }: Connections,
): Promise<OpenedProviders> {
  usePrices(config.modelPrices);
  const limits = (lane: string) =>
    config.modelLimits.get(lane) ?? config.providers[providerOf(lane) as ProviderName]?.maxConcurrency ?? null;
  const lanes = createLanes({ redis, subscriber, limits, log });
  lanes.onState((lane, { reason }) => observer?.breakerIs(providerOf(lane), reason === 'away'));
  const providers = createProviders(config.providers, {
    log,
    idleTimeoutMs: config.providerIdleTimeoutMs,
    fallbacks: () => config.chat.fallbacks,
    gate: lanes,
    ...(observer && { observer }),
    embeddedModelPath: config.embeddedModelPath,
    modelsFolder: config.modelsFolder,
  });
  const keys = { redis, subscriber, store: database.providerKeys, log };
  let current: Record<ProviderName, ProviderSettings> | null = null;
  const stopWatching = await watchKeys(keys, config.providers, (settings) => {
    void providers.configure(settings);
    const changed = PROVIDERS.filter(
      (name) => settings[name].apiKey && settings[name].apiKey !== current?.[name].apiKey,
    );
    current = settings;
    for (const name of changed)
      lanes
        .resume(name)
        .catch((err) => log.warn({ err, provider: name }, 'lanes stay as they were for the former key'));
  });
  await providers.ready(); // so that the first published list of models is complete
  return {
    ...providers,
    lanes,
    close() {
      stopWatching();
      providers.close();
      lanes.close();
    },
  };
}

/** Opens the providers of a worker, and closes them after it. */
export function withProviders<
  Parts extends { config: ProvidersConfig; connections: Connections },
  Started extends { close(): Promise<void> },
>(start: (parts: Parts & { providers: OpenedProviders }) => Promise<Started>): (parts: Parts) => Promise<Started> {
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
