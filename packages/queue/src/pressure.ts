import { ChorusError, type Owner, type Pool } from '@chorus/contract';
import { defineScript, fromRedis, type RedisConnection, redisTime } from '@chorus/events';
import { placeKeys, type QueueName, type QueueShards, sharerOf, sideOf } from '@chorus/executions';

export interface PressureLimits {
  /** Waiting jobs of a pool's places, or of a lane, beyond which new work is refused. */
  maxDepth: number;
  /**
   * Age of an owner's oldest waiting job, beyond which the owner's new work is refused. Scaled by pool. Does not apply
   * to lanes, where each job has its own limit.
   */
  maxAgeMs: number;
}

export interface Pressure {
  depth: number;
  oldestMs: number;
}

/** Multiplies `maxAgeMs`: interactive work must start sooner than work that takes minutes. */
const AGE_FACTORS: Record<Pool, number> = { text: 1, media: 60, vision: 60, knowledge: 60, voice: 1 };

/** `mine` counts one owner's jobs only. */
interface Reading extends Pressure {
  mine: Pressure;
}

/** Far from the limits, a reading is used for `CACHE_MS`, and refreshed in the background after `FRESH_MS`. */
const CACHE_MS = 1_000;
const FRESH_MS = 50;

/** Number of jobs checked at the head of the line. Each owner's oldest job is near it. */
const HEAD_SIZE = 16;

/** Jobs have the time of Redis, since the clocks of machines may differ. */
const AGE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function age(added) return added == 0 and 0 or math.max(0, now - added) end
`;

/**
 * KEYS: jobs handed back, the line, parked jobs, sharers with parked jobs, the user's open jobs, and
 * the parked jobs of the sharer and of the user's bulk. ARGV: prefix of job keys, prefix of fairness keys.
 * Returns [depth, age of the oldest waiting job or 0, the sharer's depth, the age of the sharer's oldest].
 */
const READ_PRESSURE = `${AGE}
local first, line, parked, waiting, open, queue, bulk = unpack(KEYS)
local function added(id) return tonumber(id and redis.call('HGET', ARGV[1] .. id, 'timestamp') or 0) or 0 end
local function older(one, other) return one == 0 and other or (other == 0 and one or math.min(one, other)) end
local lined = redis.call('ZCARD', line)
local depth = redis.call('LLEN', first) + lined + redis.call('ZCARD', parked)
if depth == 0 then return {0, 0, 0, 0} end
local oldest = added(redis.call('LINDEX', first, -1))
for _, id in ipairs(redis.call('ZRANGE', line, 0, ${HEAD_SIZE - 1})) do oldest = older(oldest, added(id)) end
for _, sharer in ipairs(redis.call('ZRANGE', waiting, 0, ${HEAD_SIZE - 1})) do
  oldest = older(oldest, added(redis.call('ZRANGE', ARGV[2] .. 'queue:' .. sharer, 0, 0)[1]))
end
local held = redis.call('ZCARD', queue) + redis.call('ZCARD', bulk)
local since = older(added(redis.call('ZRANGE', queue, 0, 0)[1]), added(redis.call('ZRANGE', bulk, 0, 0)[1]))
if lined > 0 then
  for _, id in ipairs(redis.call('SMEMBERS', open)) do
    if redis.call('ZSCORE', line, id) then
      held = held + 1
      since = older(since, added(id))
    end
  end
end
return {depth, age(oldest), held, age(since)}
`;

/**
 * KEYS: the line, parked jobs of the lane by time, its jobs with a turn or running, parked jobs of the sharer. Returns
 * [depth, age of the oldest parked job or 0, the sharer's parked jobs]. Jobs are only in the line while no worker
 * has a place for them.
 */
const READ_LANE = `${AGE}
local depth = redis.call('ZCARD', KEYS[2])
if redis.call('ZCARD', KEYS[1]) > 0 then
  for _, id in ipairs(redis.call('SMEMBERS', KEYS[3])) do
    if redis.call('ZSCORE', KEYS[1], id) then depth = depth + 1 end
  end
