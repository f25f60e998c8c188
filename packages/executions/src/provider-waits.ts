import { jobData, providerOf } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { EventLog, RedisConnection } from '@chorus/events';
import { LaneWait, readLanes } from '@chorus/lanes';
import { failedOutcome } from './outcome.ts';
import type { QueuePlaces } from './places/queue-places.ts';
import type { QueueName } from './queue-names.ts';
import { endFromOutside, type SettleStore } from './settle.ts';

export interface ExpiryParts {
  database: SettleStore;
  redis: RedisConnection;
  eventLog: EventLog;
  places: Pick<QueuePlaces, 'expire'>;
  charge?: ((execution: ExecutionRecord) => void) | undefined;
}

/**
 * Ends executions that have waited for their provider as long as they may. If this process dies in between, the sweep
 * queues them again. Returns when to call this again; null: none waits.
 */
export async function endExpired(parts: ExpiryParts, queue: QueueName): Promise<number | null> {
  const { database, redis, eventLog, places, charge } = parts;
  const { dueMs, ended } = await places.expire(queue);
  const waits = new Map<string, LaneWait>();
  for (const { id, data: json } of ended) {
    const { data } = jobData.safeParse(JSON.parse(json));
    if (!data) continue; // the sweep ends it
    const { lane, owner, request_id } = data;
    if (!lane) continue;
    const wait = waits.get(lane) ?? (await waitIn(redis, lane));
    waits.set(lane, wait);
    const outcome = failedOutcome(wait, request_id, { model: lane, provider: providerOf(lane) });
    const record = await endFromOutside(database, eventLog, { owner, id, outcome });
    if (record) charge?.(record);
  }
  return dueMs;
}

async function waitIn(redis: RedisConnection, lane: string): Promise<LaneWait> {
  const [state] = await readLanes(redis, [lane]);
  return LaneWait.of(lane, state ?? { reason: null, closedMs: 0 });
}
