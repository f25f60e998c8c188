import type { ProviderName } from '@chorus/contract';
import type { RedisConnection } from '@chorus/events';
import type { Logger } from '@chorus/log';
import { z } from 'zod';
import { Breaker } from './breaker.ts';
import { Places } from './places.ts';
import type { Pass, ProviderGate } from './provider-gate.ts';
import { GATES_CHANNEL, gateSteps } from './steps.ts';

const told = z.object({
  provider: z.string(),
  failures: z.int().optional(),
  open_ms: z.number().optional(),
  at: z.coerce.number().optional(),
  free: z.boolean().optional(),
});

export interface SharedGates {
  gateOf(provider: ProviderName): ProviderGate;
  /** Ends the timers; places that are held end with their leases. */
  close(): void;
}

export interface SharedGatesOptions {
  /** For commands. */
  redis: RedisConnection;
  /** For messages alone. */
  subscriber: RedisConnection;
  /** Calls at once, over all processes; null or absent: any number. */
  limits: Partial<Record<ProviderName, number | null>>;
  log: Logger;
}

/** Gates that all processes share by Redis: a breaker for each provider, and its limit of concurrent calls. */
export function createSharedGates({ redis, subscriber, limits, log }: SharedGatesOptions): SharedGates {
  const breakers = new Map<string, Breaker>();
  const places = new Map<string, Places>();

  // What was told while the connection was away is read again; until then the last known state stands.
  const listen = () =>
    subscriber
      .subscribe(GATES_CHANNEL)
      .then(() => Promise.all([...breakers.values()].map((breaker) => breaker.refresh())))
      .catch((err) => log.warn({ err }, 'gates not refreshed'));
  subscriber.on('ready', listen);
  if (subscriber.status === 'ready') void listen();
  subscriber.on('message', (channel: string, message: string) => {
    if (channel !== GATES_CHANNEL) return;
    const { data } = told.safeParse(JSON.parse(message));
    if (!data) return;
    const { provider, free, failures = 0, open_ms: openMs = 0, at = 0 } = data;
    if (free) places.get(provider)?.look();
    else breakers.get(provider)?.learn({ failures, openMs, at });
  });

  return {
    gateOf(provider) {
      const own = log.child({ provider });
      const steps = gateSteps(redis, provider);
      const breaker = new Breaker(provider, steps, own);
      breakers.set(provider, breaker);
      breaker.refresh().catch((err) => own.warn({ err }, 'gate not read'));
      const limit = limits[provider] ?? null;
      if (limit === null) return { enter: () => breaker.enter() };
      const taken = new Places(provider, limit, steps, own);
      places.set(provider, taken);
      return {
        async enter(signal, maxWaitMs, user) {
          breaker.check(); // nobody waits for a place at a provider that is broken
          const give = await taken.take(signal, maxWaitMs, user);
          try {
            return withPlace(await breaker.enter(), give);
          } catch (error) {
            give();
            throw error;
          }
        },
      };
    },
    close() {
      for (const one of places.values()) one.close();
    },
  };
}

function withPlace(pass: Pass, give: () => void): Pass {
  return {
    ...pass,
    leave() {
      pass.leave();
      give();
    },
  };
}