end
local oldest = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
return {depth, age(tonumber(oldest[2] or 0)), redis.call('ZCARD', KEYS[4])}
`;

/**
 * Measures the waiting jobs of each pool's places, and of each lane. Far from the limits, readings are cached to save
 * round trips. Near them, each admission reads again.
 */
export function createPressureGauge(redis: RedisConnection, limits: PressureLimits, shards: QueueShards) {
  const look = defineScript(redis, 'chorusQueueLook', READ_PRESSURE, 7);
  const lookAtLane = defineScript(redis, 'chorusLaneLook', READ_LANE, 4);
  const seen = new Map<string, { pressure: Pressure; at: number; admitted: number; renewing: boolean }>();
  /** Jobs that are admitted but not queued yet, by place, and by place and owner. */
  const arriving = new Map<string, number>();
  const count = (key: string, by: number) => {
    const counted = (arriving.get(key) ?? 0) + by;
    if (counted > 0) arriving.set(key, counted);
    else arriving.delete(key);
  };

  const readPlaces = async (name: QueueName, sharer: string): Promise<Reading> => {
    const { wait, line, parked, waiting, open, queue, bulk, base, fair } = placeKeys(name);
    const looking = look(wait, line, parked, waiting, open(sharer), queue(sharer), bulk(sharer), base, fair);
    const [depth, oldestMs, held, sinceMs] = (await looking) as [number, number, number, number];
    return { depth, oldestMs, mine: { depth: held, oldestMs: sinceMs } };
  };

  const readLane = async (name: QueueName, lane: string, sharer: string): Promise<Reading> => {
    const { line, parkedOf, usedOf, queue } = placeKeys(name);
    const [depth = 0, oldestMs = 0, held = 0] = (await lookAtLane(
      line,
      parkedOf(lane),
      usedOf(lane),
      queue(sharer),
    )) as number[];
    return { depth, oldestMs, mine: { depth: held, oldestMs: 0 } };
  };

  /** Measures the waiting jobs of all lanes of a queue. */
  const readLanes = async (name: QueueName): Promise<Pressure> => {
    const { wait, line, parked, waiting, parkedOf } = placeKeys(name);
    const [now, first, lined, held, lanes] = await Promise.all([
      redisTime(redis),
      redis.llen(wait),
      redis.zcard(line),
      redis.zcard(parked),
      redis.zrange(waiting, '0', String(MAX_LANES - 1)),
    ]);
    const oldest = await Promise.all(lanes.map((lane) => redis.zrange(parkedOf(lane), '0', '0', 'WITHSCORES')));
    const ages = oldest.flatMap(([, added]) => (added === undefined ? [] : [now - Number(added)]));
    return { depth: first + lined + held, oldestMs: Math.max(0, ...ages) };
  };

  const read = async ({ pool, lane }: Place, sharer = ''): Promise<Reading> => {
    const readAll = async () => {
      const all = await shards.all(pool);
      const names = lane === null ? all.filter((name) => sideOf(name) === 'places') : all;
      return Promise.all(
        names.map((name) => (lane === null ? readPlaces(name, sharer) : readLane(name, lane, sharer))),
      );
    };
    const readings = await fromRedis(readAll());
    const pressure = total(readings);
    if (seen.size > MAX_CACHED) seen.clear();
    seen.set(keyOf({ pool, lane }), { pressure, at: performance.now(), admitted: 0, renewing: false });
    return { ...pressure, mine: total(readings.map(({ mine }) => mine)) };
  };

  const maxAgeMs = ({ pool, lane }: Place) =>
    lane === null ? limits.maxAgeMs * AGE_FACTORS[pool] : Number.POSITIVE_INFINITY;

  const farFromLimits = (place: Place): boolean => {
    const last = seen.get(keyOf(place));
    if (!last) return false;
    const sinceMs = performance.now() - last.at;
    if (sinceMs > CACHE_MS) return false;
    last.admitted += 1;
    const far =
      last.pressure.depth + last.admitted < limits.maxDepth / 2 &&
      last.pressure.oldestMs + sinceMs < maxAgeMs(place) / 2;
    if (far && sinceMs > FRESH_MS && !last.renewing) {
      last.renewing = true;
      read(place).catch(() => seen.delete(keyOf(place)));
    }
    return far;
  };

  const check = (place: Place, sharer: string, { depth, mine }: Reading): void => {
    const free = limits.maxDepth - depth - (arriving.get(keyOf(place)) ?? 0);
    if (free <= 0) throw overloaded('Too much work is waiting. Try again shortly.');
    // An owner may use as much as remains for others: one owner gets half, two get a third each.
    const held = mine.depth + (arriving.get(`${keyOf(place)} ${sharer}`) ?? 0);
    if (held >= free || mine.oldestMs > maxAgeMs(place)) {
      throw overloaded('Too much of your work is waiting. Try again shortly.');
    }
  };

  return {
    /** Measures the jobs that wait for places of a pool (null), in one of its lanes, or for anything (undefined). */
    async read(pool: Pool, lane: string | null | undefined): Promise<Pressure> {
      if (lane !== undefined) {
        const { depth, oldestMs } = await read({ pool, lane });
        return { depth, oldestMs };
      }
      const readAll = async () => {
        const names = (await shards.all(pool)).filter((name) => sideOf(name) === 'lanes');
        return Promise.all(names.map(readLanes));
      };
      const [places, lanes] = await Promise.all([read({ pool, lane: null }), fromRedis(readAll())]);
      return total([places, ...lanes]);
    },
    /** Admits a job or throws `overloaded`. Call the returned function once the job is queued or dropped. */
    async admit(pool: Pool, owner: Pick<Owner, 'user_id'>, lane: string | null): Promise<() => void> {
      const place = { pool, lane };
      const sharer = sharerOf(owner, null, lane);
      // There is no await between check and count, so concurrent admissions see the count.
      if (!farFromLimits(place)) check(place, sharer, await read(place, sharer));
      const keys = [keyOf(place), `${keyOf(place)} ${sharer}`];
      for (const key of keys) count(key, 1);
      return () => {
        for (const key of keys) count(key, -1);
      };
    },
  };
}

/** Where jobs wait: for the places of a pool (`lane`: null), or in a lane. */
interface Place {
  pool: Pool;
  lane: string | null;
}

const MAX_CACHED = 1_000;

/** Lanes whose oldest jobs are compared. */
const MAX_LANES = 100;

const keyOf = ({ pool, lane }: Place) => `${pool} ${lane ?? ''}`;

const total = (parts: readonly Pressure[]): Pressure => ({
  depth: parts.reduce((sum, { depth }) => sum + depth, 0),
  oldestMs: Math.max(...parts.map(({ oldestMs }) => oldestMs)),
});

function overloaded(message: string): ChorusError {
  return new ChorusError('overloaded', message, { retryAfterS: 5 });
}
