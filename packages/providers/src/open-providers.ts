import type { ProviderName } from '@chorus/contract';
import type { RedisConnection } from '@chorus/events';
import type { Logger } from '@chorus/runtime/log';
import { createSharedGates } from './gate/shared-gates.ts';
import type { ProviderSettings } from './provider-port.ts';
import { createProviders, type Providers } from './providers.ts';

export interface ProvidersConfig {
  providers: Record<ProviderName, ProviderSettings & { maxConcurrency: number | null }>;
  providerIdleTimeoutMs: number;
  embeddedModelPath: string | null;
  chat: { fallbacks: readonly (readonly string[])[] };
}

/** Loads the configured providers of a worker process, behind gates shared by all processes. */
export async function openProviders(
  config: ProvidersConfig,
  { redis, subscriber, log }: { redis: RedisConnection; subscriber: RedisConnection; log: Logger },
): Promise<Providers> {
  const limits = Object.fromEntries(Object.entries(config.providers).map(([name, own]) => [name, own.maxConcurrency]));
  const gates = createSharedGates({ redis, subscriber, limits, log });
  const providers = createProviders(config.providers, {
    log,
    idleTimeoutMs: config.providerIdleTimeoutMs,
    fallbacks: config.chat.fallbacks,
    gateOf: gates.gateOf,
    embeddedModelPath: config.embeddedModelPath,
  });
  await providers.ready(); // so that the first published list of models is complete
  return {
    ...providers,
    close() {
      providers.close();
      gates.close();
    },
  };
}
