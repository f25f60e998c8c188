import { type Pool, QUEUE_HISTORY_MIN } from '@chorus/contract';
import { fromRedis, type RedisConnection } from '@chorus/events';
import { placeKeys, type QueueName, type QueueShards } from '@chorus/executions';

export interface QueueCounts {
  /** Jobs with a turn. */
  waiting: number;
  /** Jobs without a turn yet, since their users hold a full share. */
  delayed: number;
  running: number;
  /** Places of all workers. */
  places: number;
  /** Jobs that ended in each minute of the last hour, oldest first. */
  finished_by_minute: number[];
}

const MINUTE_MS = 60_000;

/** Counts the jobs of a pool over all shards of its queue. */
export async function countJobs(redis: RedisConnection, shards: QueueShards, pool: Pool): Promise<QueueCounts> {
  const counts = await fromRedis(shards.all(pool).then((names) => Promise.all(names.map((name) => read(redis, name)))));
  const sum = (of: (one: QueueCounts) => number) => counts.reduce((total, one) => total + of(one), 0);
  return {
    waiting: sum(({ waiting }) => waiting),
    delayed: sum(({ delayed }) => delayed),
    running: sum(({ running }) => running),
    places: sum(({ places }) => places),
    finished_by_minute: Array.from({ length: QUEUE_HISTORY_MIN }, (_, at) =>
      sum(({ finished_by_minute }) => finished_by_minute[at] ?? 0),
    ),
  };
}

async function read(redis: RedisConnection, queue: QueueName): Promise<QueueCounts> {
  const keys = placeKeys(queue);
  const now = Math.floor(Date.now() / MINUTE_MS);
  const minutes = Array.from({ length: QUEUE_HISTORY_MIN }, (_, at) => keys.ended(now - QUEUE_HISTORY_MIN + 1 + at));
  const [first, line, delayed, running, size, ended] = await Promise.all([
    redis.llen(keys.wait),
    redis.zcard(keys.line),
    redis.zcard(keys.parked),
    redis.llen(keys.active),
    redis.hget(keys.pool, 'size'),
    redis.mget(minutes),
  ]);
  const finished_by_minute = ended.map((count) => Number(count ?? 0));
  return { waiting: first + line, delayed, running, places: Number(size ?? 0), finished_by_minute };
}
