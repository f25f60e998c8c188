import type { Owner } from '@chorus/contract';
import { defineScript, type RedisConnection } from '@chorus/events';
import { joinCalls } from '@chorus/runtime/timing';
import { type QueueName, queuePrefix, sideOf } from '../queue-names.ts';
import { ENQUEUE, FINISH, GIVE_BACK, HAND_BACK, LEAVE, TAKE } from './job-steps.ts';
import { LANE_TURNS } from './lane-turns.ts';
import { DISOWN, FORGET, KEEP, REGISTER, WANTED } from './place-steps.ts';
import { PLACE_TURNS } from './place-turns.ts';
import { CRASH_FIELDS, NUMBER_OF_KEYS } from './queue-keys.ts';
import { EXPIRE, RESUME, SET_LANE, WAIT } from './wait-steps.ts';

/** Time slices while others wait, for a user with several places and for a user with one. */
const SLICE_MS = 2_000;
const ONLY_SLICE_MS = 5_000;

/** Number of a user's latest waiting jobs that are singles. Earlier ones form a bulk, which takes turns with them. */
const MAX_PARKED_SINGLES = 8;

/** Maximum number of calls that share a step. It blocks Redis for about a millisecond. */
const MAX_JOINED = 16;

/** Crashed and poisoned jobs to keep per queue. A job whose execution failed is completed, not failed. */
const DEAD_LETTERS = 1_000;

/** BullMQ's options of every job. */
export const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: { count: DEAD_LETTERS } };

const OPTIONS = JSON.stringify(JOB_OPTIONS);

/** Job field: run time before the job gave its place back. */
export const RAN_MS = 'ran_ms';

/**
 * Returns the sharer of a job: the user, or the user's batches, in the lane of the job if it has one. Both, and the
 * user's bulk, share the user's places.
 */
export function sharerOf({ user_id }: Pick<Owner, 'user_id'>, batchId: string | null, lane: string | null): string {
  const sharer = batchId === null ? user_id : `${user_id}|batches`;
  return lane === null ? sharer : `${sharer}@${lane}`;
}

/** Redis keys of a queue, all in one slot. */
export const placeKeys = (queue: QueueName) => {
  const base = `${queuePrefix(queue)}:${queue}:`;
  const fair = `${queuePrefix(queue)}:fair:`;
  return {
    /** Prefix of job keys. */
    base,
    fair,
    /** Jobs that run first: their worker died or handed them back. */
    wait: `${base}wait`,
    line: `${base}prioritized`,
    active: `${base}active`,
    /** Jobs without a turn yet, of users with a full share. */
    parked: `${base}delayed`,
    marker: `${base}marker`,
    clock: `${fair}clock`,
    ends: `${fair}ends`,
    waiting: `${fair}waiting`,
    /** `size`: places of all workers; absent until the first worker has started. */
    pool: `${fair}pool`,
    /** Number of jobs that ended in a minute, counted since 1970. Absent: none. */
    ended: (minute: number) => `${fair}ended:${minute}`,
    bulk: (sharer: string) => `${fair}queue:${sharer}|bulk`,
    /** Parked jobs whose wait for a provider is limited, by its end. */
    expiry: `${fair}expiry`,
    /** Lanes with parked jobs. */
    lanes: sideOf(queue) === 'lanes' ? `${fair}waiting` : `${fair}lanes`,
    /** Parked jobs of a lane, by the time at which they were queued. */
    parkedOf: (lane: string) => `${fair}parked:${lane}`,
    /** Jobs of a lane with a turn, or running. */
    usedOf: (lane: string) => `${fair}used:${lane}`,
    /** Parked jobs of a sharer, in order. */
    queue: (sharer: string) => `${fair}queue:${sharer}`,
    /** Jobs of the sharer's user that have a turn or are running. */
    open: (sharer: string) => `${fair}open:${sharer.split('|', 1)[0]}`,
  };
};

export interface NewJob {
  id: string;
  /** In turns. */
  cost: number;
  kind: string;
  /** The lane that the job calls from a place. Null: it waits in the lane instead, or the lane is not known yet. */
  calls: string | null;
  /** JSON. */
  data: string;
}

/** How long a job may wait for its provider, and what happens then: it ends, or it runs with another model. */
export interface WaitLimit {
  ms: number;
  after: 'end' | 'run';
}

/** How a job waits for its provider. */
export interface JobWait {
  lane: string;
  /** How long its attempts have run. */
  ranMs: number;
  /** How long it may not go on. 0: until its lane lets it. */
  pauseMs: number;
  /** Whether its limit of waiting begins again. */
  restarts: boolean;
  /** Whether jobs behind it go first. */
  isLast: boolean;
}

