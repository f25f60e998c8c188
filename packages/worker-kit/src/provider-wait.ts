import { isStopReason } from '@chorus/contract';
import { type RedisConnection, redisTime } from '@chorus/events';
import type { LaneState, LaneWait } from '@chorus/lanes';

/** Work without a waiting client may wait this long, or longer. */
const UNAWAITED_MS = 3_600_000;

/** Failures of a job whose provider answers others before the job fails, too: the request itself may be the reason. */
const MAX_STRIKES = 6;

/** How long a job pauses if its lane does not say, at first. Doubles with each failure of the job alone. */
const PAUSE_MS = 1_000;

/** How long a job pauses while other work has all places of its lane. */
const BUSY_PAUSE_MS = 250;

export interface WaitingJob {
  /** The job's key in Redis. */
  key: string;
  wait: LaneWait;
  /** The lane's state now. Undefined: unknown. */
  state: LaneState | undefined;
  /**
   * Names the jobs that its queue holds back: all of the lane (`lane`), those that the lane has put off while it is
   * closed (`put off`), or none, since the queue does not know the lane's state.
   */
  gate: 'lane' | 'put off' | 'none';
  /** Whether the attempt did work that no other repeats. */
  advanced: boolean;
}

/** How a job waits for its provider. */
export interface WaitPlan {
  /** How long it may not go on. 0: until its queue lets it. */
  pauseMs: number;
  /** Time until its limit. Null: it has none. */
  endsInMs: number | null;
  /** Whether its limit of waiting begins again. */
  restarts: boolean;
  /** Whether jobs behind it go first. Otherwise a request that always fails could keep others from trying. */
  isLast: boolean;
}

/** Plans how a job waits for its provider. Null: it may not, or no longer. */
export async function planWait(redis: RedisConnection, job: WaitingJob): Promise<WaitPlan | null> {
  const { key, wait, state, gate, advanced } = job;
  const { reason } = wait;
  const [limit = null, until = null, after = null] = await redis.hmget(key, 'wait', 'wait_until', 'after');
  // Its other models have failed as well.
  if (after === 'run') return null;
  const isAwaited = limit !== null && Number(limit) < UNAWAITED_MS;
  // If it has never answered, an operator must act first, which takes longer than people wait.
  if (isAwaited && isStopReason(reason) && !state?.hasAnswered) return null;
  const isClosed = state !== undefined && state.closedMs !== 0;
  let strikes = 0;
  if (advanced) await redis.hdel(key, 'strikes');
  if (reason === 'away' && !isClosed) strikes = await redis.hincrby(key, 'strikes', 1);
  if (strikes > MAX_STRIKES) return null;
  const isHeld = gate === 'none' ? false : isClosed || (gate === 'lane' && reason === 'slow_down');
  const pauseMs = isHeld ? 0 : pauseOf(wait, strikes);
  const plan = { pauseMs, endsInMs: null, restarts: advanced, isLast: reason === 'away' };
  if (limit === null) return plan; // its batch decides
  const now = await redisTime(redis); // which also set the limit
  const endsAt = advanced || until === null ? now + Number(limit) : Number(until);
  return now + Math.max(pauseMs, state?.closedMs ?? 0) < endsAt ? { ...plan, endsInMs: endsAt - now } : null;
}

function pauseOf({ reason, closedMs }: LaneWait, strikes: number): number {
  if (reason === 'busy') return BUSY_PAUSE_MS;
  const ms = closedMs === null || closedMs === 0 ? PAUSE_MS * 2 ** Math.max(0, strikes - 1) : closedMs;
  return ms * (1 + Math.random() / 4);
}
