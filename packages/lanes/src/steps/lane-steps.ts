import { defineScript, type RedisConnection } from '@chorus/events';
import { type Reply, readReply, readSeen, type Seen } from '../lane-state.ts';
import { BUCKETS } from './buckets-lua.ts';
import { DISOWN, FREED, GRANT, LOOK, REOPEN, REPLY } from './grant-lua.ts';
import { LEARN } from './learning-lua.ts';
import { PACE } from './pace-lua.ts';
import { SERVER_QUEUE } from './server-queue-lua.ts';
import { CLOSE, DESCRIBE, LOAD, STORE } from './state-lua.ts';

/** A lane's Redis keys, in one cluster slot. */
const keysOf = (lane: string) => [`chorus:{lane:${lane}}:state`, `chorus:{lane:${lane}}:calls`] as const;

/** Whether anything is known about a lane. */
export const isRemembered = async (redis: RedisConnection, lane: string): Promise<boolean> =>
  (await redis.exists(keysOf(lane)[0])) === 1;

/** Pub/sub channel of changes of all lanes. */
export const LANES_CHANNEL = 'chorus:lanes';

/** Hash of all known lanes: lane -> last use in epoch ms. */
export const KNOWN_LANES_KEY = 'chorus:{lanes}:known';

/** The report of a process about its calls, in one step. */
export interface Turnover {
  /** Calls in flight that were not refused. */
  calls: number;
  spare: number;
  wanted: number;
  /** Those of batches, among all. */
  ofBatches: { calls: number; wanted: number };
  spareGoal: number;
  /** The most calls in flight since the last step. */
  peak: number;
  /** Calls that were started with spare permits. */
  started: number;
  /** Permits for started calls that turned out not to be needed. */
  returned: number;
  isProbing: boolean;
  setLimit: number | null;
  reports: string;
  /** Whether the server may queue calls instead of refusing them. */
  mayQueue: boolean;
}

const SYNC = LOAD + CLOSE + PACE + LEARN + SERVER_QUEUE + BUCKETS + GRANT + DESCRIBE + STORE + REPLY;
const READ = `${LOAD + CLOSE + PACE + BUCKETS + LOOK + DESCRIBE}return cjson.encode(seen)`;
const RESUME = `${LOAD + CLOSE + PACE + BUCKETS + REOPEN + LOOK + DESCRIBE + STORE}return cjson.encode(seen)`;

const DISOWN_ALL = `${DISOWN + LOAD + CLOSE + PACE + BUCKETS + FREED + LOOK + DESCRIBE + STORE}return 1`;

export type LaneSteps = ReturnType<typeof laneSteps>;

/** The steps of lanes, each atomic in Redis. */
export function laneSteps(redis: RedisConnection, factor = 1) {
  const step = (name: string, lua: string) => defineScript(redis, `lane${name}`, lua, 2);
  const [sync, read, resume] = [step('Sync', SYNC), step('Read', READ), step('Resume', RESUME)];
  const disown = step('Disown', DISOWN_ALL);
  return {
    async sync(lane: string, me: string, turnover: Turnover): Promise<Reply> {
      const { calls, spare, wanted, ofBatches, spareGoal, peak, started, returned, isProbing } = turnover;
      const { setLimit, reports, mayQueue } = turnover;
      const numbers = [calls, spare, wanted, spareGoal, peak, started, returned, isProbing ? 1 : 0];
      const rest = [...numbers, setLimit ?? '', reports, mayQueue ? 1 : 0, ofBatches.calls, ofBatches.wanted];
      return readReply(await sync(...keysOf(lane), lane, LANES_CHANNEL, me, factor, ...rest));
    },
    async read(lane: string): Promise<Seen> {
      return readSeen(await read(...keysOf(lane), lane, LANES_CHANNEL, '', factor));
    },
    async resume(lane: string): Promise<Seen> {
      return readSeen(await resume(...keysOf(lane), lane, LANES_CHANNEL, '', factor));
    },
    async disown(lane: string, processes: readonly string[]): Promise<void> {
      await disown(...keysOf(lane), lane, LANES_CHANNEL, '', factor, ...processes);
    },
  };
}
