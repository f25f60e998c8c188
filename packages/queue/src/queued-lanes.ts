import { POOLS } from '@chorus/contract';
import { defineScript, fromRedis, type RedisConnection, redisTime } from '@chorus/events';
import { placeKeys, type QueueName, type QueueShards } from '@chorus/executions';
import { type NamedLaneState, readLanes, resumeLanes } from '@chorus/lanes';

/** A lane, with the jobs that wait for it in all queues. */
export type QueuedLane = NamedLaneState & {
  waiting: number;
  /** How long the oldest job has waited. 0: none is waiting. */
  oldestMs: number;
};

/** Lanes of one queue whose waiting jobs are counted. */
const MAX_COUNTED = 2_000;

/**
 * KEYS: lanes with parked jobs. ARGV: prefix of fairness keys. Returns for each: lane, number of parked jobs, and when
 * the oldest was queued.
 */
const COUNT = `
local counts = {}
for _, lane in ipairs(redis.call('ZRANGE', KEYS[1], 0, ${MAX_COUNTED - 1})) do
  local parked = ARGV[1] .. 'parked:' .. lane
  local oldest = redis.call('ZRANGE', parked, 0, 0, 'WITHSCORES')
  if oldest[2] then
    counts[#counts + 1] = lane
    counts[#counts + 1] = redis.call('ZCARD', parked)
    counts[#counts + 1] = oldest[2]
  end
end
return counts
`;

/** Reads and resumes lanes, without taking part in them. */
export function createQueuedLanes(redis: RedisConnection, shards: QueueShards) {
  const count = defineScript(redis, 'chorusCountLanes', COUNT, 1);

  const countIn = async (queue: QueueName) => {
    const { lanes, fair } = placeKeys(queue);
    const counts = (await count(lanes, fair)) as (string | number)[];
    return Array.from({ length: counts.length / 3 }, (_, at) => {
      const [lane, parked, oldest] = counts.slice(3 * at, 3 * at + 3);
      return { lane: String(lane), parked: Number(parked), oldest: Number(oldest) };
    });
  };

  const countAll = async () => {
    const names = await Promise.all(POOLS.map((pool) => shards.all(pool)));
    const counted = (await Promise.all(names.flat().map(countIn))).flat();
    return Map.groupBy(counted, ({ lane }) => lane);
  };

  return {
    /** Returns the lanes that were used within a day, are stopped, or have jobs that wait for them, by name. */
    async read(): Promise<QueuedLane[]> {
      const [known, waits] = await Promise.all([readLanes(redis), fromRedis(countAll())]);
      const names = new Set(known.map(({ lane }) => lane));
      const missing = [...waits.keys()].filter((lane) => !names.has(lane));
      const others = missing.length === 0 ? [] : await readLanes(redis, missing);
      const now = await fromRedis(redisTime(redis));
      return [...known, ...others]
        .map((state) => {
          const parts = waits.get(state.lane) ?? [];
          const waiting = parts.reduce((sum, { parked }) => sum + parked, 0);
          return { ...state, waiting, oldestMs: Math.max(0, ...parts.map(({ oldest }) => now - oldest)) };
        })
        .sort((one, other) => (one.lane < other.lane ? -1 : 1));
    },
    /** Lets a call test a lane that is closed, or all lanes of a provider. */
    async resume(laneOrProvider: string): Promise<void> {
      await resumeLanes(redis, laneOrProvider);
    },
  };
}

export type QueuedLanes = ReturnType<typeof createQueuedLanes>;
