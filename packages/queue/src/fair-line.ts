import { findKind, type JobKind, KINDS, POOLS, type Pool } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { RedisConnection } from '@chorus/events';
import { createQueuePlaces, jobDataOf, sharerOf } from '@chorus/executions';
import { JOB_OPTIONS } from './queues.ts';

/** Limits how far one job can move its user back in the line. */
const MAX_COST = 1_000;

const OPTIONS = JSON.stringify(JOB_OPTIONS);

interface Joining {
  earlierAttempts?: number;
  isAwaited?: boolean;
  hub?: string | undefined;
  source?: string | undefined;
}

/** Queues jobs so that users take turns, and none exceeds their share of the places. */
export function createFairLine(redis: RedisConnection) {
  const places = createQueuePlaces(redis);

  return {
    /**
     * Queues jobs of one pool and one sharer in one round trip. Skips those that are queued already.
     *
     * @param earlierAttempts number of attempts that the executions have had
     * @param isAwaited whether a client waits for them, so that they are no bulk
     * @param hub channel of the event hub that follows them from the start; empty: none. Default: unknown
     * @param source kind of their source: jobs of different sources are different bulks
     */
    async join(
      records: readonly ExecutionRecord[],
      { earlierAttempts = 0, isAwaited = false, hub, source = '' }: Joining = {},
    ): Promise<void> {
      const [first] = records;
      if (!first) return;
      const jobs = records.map((record) => ({
        id: record.id,
        cost: costOf(record),
        kind: record.kind,
        data: JSON.stringify(jobDataOf(record, earlierAttempts, hub)),
      }));
      const mayComeInBulk = !isAwaited && first.batch_id === null && findKind(first.kind)?.comesInBulk === true;
      const origin = mayComeInBulk ? `${first.api_key_id ?? 'login'} ${source}` : null;
      const sharer = sharerOf(first.owner, first.batch_id);
      await places.enqueue(poolOf(first), sharer, jobs, { options: OPTIONS, origin });
    },

    async leave(record: Pick<ExecutionRecord, 'id' | 'kind' | 'owner' | 'batch_id'>): Promise<void> {
      await places.leave(poolOf(record), sharerOf(record.owner, record.batch_id), record.id);
    },

    async forget(userId: string): Promise<void> {
      for (const pool of POOLS) await places.forget(pool, userId);
    },
  };
}

export type FairLine = ReturnType<typeof createFairLine>;

const poolOf = ({ kind }: Pick<ExecutionRecord, 'kind'>): Pool => KINDS[kind as JobKind].pool;

/** Returns the number of turns a job takes. An invalid input costs 1: its worker will refuse it. */
function costOf({ kind, input }: ExecutionRecord): number {
  const definition = findKind(kind);
  if (!definition?.cost) return 1;
  const parsed = definition.input.safeParse(input);
  return parsed.success ? Math.min(MAX_COST, Math.max(1, definition.cost(parsed.data))) : 1;
}
