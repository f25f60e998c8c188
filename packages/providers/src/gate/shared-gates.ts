import type { ProviderName } from '@chorus/contract';
import { listenOn, type RedisConnection } from '@chorus/events';
import type { Logger } from '@chorus/runtime/log';
import { z } from 'zod';
import { type CallObserver, NO_OBSERVER } from '../call-observer.ts';
import { Breaker } from './breaker.ts';
import { CallSlots } from './call-slots.ts';
import type { Pass, ProviderGate } from './provider-gate.ts';
import { GATES_CHANNEL, gateSteps } from './steps.ts';

const newsSchema = z.object({
  provider: z.string(),
  failures: z.int().optional(),
  open_ms: z.number().optional(),
  at: z.coerce.number().optional(),
  free: z.boolean().optional(),
});

export interface SharedGates {
  gateOf(provider: ProviderName): ProviderGate;
  /** Stops listening, and the timers. Held slots end with their leases. */
  close(): void;
}

export interface SharedGatesOptions {
  redis: RedisConnection;
  subscriber: RedisConnection;
  /** Concurrent calls over all processes; null or absent means no limit. */
  limits: Partial<Record<ProviderName, number | null>>;
  log: Logger;
  observer?: CallObserver;
}

/** Creates gates shared by all processes through Redis: a breaker and a call limit per provider. */
export function createSharedGates({
  redis,
  subscriber,
  limits,
  log,
  observer = NO_OBSERVER,
}: SharedGatesOptions): SharedGates {
  const breakers = new Map<string, Breaker>();
  const places = new Map<string, CallSlots>();

  const { stop } = listenOn(subscriber, GATES_CHANNEL, {
    onMessage(message) {
      const { data } = newsSchema.safeParse(JSON.parse(message));
      if (!data) return;
      const { provider, free, failures = 0, open_ms: openMs = 0, at = 0 } = data;
      if (free) places.get(provider)?.requestSlots();
      else breakers.get(provider)?.learn({ failures, openMs, at });
    },
    // Until the gates are read again, their last state applies.
    onSubscribed: () => Promise.all(Array.from(breakers.values(), (breaker) => breaker.refresh())),
    log,
  });

  return {
    gateOf(provider) {
      const own = log.child({ provider });
      const steps = gateSteps(redis, provider);
      const breaker = new Breaker(provider, steps, own, (open) => observer.breakerIs(provider, open));
      breakers.set(provider, breaker);
      breaker.refresh().catch((err) => own.warn({ err }, 'could not read gate'));
      const limit = limits[provider] ?? null;
      if (limit === null) return { enter: () => breaker.enter() };
      const taken = new CallSlots(provider, limit, steps, own);
      places.set(provider, taken);
      return {
        async enter(signal, maxWaitMs, user) {
          breaker.check(); // do not wait for a broken provider
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
      stop();
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
