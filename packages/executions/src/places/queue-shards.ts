import { crc32 } from 'node:zlib';
import { KINDS, type KindDefinition, type Pool } from '@chorus/contract';
import type { RedisConnection } from '@chorus/events';
import { type QueueName, type QueueSide, queueName, SHARDS_KEY } from '../queue-names.ts';

const REFRESH_MS = 2_000;

const NOTE_EVERY_MS = 3_600_000;

/** No job still waits this long after the shard count was changed. */
const FORGET_AFTER_MS = 7 * 86_400_000;

/** Pools with kinds that only wait for a provider. */
const CALLING_POOLS: ReadonlySet<Pool> = new Set(
  Object.values<KindDefinition>(KINDS).flatMap(({ pool, usesPlace }) => (usesPlace?.({}) ? [] : [pool])),
);

const sidesOf = (pool: Pool): readonly QueueSide[] => (CALLING_POOLS.has(pool) ? ['places', 'lanes'] : ['places']);

/**
 * Knows the shards of each pool's queue: those that jobs are queued in now, and those of other shard counts, which
 * may still hold jobs after a change.
 *
 * @param count number of shards that new jobs are queued in
 */
export function createQueueShards(redis: RedisConnection, count: number) {
  let known: { counts: number[]; at: number } | null = null;
  let reading: Promise<number[]> | null = null;
  let notedAt = Number.NEGATIVE_INFINITY;

  const read = async (): Promise<number[]> => {
    // A count of one is not noted.
    const counts = [...new Set([count, 1, ...(await redis.hkeys(SHARDS_KEY)).map(Number)])];
    known = { counts, at: performance.now() };
    return counts;
  };

  /** Returns all counts in use. Refreshes them in the background. */
  const counts = async (): Promise<number[]> => {
    if (known && performance.now() - known.at < REFRESH_MS) return known.counts;
    reading ??= read().finally(() => {
      reading = null;
    });
    if (!known) return reading;
    reading.catch(() => undefined); // the next call reads again
    return known.counts;
  };

  const shardOf = (userId: string, of: number) => crc32(userId) % of;

  return {
    /** Returns the queue of a user's new jobs. */
    home: (pool: Pool, side: QueueSide, userId: string): QueueName => queueName(pool, side, shardOf(userId, count)),
    /** Returns the queues that may hold jobs of a user. */
    async mayHold(pool: Pool, userId: string): Promise<QueueName[]> {
      const shards = new Set((await counts()).map((each) => shardOf(userId, each)));
      return [...shards].flatMap((shard) => sidesOf(pool).map((side) => queueName(pool, side, shard)));
    },
    /** Returns all queues of a pool that may hold jobs. */
    async all(pool: Pool): Promise<QueueName[]> {
      const shards = Array.from({ length: Math.max(...(await counts())) }, (_, shard) => shard);
      return shards.flatMap((shard) => sidesOf(pool).map((side) => queueName(pool, side, shard)));
    },
    /** Announces the count to other processes once an hour, so that they serve and search its shards. */
    async note(): Promise<void> {
      if (count === 1 || performance.now() - notedAt < NOTE_EVERY_MS) return;
      await redis.hset(SHARDS_KEY, count, Date.now());
      notedAt = performance.now();
    },
    /** Forgets counts that have not been used for a week. Returns how many. */
    async forgetUnused(): Promise<number> {
      const noted = Object.entries(await redis.hgetall(SHARDS_KEY));
      const unused = noted.filter(([, at]) => Date.now() - Number(at) > FORGET_AFTER_MS).map(([each]) => each);
      if (unused.length > 0) await redis.hdel(SHARDS_KEY, ...unused);
      return unused.length;
    },
  };
}

export type QueueShards = ReturnType<typeof createQueueShards>;