export interface LostProcess {
  process: string;
  hasEnded: boolean;
}

export interface JobLock {
  token: string;
  durationMs: number;
}

/** How many jobs of a lane may run, as its queue hears it. */
export interface LaneSize {
  size: number;
  /** Those of batches, among them. Default: all. */
  batchSize?: number;
  closedMs: number;
  /** Orders the news. */
  at: number;
}

export interface TakenJob {
  id: string;
  /** Fields of the BullMQ job. */
  fields: Record<string, string>;
  /** Whether no other job is waiting. */
  isLast: boolean;
}

function takenJob(answer: unknown): TakenJob | null {
  if (!Array.isArray(answer)) return null;
  const [values, id, isLast] = answer as [string[], string, number];
  const fields: Record<string, string> = {};
  for (let at = 0; at < values.length; at += 2) fields[values[at] as string] = values[at + 1] as string;
  return { id, fields, isLast: isLast === 1 };
}

/** Manages turns and places of each queue over all processes. Each step is one round trip. */
export function createQueuePlaces(redis: RedisConnection) {
  const keysOf = (queue: QueueName) => {
    const { line, active, clock, ends, wait, parked, marker, waiting, pool, base, fair } = placeKeys(queue);
    return [line, active, clock, ends, wait, parked, marker, waiting, pool, base, fair];
  };
  /** A step that is the same for both sides, or has functions of the queue's side before it. */
  const same = (name: string, lua: string) => {
    const run = defineScript(redis, `chorusQueue${name}`, lua, NUMBER_OF_KEYS);
    return (queue: QueueName, ...args: (string | number)[]) => run(...keysOf(queue), ...args);
  };
  const define = (name: string, lua: string) => {
    const sides = { places: same(`${name}Place`, PLACE_TURNS + lua), lanes: same(`${name}Lane`, LANE_TURNS + lua) };
    return (queue: QueueName, ...args: (string | number)[]) => sides[sideOf(queue)](queue, ...args);
  };
  const enqueue = define('Enqueue', ENQUEUE);
  const take = same('Take', TAKE);
  const finish = define('Finish', FINISH);
  const leave = define('Leave', LEAVE);
  const handBack = same('HandBack', HAND_BACK);
  const giveBack = define('GiveBack', GIVE_BACK);
  const wanted = define('Wanted', WANTED);
  const register = define('Register', REGISTER);
  const disown = same('Disown', DISOWN);
  const keep = same('Keep', KEEP);
  const forget = define('Forget', FORGET);
  const wait = define('Wait', WAIT);
  const resume = define('Resume', RESUME);
  const expire = define('Expire', EXPIRE);
  const setLane = define('SetLane', SET_LANE);
  const enqueueAll = async (queue: QueueName, calls: (string | number)[][]) => {
    const parked = (await enqueue(queue, MAX_PARKED_SINGLES, OPTIONS, ...calls.flat())) as number[];
    return calls.map((_, at) => parked[at] === 1);
  };
  const enqueueTogether = joinCalls(enqueueAll, { most: MAX_JOINED });
  const finishTogether = joinCalls(
    async (queue: QueueName, calls: { lock: JobLock; ended: (string | number)[] }[]) => {
      const lockMs = Math.max(...calls.map(({ lock }) => lock.durationMs));
      const next = await finish(queue, lockMs, Date.now(), ...calls.flatMap(({ ended }) => ended));
      return (next as unknown[]).map(takenJob);
    },
    { most: MAX_JOINED },
  );
  return {
    /**
     * Queues jobs of one sharer, and gives them their turns or parks them. Ignores jobs that are queued already.
     * Calls of one turn of the event loop share a round trip.
     *
     * @param origin Sender of jobs that may come in bulk. Only its latest waiting jobs are single jobs.
     * @param limit Bounds the wait for a provider. Null: the caller does.
     * @returns whether the last of them waits for its lane
     */
    enqueue: async (
      queue: QueueName,
      sharer: string,
      jobs: readonly NewJob[],
      origin: string | null,
      limit: WaitLimit | null,
    ): Promise<boolean> => {
      const bounds = [limit === null ? '' : limit.ms, limit?.after ?? ''];
      const fields = jobs.map(({ id, cost, kind, calls, data }) => {
        const job = [calls ?? '', id, cost, kind, data];
        return [sharer, origin ?? '', ...bounds, ...job];
      });
      const [first] = fields;
      if (fields.length === 1 && first) return enqueueTogether(queue, first);
      return (await enqueueAll(queue, fields)).at(-1) ?? false;
    },
    /** Takes up to one job per token, and locks it with the token. */
    take: async (queue: QueueName, lockMs: number, tokens: readonly string[]): Promise<TakenJob[]> =>
      ((await take(queue, lockMs, Date.now(), ...tokens)) as unknown[]).map((job) => takenJob(job) as TakenJob),
    /**
     * Removes a job that has ended and frees its place, unless the lock has passed to another. Takes the next job with
     * the same token if one is wanted. Jobs that end in one turn of the event loop share a round trip.
     */
    finish: (queue: QueueName, sharer: string, id: string, lock: JobLock, { takesNext }: { takesNext: boolean }) =>
      finishTogether(queue, { lock, ended: [lock.token, sharer, id, takesNext ? 1 : 0] }),
    /** Frees the turn of a job that was removed from the queue. */
    leave: (queue: QueueName, sharer: string, id: string) => leave(queue, sharer, id),
    /** Returns an active job for another worker, ahead of all waiting jobs. */
    handBack: (queue: QueueName, id: string, token: string, { hasStarted }: { hasStarted: boolean }) =>
      handBack(queue, id, token, hasStarted ? 1 : 0),
    /** Makes a job that was moved back to the line wait for its next turn. */
    giveBack: (queue: QueueName, sharer: string, id: string) => giveBack(queue, sharer, id),
    /**
     * Makes an active job wait for its provider.
     *
     * @returns false if another worker has the job
     */
    wait: async (
      queue: QueueName,
      sharer: string,
      id: string,
      token: string,
      { ranMs, pauseMs, restarts, isLast, lane }: JobWait,
    ): Promise<boolean> => {
      const times = [Math.ceil(ranMs), restarts ? 1 : 0, Math.ceil(pauseMs)];
      return (await wait(queue, sharer, id, token, ...times, isLast ? 1 : 0, lane)) === 1;
    },
    /** Resumes jobs whose pause is over. Returns the time until the next one is due. Null: none is paused. */
    resume: async (queue: QueueName): Promise<number | null> => {
      const dueMs = Number(await resume(queue));
      return dueMs < 0 ? null : dueMs;
    },
    /** Ends the waits that have reached their limits. Returns the removed jobs, and when to call this again. */
    expire: async (queue: QueueName): Promise<{ dueMs: number | null; ended: { id: string; data: string }[] }> => {
      const [dueMs = -1, ...fields] = (await expire(queue)) as [number, ...string[]];
      const ended = [];
      for (let at = 0; at < fields.length; at += 2) {
        const [id, data] = fields.slice(at, at + 2);
        if (id && data) ended.push({ id, data });
      }
      return { dueMs: dueMs < 0 ? null : dueMs, ended };
    },
    /** Tells a queue how many jobs of a lane may run, and how long the lane is closed. Ignores outdated news. */
    setLane: async (
      queue: QueueName,
      lane: string,
      { size, batchSize = size, closedMs, at }: LaneSize,
    ): Promise<void> => {
      while ((await setLane(queue, lane, size, batchSize, Math.ceil(closedMs), at)) === 1);
    },
    /** Returns whether a job that has run for `ranMs` should yield its place to others. */
    wanted: async (queue: QueueName, sharer: string, ranMs: number): Promise<boolean> =>
      ranMs >= SLICE_MS && (await wanted(queue, sharer, Math.floor(ranMs), SLICE_MS, ONLY_SLICE_MS)) === 1,
    /**
     * Sets the number of places of a worker; 0 removes it. Must be repeated every few seconds.
     *
     * @param worker Its id in BullMQ.
     * @param process The id of its process's lease.
     */
    register: (queue: QueueName, worker: string, places: number, process = '') =>
      register(queue, worker, places, process),
    /**
     * Frees the jobs of processes that have lost their leases. Returns how many there were.
     *
     * @param lost `hasEnded`: whether the process has certainly ended, so that its jobs may be the reason
     */
    disown: async (queue: QueueName, lost: readonly LostProcess[]): Promise<number> =>
      (await disown(queue, ...lost.flatMap(({ process, hasEnded }) => [process, hasEnded ? 1 : 0]))) as number,
    /** Marks a job that no other worker could continue, since its client cannot take back what it has read. */
    markKept: (queue: QueueName, id: string): Promise<unknown> =>
      redis.hset(`${placeKeys(queue).base}${id}`, 'kept', 1),
    /** Prolongs the locks of these jobs of a process that is only paused. */
    keep: (queue: QueueName, process: string, lockMs: number): Promise<unknown> => keep(queue, process, lockMs),
    /** Forgets the crashes that a job has seen. */
    forgive: (queue: QueueName, id: string): Promise<unknown> =>
      redis.hdel(`${placeKeys(queue).base}${id}`, ...CRASH_FIELDS),
    forget: (queue: QueueName, userId: string) => forget(queue, userId),
  };
}

export type QueuePlaces = ReturnType<typeof createQueuePlaces>;
