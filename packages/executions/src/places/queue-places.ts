import type { Owner, Pool } from '@chorus/contract';
import { defineScript, type RedisConnection } from '@chorus/events';
import { queuePrefix } from '../queue-names.ts';
import { FORGET, GIVE_BACK, JOIN, LEAVE, NUMBER_OF_KEYS, REGISTER, WANTED } from './steps.ts';

/** How long a job may hold its place while others wait: of a user who holds several places, and of one who holds a single one. */
const SLICE_MS = 2_000;
const ONLY_SLICE_MS = 5_000;

/** Field of a job: how long it had run when it gave its place back. */
export const RAN_MS = 'ran_ms';

/** Whose turns jobs take: a user's single jobs, and beside them the user's batches. Both share the user's places. */
export function sharerOf({ user_id }: Pick<Owner, 'user_id'>, batchId: string | null): string {
  return batchId === null ? user_id : `${user_id}|batches`;
}

/** Redis keys of a pool, in the slot of its queue. */
export const placeKeys = (pool: Pool) => {
  const base = `${queuePrefix(pool)}:${pool}:`;
  const fair = `${queuePrefix(pool)}:fair:`;
  return {
    /** What the keys of jobs begin with. */
    base,
    fair,
    /** Jobs that are taken before all others: their worker died, or handed them back. */
    wait: `${base}wait`,
    line: `${base}prioritized`,
    active: `${base}active`,
    /** Jobs of users who hold their share: they have no turn yet. */
    parked: `${base}delayed`,
    marker: `${base}marker`,
    clock: `${fair}clock`,
    ends: `${fair}ends`,
    /** Sharers with parked jobs. */
    waiting: `${fair}waiting`,
    /** `size`: places of all workers; absent until the first has started. */
    pool: `${fair}pool`,
    /** Parked jobs of a sharer, in their order. */
    queue: (sharer: string) => `${fair}queue:${sharer}`,
    /** Jobs of a sharer's user that have their turn or run. */
    open: (sharer: string) => `${fair}open:${sharer.split('|', 1)[0]}`,
  };
};

/** Turns and places of the jobs of each pool, over all processes. Each step is one round trip. */
export function createQueuePlaces(redis: RedisConnection) {
  const define = (name: string, lua: string) => {
    const run = defineScript(redis, `chorusPlaces${name}`, lua, NUMBER_OF_KEYS);
    return (pool: Pool, ...args: (string | number)[]) => {
      const { line, active, clock, ends, wait, parked, marker, waiting, pool: size, base, fair } = placeKeys(pool);
      return run(line, active, clock, ends, wait, parked, marker, waiting, size, base, fair, ...args);
    };
  };
  const join = define('Join', JOIN);
  const leave = define('Leave', LEAVE);
  const giveBack = define('GiveBack', GIVE_BACK);
  const wanted = define('Wanted', WANTED);
  const register = define('Register', REGISTER);
  const forget = define('Forget', FORGET);
  return {
    /** Gives jobs that were just added their turns, or parks them. Those that are not new are left alone. */
    join: (pool: Pool, sharer: string, jobs: readonly { id: string; cost: number }[]) =>
      join(pool, sharer, ...jobs.flatMap(({ id, cost }) => [id, cost])),
    /** Frees the place of a job that is about to end, unless another attempt has its lock; to be sent right before its end. */
    end: (pool: Pool, sharer: string, id: string, token: string) => leave(pool, sharer, id, 1, token),
    /** Forgets a job that was taken out of the queue. */
    leave: (pool: Pool, sharer: string, id: string) => leave(pool, sharer, id, 0),
    /** Has a job that was moved back to the line wait for its next turn. */
    giveBack: (pool: Pool, sharer: string, id: string) => giveBack(pool, sharer, id, Date.now()),
    /** Whether a job that has run for `ranMs` should give its place back, since others wait for one. */
    wanted: async (pool: Pool, sharer: string, ranMs: number): Promise<boolean> =>
      ranMs >= SLICE_MS && (await wanted(pool, sharer, Math.floor(ranMs), SLICE_MS, ONLY_SLICE_MS)) === 1,
    /** Says how many places a worker process has; 0: it goes. To be repeated every few seconds. */
    register: (pool: Pool, worker: string, places: number) => register(pool, worker, places),
    /** Forgets a user's turns and places. */
    forget: (pool: Pool, userId: string) => forget(pool, userId),
  };
}

export type QueuePlaces = ReturnType<typeof createQueuePlaces>;
