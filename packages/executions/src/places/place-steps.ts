import { KEY_NAMES } from './queue-keys.ts';

/** A worker process is considered dead after this time without a renewal. */
const WORKER_GONE_MS = 12_000;

/**
 * ARGV: sharer, run time of the job, time slices of a user with several places and with one.
 * Returns 1 if the job should yield to another user who waits. At most once a second.
 */
export const WANTED = `
if not wanted(ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])) then return 0 end
return redis.call('SET', fair .. 'given-back', 1, 'PX', 1000, 'NX') and 1 or 0
`;

/**
 * ARGV: worker, its places (0: it stops), its process. Sums the places of all workers, and cleans up after dead ones.
 */
export const REGISTER = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local workers = fair .. 'workers'
if tonumber(ARGV[4]) > 0 then
  redis.call('HSET', workers, ARGV[3], ARGV[4] .. ':' .. string.format('%.0f', now) .. ':' .. ARGV[5])
else
  redis.call('HDEL', workers, ARGV[3])
end
local size = 0
local all = redis.call('HGETALL', workers)
for at = 1, #all, 2 do
  local count, seen = string.match(all[at + 1], '^(%d+):(%d+)')
  if not seen or now - tonumber(seen) > ${WORKER_GONE_MS} then
    redis.call('HDEL', workers, all[at])
  else
    size = size + tonumber(count)
  end
end
redis.call('HSET', pool, 'size', size)
if not redis.call('SET', fair .. 'repaired', 1, 'PX', 2000, 'NX') then return end
repair()
`;

/**
 * ARGV: dead processes. Removes their workers, and the locks of their jobs, so that the queue's next check for stalled
 * jobs hands them out. Returns the number of jobs.
 */
export const DISOWN = `${KEY_NAMES}
local gone, ids = {}, {}
for at = 3, #ARGV do gone[ARGV[at]] = true end
local all = redis.call('HGETALL', fair .. 'workers')
for at = 1, #all, 2 do
  if gone[string.match(all[at + 1], '^%d+:%d+:(.*)$')] then
    ids[all[at]] = true
    redis.call('HDEL', fair .. 'workers', all[at])
  end
end
if not next(ids) then return 0 end
local jobs = 0
for _, id in ipairs(redis.call('LRANGE', active, 0, -1)) do
  local lock = base .. id .. ':lock'
  -- BullMQ's token of a job: its worker's id and a number.
  if ids[string.match(redis.call('GET', lock) or '', '^(.*):')] then
    redis.call('DEL', lock)
    redis.call('SADD', base .. 'stalled', id)
    jobs = jobs + 1
  end
end
if jobs > 0 then redis.call('DEL', base .. 'stalled-check') end
return jobs
`;

/** ARGV: user. */
export const FORGET = 'forget(ARGV[3])';
