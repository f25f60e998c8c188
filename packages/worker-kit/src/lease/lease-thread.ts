import { parentPort, workerData } from 'node:worker_threads';
import { connectRedis, defineScript, type RedisConfig } from '@chorus/events/connection';

export interface LeaseThread {
  redis: RedisConfig;
  /** Hash of the leases: one field per process, with the time of its last renewal. */
  key: string;
  id: string;
}

const BEAT_EVERY_MS = 500;

/** A process that has not renewed its lease for this long is dead. */
const GONE_AFTER_MS = 2_000;

/** After a longer pause, such as a Redis outage, other processes get time to renew their leases. */
const LONGEST_PAUSE_MS = GONE_AFTER_MS - BEAT_EVERY_MS;

/**
 * KEYS: the leases. ARGV: process, milliseconds after which others are dead (0: do not judge them now).
 * Removes the leases of dead processes. Returns the time until the next lease could expire, and the removed ones,
 * each to one caller only.
 */
const BEAT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0)
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now))
local answer = {${BEAT_EVERY_MS}}
if tonumber(ARGV[2]) == 0 or now - last > ${LONGEST_PAUSE_MS} then return answer end
local all = redis.call('HGETALL', KEYS[1])
for at = 1, #all, 2 do
  local left = tonumber(ARGV[2]) - (now - tonumber(all[at + 1]))
  if left < 0 then
    redis.call('HDEL', KEYS[1], all[at])
    answer[#answer + 1] = all[at]
  else
    answer[1] = math.min(answer[1], left + 1)
  end
end
return answer
`;

const { redis: config, key, id } = workerData as LeaseThread;
const redis = connectRedis(config, 'worker');
redis.on('error', () => undefined); // the other connections of the process log outages
const beat = defineScript(redis, 'chorusBeat', BEAT, 1);

// Renews the lease from a thread, so that a busy process keeps it.
let steadySince = performance.now();
let lastAt = performance.now();
for (;;) {
  const isSteady = performance.now() - steadySince > GONE_AFTER_MS;
  const beating = beat(key, id, isSteady ? GONE_AFTER_MS : 0) as Promise<[number, ...string[]]>;
  const [pauseMs, ...gone] = await beating.catch((): [number] => [BEAT_EVERY_MS]);
  const now = performance.now();
  if (now - lastAt > LONGEST_PAUSE_MS) steadySince = now;
  lastAt = now;
  if (gone.length > 0) parentPort?.postMessage(gone);
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
}
