import { JOBS, type JobKind, type Owner, POOLS, type Pool, scopeKey } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { defineScript, type RedisConnection } from '@chorus/events';
import { jobDataOf, queuePrefix } from '@chorus/executions';
import { Job } from 'bullmq';
import { costOf } from './job-cost.ts';
import { JOB_OPTIONS, type JobQueue, type Queues } from './queues.ts';

/** The priority that a job is added with, behind all that have a turn: BullMQ's largest that its scores still tell apart. */
const BEHIND_ALL = 2 ** 21 - 1;

/** How many jobs of one turn keep the order in which they came. */
export const SAME_TURN = 2 ** 20;

/** Debts and counts of who has queued nothing for so long are forgotten, in seconds. */
const FORGET_AFTER_S = 86_400;

/**
 * Start-time fair queueing (Goyal, Vin and Cheng, 1996). A job's turn is where its owner's last job ends, or the turn that is being served
 * if that is later; it ends after as many turns as it costs. Since it follows the adding within one transaction, nobody sees a job without its turn.
 *
 * KEYS: the line (BullMQ's `prioritized`), active jobs, clock, ends, who waits of this owner. ARGV: owner, then id and cost of each job.
 */
const GIVE_TURNS = `
local line, active, clock, ends, mine = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local behind, width, last = ${BEHIND_ALL} * 4294967296, ${SAME_TURN}, 8589930496
local owner = ARGV[1]
local seen = redis.call('HMGET', clock, 'latest', 'count')
local latest, count = tonumber(seen[1] or 0), tonumber(seen[2] or 0)
local head = redis.call('ZRANGE', line, 0, 0, 'WITHSCORES')
local now = latest
if head[2] and tonumber(head[2]) < behind then
  now = math.floor(tonumber(head[2]) / width)
elseif redis.call('LLEN', active) == 0 then
  -- Nobody competes: whatever somebody owes is forgiven, and a clock that has run for months is set back.
  local furthest = redis.call('ZREVRANGE', ends, 0, 0, 'WITHSCORES')
  now = math.max(latest, tonumber(furthest[2] or 0))
  if now > last / 2 then now = 0 end
  latest = now
  redis.call('DEL', ends, mine)
end
redis.call('ZREMRANGEBYSCORE', ends, '-inf', now)
redis.call('ZREMRANGEBYSCORE', mine, '-inf', '(' .. now)
local free = math.max(now, tonumber(redis.call('ZSCORE', ends, owner) or 0))
for at = 2, #ARGV, 2 do
  local score = redis.call('ZSCORE', line, ARGV[at])
  -- One that is not new has its turn, or had it.
  if score and tonumber(score) >= behind then
    local turn = math.min(free, last)
    count = (count + 1) % width
    redis.call('ZADD', line, string.format('%.0f', turn * width + count), ARGV[at])
    redis.call('ZADD', mine, turn, ARGV[at])
    latest = math.max(latest, turn)
    free = turn + tonumber(ARGV[at + 1])
  end
end
redis.call('ZADD', ends, free, owner)
redis.call('HSET', clock, 'latest', string.format('%.0f', latest), 'count', count)
for _, key in ipairs({clock, ends, mine}) do redis.call('EXPIRE', key, ${FORGET_AFTER_S}) end
`;

/** KEYS: ends, who waits of this owner. ARGV: owner, id. Whoever has nothing waiting any more owes nothing for what was taken back. */
const LEAVE = `
redis.call('ZREM', KEYS[2], ARGV[2])
if redis.call('ZCARD', KEYS[2]) == 0 then redis.call('ZREM', KEYS[1], ARGV[1]) end
`;

/** Who shares in a pool: a scope, and beside it the scope's batches, so that a batch does not hold up its owner's single jobs. */
export function sharerOf(owner: Owner, batchId: string | null): string {
  return batchId === null ? scopeKey(owner) : batchesOf(scopeKey(owner));
}

const batchesOf = (scope: string) => `${scope}|batches`;

/** Redis keys of a pool's line, in the slot of its queue. */
export const lineKeys = (pool: Pool, sharer: string) => {
  const base = `${queuePrefix(pool)}:${pool}:`;
  return {
    /** What the keys of jobs begin with. */
    base,
    /** Jobs that are to be taken before all others: those whose worker died or handed them back. */
    wait: `${base}wait`,
    line: `${base}prioritized`,
    active: `${base}active`,
    clock: `${queuePrefix(pool)}:fair:clock`,
    ends: `${queuePrefix(pool)}:fair:ends`,
    mine: `${queuePrefix(pool)}:fair:of:${sharer}`,
  };
};

/** Puts jobs into the queues so that those who share a pool take turns, however many one of them brings. */
export function createFairLine(redis: RedisConnection, queues: Queues) {
  const giveTurns = defineScript(redis, 'chorusGiveTurns', GIVE_TURNS, 5);
  const leave = defineScript(redis, 'chorusLeaveLine', LEAVE, 2);

  return {
    /**
     * Queues jobs of one pool and one sharer, in one round trip. One that is queued already is left alone.
     *
     * @param earlierAttempts that the executions have had
     */
    async join(records: readonly ExecutionRecord[], earlierAttempts = 0): Promise<void> {
      const [first] = records;
      if (!first) return;
      const pool = poolOf(first);
      const sharer = sharerOf(first.owner, first.batch_id);
      const queue = queues.of(pool);
      const client = await queue.getBackend().client;
      // All are sent in this order, and so done in it: a worker that is quicker than the last finds a job that is behind all others.
      const adding = records.map((record) => enqueue(queue, record, earlierAttempts, client));
      const { line, active, clock, ends, mine } = lineKeys(pool, sharer);
      const jobs = records.flatMap((record) => [record.id, costOf(record)]);
      await Promise.all([...adding, giveTurns(line, active, clock, ends, mine, sharer, ...jobs)]);
    },

    /** Forgets the turn of a job that was taken out of its queue. */
    async leave({
      id,
      kind,
      owner,
      batch_id,
    }: Pick<ExecutionRecord, 'id' | 'kind' | 'owner' | 'batch_id'>): Promise<void> {
      const sharer = sharerOf(owner, batch_id);
      const { ends, mine } = lineKeys(poolOf({ kind }), sharer);
      await leave(ends, mine, sharer, id);
    },

    /** Forgets all that is known of a scope, by its key. */
    async forget(scope: string): Promise<void> {
      for (const pool of POOLS) {
        for (const sharer of [scope, batchesOf(scope)]) {
          const { ends, mine } = lineKeys(pool, sharer);
          await redis.del(mine);
          await redis.zrem(ends, sharer);
        }
      }
    },
  };
}

export type FairLine = ReturnType<typeof createFairLine>;

const poolOf = ({ kind }: Pick<ExecutionRecord, 'kind'>): Pool => JOBS[kind as JobKind].pool;

type Client = Awaited<ReturnType<JobQueue['getBackend']>['client']>;

/** Sends the command before it returns. */
function enqueue(queue: JobQueue, record: ExecutionRecord, earlierAttempts: number, client: Client): Promise<unknown> {
  const options = { ...JOB_OPTIONS, jobId: record.id, priority: BEHIND_ALL };
  return new Job(queue, record.kind, jobDataOf(record, earlierAttempts), options, record.id).addJob(client);
}
