import { isStopReason } from '@chorus/contract';
import type { Database, ExecutionRecord } from '@chorus/database';
import { ANY_ATTEMPT, type EventLog, type RedisConnection } from '@chorus/events';
import {
  type Budgets,
  endExpired,
  placeKeys,
  type QueueName,
  type QueuePlaces,
  type WaitLimit,
} from '@chorus/executions';
import { LaneWait, readLanes } from '@chorus/lanes';
import type { Logger } from '@chorus/runtime/log';
import type { Joined } from './fair-line.ts';

export interface WaitLimits {
  /** How long an execution may wait for its provider while a client waits for it. Default: 30 s. */
  providerWaitMs?: number;
}

const PROVIDER_WAIT_MS = 30_000;

/** The same without a waiting client. */
const UNAWAITED_MS = 86_400_000;

/** When another model takes over. */
const FALLBACK_MS = 2_000;

/** Shorter waits are not shown. */
const SHOW_AFTER_MS = 250;

const RETRY_MS = 1_000;

/** `execution.queued` is the first event of each log. */
const QUEUED_SEQ = 1;

export interface ProviderWaitsParts {
  database: Database;
  redis: RedisConnection;
  eventLog: EventLog;
  places: QueuePlaces;
  limits: WaitLimits;
  fallbacks?: () => readonly (readonly string[])[];
  budgets?: Pick<Budgets, 'charge'>;
  log: Logger;
}

/** Bounds and shows how long work waits for its provider. */
export function createProviderWaits(parts: ProviderWaitsParts) {
  const { redis, eventLog, limits, fallbacks = () => [], budgets, log } = parts;
  const timers = new Map<QueueName, { timer: NodeJS.Timeout; at: number }>();
  const showing = new Set<NodeJS.Timeout>();

  const arm = (queue: QueueName, inMs: number): void => {
    const at = performance.now() + inMs;
    const armed = timers.get(queue);
    if (armed && armed.at <= at) return;
    clearTimeout(armed?.timer);
    const timer = setTimeout(() => {
      timers.delete(queue);
      endExpired({ ...parts, charge: budgets?.charge }, queue).then(
        (nextMs) => {
          if (nextMs !== null) arm(queue, nextMs);
        },
        (err) => {
          log.warn({ err, queue }, 'ending waits failed');
          arm(queue, RETRY_MS);
        },
      );
    }, inMs);
    timers.set(queue, { timer: timer.unref(), at });
  };

  const show = async (id: string, lane: string, queue: QueueName): Promise<void> => {
    const [state] = await readLanes(redis, [lane]);
    if (!state) return;
    const { waiting } = LaneWait.of(lane, state);
    // If it has never answered, an operator must act first, which takes longer than people wait.
    if (isStopReason(waiting.reason) && !state.hasAnswered) {
      await redis.zadd(placeKeys(queue).expiry, 'XX', 0, id);
      return arm(queue, 0);
    }
    // Refused once a worker has begun.
    await eventLog.append(id, ANY_ATTEMPT, QUEUED_SEQ, [{ type: 'execution.waiting', ...waiting }]);
  };

  return {
    /**
     * Returns how long an execution may wait. Null: its batch decides.
     *
     * @param awaitedMs How long a client waits for it. Undefined: until it ends.
     */
    limitOf(record: ExecutionRecord, isAwaited = false, awaitedMs = Number.POSITIVE_INFINITY): WaitLimit | null {
      if (record.batch_id !== null) return null;
      const ms = isAwaited ? Math.min(limits.providerWaitMs ?? PROVIDER_WAIT_MS, awaitedMs) : UNAWAITED_MS;
      if (ms > FALLBACK_MS && hasFallback(record, fallbacks())) return { ms: FALLBACK_MS, after: 'run' };
      return { ms, after: 'end' };
    },

    /** Notes that an execution was queued. If it waits for its provider, shows that, and ends the wait in time. */
    joined(joined: Joined | null, record: ExecutionRecord, limit: WaitLimit | null, isAwaited: boolean): void {
      const { id } = record;
      if (!joined?.awaited || limit === null) return;
      const { queue, awaited: lane } = joined;
      arm(queue, limit.ms);
      if (!isAwaited) return;
      const timer = setTimeout(() => {
        showing.delete(timer);
        show(id, lane, queue).catch((err) => log.debug({ err, execution_id: id }, 'showing a wait failed'));
      }, SHOW_AFTER_MS);
      showing.add(timer);
    },

    close(): void {
      for (const { timer } of timers.values()) clearTimeout(timer);
      for (const timer of showing) clearTimeout(timer);
    },
  };
}

function hasFallback({ model, input }: ExecutionRecord, chains: readonly (readonly string[])[]): boolean {
  const { fallbacks } = input as { fallbacks?: unknown };
  return (Array.isArray(fallbacks) && fallbacks.length > 0) || chains.some(([first]) => first === model);
}
