import { findKind, type JobKind, KINDS, POOLS } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { RedisConnection } from '@chorus/events';
import {
  calledLane,
  createQueuePlaces,
  jobDataOf,
  laneOfExecution,
  type QueueName,
  type QueueShards,
  sharerOf,
  sideOf,
  type WaitLimit,
} from '@chorus/executions';
import type { Queues } from './queues.ts';

/** Limits how far one job can move its user back in the line. */
const MAX_COST = 1_000;

interface Joining {
  earlierAttempts?: number;
  isAwaited?: boolean;
  hub?: string | undefined;
  source?: string | undefined;
  limit?: WaitLimit | null;
}

/** Where jobs were queued, and the lane that the last of them waits for. Null: none. */
export interface Joined {
  queue: QueueName;
  awaited: string | null;
}

/** Queues jobs so that users take turns, and none exceeds their share of the places. */
export function createFairLine(redis: RedisConnection, queues: Queues, shards: QueueShards) {
  const places = createQueuePlaces(redis);

  const home = (record: Pick<ExecutionRecord, 'kind' | 'model' | 'owner'>): QueueName => {
    const side = laneOfExecution(record) === null ? 'places' : 'lanes';
    return shards.home(poolOf(record), side, record.owner.user_id);
  };

  return {
    places,

    /** Returns the queue of an execution's new job. */
    home,

    /**
     * Queues jobs of one pool, lane, sharer, and batch in one round trip. Skips those that are queued already.
     *
     * @param earlierAttempts number of attempts that the executions have had
     * @param isAwaited whether a client waits for them, so that they never count as bulk
     * @param hub channel of the event hub that follows them from the start; empty: none. Default: unknown
     * @param source kind of their source: jobs of different sources are different bulks
     * @param limit bounds their wait for a provider; null: something else does
     */
    async join(
      records: readonly ExecutionRecord[],
      { earlierAttempts = 0, isAwaited = false, hub, source = '', limit = null }: Joining = {},
    ): Promise<Joined | null> {
      const [first] = records;
      if (!first) return null;
      const jobs = records.map((record) => ({
        id: record.id,
        cost: costOf(record),
        kind: record.kind,
        calls: calledLane(record),
        data: JSON.stringify(jobDataOf(record, earlierAttempts, hub)),
      }));
      const mayComeInBulk = !isAwaited && first.batch_id === null && findKind(first.kind)?.comesInBulk === true;
      const sender = mayComeInBulk ? `${first.api_key_id ?? 'login'} ${source}` : null;
      const lane = laneOfExecution(first);
      const origin = lane === null ? sender : first.batch_id;
      const sharer = sharerOf(first.owner, first.batch_id, lane);
      const queue = home(first);
      const [waits] = await Promise.all([places.enqueue(queue, sharer, jobs, origin, limit), shards.note()]);
      return { queue, awaited: waits ? (lane ?? calledLane(first)) : null };
    },

    /** Removes a job from its queue. Returns false if a worker holds it. */
    async leave(record: Pick<ExecutionRecord, 'id' | 'kind' | 'model' | 'owner' | 'batch_id'>): Promise<boolean> {
      const names = await shards.mayHold(poolOf(record), record.owner.user_id);
      const left = names.map(async (name) => {
        if ((await queues.of(name).remove(record.id)) === 0) return false;
        const lane = sideOf(name) === 'lanes' ? laneOfExecution(record) : null;
        await places.leave(name, sharerOf(record.owner, record.batch_id, lane), record.id);
        return true;
      });
      return (await Promise.all(left)).every(Boolean);
    },

    async forget(userId: string): Promise<void> {
      for (const pool of POOLS)
        for (const name of await shards.mayHold(pool, userId)) await places.forget(name, userId);
    },
  };
}

export type FairLine = ReturnType<typeof createFairLine>;

const poolOf = ({ kind }: Pick<ExecutionRecord, 'kind'>) => KINDS[kind as JobKind].pool;

/** Returns the number of turns a job takes. An invalid input costs 1: its worker will refuse it. */
function costOf({ kind, input }: ExecutionRecord): number {
  const definition = findKind(kind);
  if (!definition?.cost) return 1;
  const parsed = definition.input.safeParse(input);
  return parsed.success ? Math.min(MAX_COST, Math.max(1, definition.cost(parsed.data))) : 1;
}
