import { setTimeout as pause } from 'node:timers/promises';
import { PROVIDERS, type ProviderName, providerOf } from '@chorus/contract';
import type { RedisConnection } from '@chorus/events';
import { createLanes, type Lanes } from '@chorus/lanes';
import type { Logger } from '@chorus/runtime/log';
import type { CallObserver } from './call-observer.ts';
import type { ProviderSettings } from './provider-port.ts';
import { createProviders, type Providers } from './providers.ts';
import { type DefaultPrices, type ModelPrice, usePrices } from './usage/prices.ts';
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
  defaultPrices?: DefaultPrices;
}

interface Connections {
  redis: RedisConnection;
  subscriber: RedisConnection;
  database: { providerKeys: ProviderKeyStore };
  log: Logger;
  /** The lease of this process. If it ends, others free the process's calls. */
  lease?: { id: string };
  /** Observes calls, for metrics and traces. */
  observer?: CallObserver;
}

/** Providers whose calls go through lanes that all processes share. */
export type OpenedProviders = Providers & { lanes: Pick<Lanes, 'enter' | 'onState' | 'read'> };

/** Pauses before lanes are resumed after a change of their key. */
const RESUME_AFTER_MS = [0, 1_000, 2_000, 4_000, 8_000];

/** Whether a provider has a key or an address that it did not have before. */
function isNew({ apiKey, baseUrl }: ProviderSettings, before: ProviderSettings | undefined): boolean {
  return (Boolean(apiKey) && apiKey !== before?.apiKey) || (baseUrl !== null && baseUrl !== before?.baseUrl);
}

/** Resumes the lanes of a provider that are still stopped since a key was refused. */
async function resumeRefused(lanes: Pick<Lanes, 'read' | 'resume'>, provider: ProviderName): Promise<void> {
  const refused = (await lanes.read()).filter(
    ({ lane, reason, halfOpen }) => providerOf(lane) === provider && reason === 'key' && !halfOpen,
  );
  await Promise.all(refused.map(({ lane }) => lanes.resume(lane)));
}

/** Loads the providers of a process. Stored keys take effect immediately, and resume what a refused key has paused. */
export async function openProviders(
  config: ProvidersConfig,
  { redis, subscriber, database, log, lease, observer }: Connections,
): Promise<OpenedProviders> {
  usePrices(config.modelPrices, config.defaultPrices);
  const limits = (lane: string) =>
    config.modelLimits.get(lane) ?? config.providers[providerOf(lane) as ProviderName]?.maxConcurrency ?? null;
  const queues = (lane: string) => providerOf(lane) === 'compatible';
  const lanes = createLanes({ redis, subscriber, limits, queues, log, ...(lease && { process: lease.id }) });
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
  // Calls that began with the former key may be refused after the change, here or in other processes.
  const resume = async (name: ProviderName, settings: ProviderSettings, isStart: boolean): Promise<void> => {
    for (const pauseMs of RESUME_AFTER_MS) {
      await pause(pauseMs, undefined, { ref: false });
      if (isClosed || !current || isNew(settings, current[name])) return;
      try {
        if (pauseMs === 0 && !isStart) await lanes.resume(name);
        else await resumeRefused(lanes, name);
      } catch (err) {
        log.warn({ err, provider: name }, 'could not resume lanes for a new key');
      }
    }
  };
  const keys = { redis, subscriber, store: database.providerKeys, log };
  let current: Record<ProviderName, ProviderSettings> | null = null;
  let isClosed = false;
  const stopWatching = await watchKeys(keys, config.providers, (settings) => {
    void providers.configure(settings);
    const before = current;
    current = settings;
    for (const name of PROVIDERS)
      if (isNew(settings[name], before?.[name])) void resume(name, settings[name], before === null);
  });
  await providers.ready(); // so that the first published list of models is complete
  return {
    ...providers,
    lanes,
    close() {
      isClosed = true;
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
