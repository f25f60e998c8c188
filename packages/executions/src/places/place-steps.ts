import { KEY_NAMES } from './queue-keys.ts';

/** A worker process is considered dead after this time without a renewal. */
const WORKER_GONE_MS = 12_000;

/** A process that has lost its jobs is taken for dead after this much silence, until it registers again. */
const ENDED_AFTER_MS = 60_000;

/** How long its jobs are remembered, so that it can take the blame from them. */
const REMEMBERED_MS = 3_600_000;

/** Of more running jobs, none is blamed for the end of a process, unless few of them have seen the most ends. */
const FEW_JOBS = 5;

/** A job that is among few at this many ends of processes is not run again. */
const MAX_ENDS = 3;

/**
 * Remembers jobs that were taken from processes which did not renew their leases. A process that was only slow, paused,
 * or cut off says so when it registers, and then its jobs are blamed for nothing.
 */
const LOST_JOBS = `
local lost = fair .. 'lost'

-- Counts the end of a process against the jobs that it ran.
local function blame(entry)
  local most, suspects, known = 0, {}, {}
  for _, id in ipairs(entry.jobs) do
    if redis.call('EXISTS', base .. id) == 1 then
      local ends = redis.call('HINCRBY', base .. id, 'ends', 1)
      if ends > most then most, suspects = ends, {} end
      if ends == most then suspects[#suspects + 1] = id end
      known[#known + 1] = id
    end
  end
  if #entry.jobs <= ${FEW_JOBS} then suspects = known end
  if #suspects > ${FEW_JOBS} then suspects = {} end
  for _, id in ipairs(suspects) do
    if redis.call('HINCRBY', base .. id, 'blamed', 1) >= ${MAX_ENDS} then
      redis.call('HSET', base .. id, 'defa', 'its processes ended')
    end
  end
  entry.ended, entry.blamed = true, suspects
end

-- The process lives.
local function acquit(entry)
  if not entry.ended then return end
  for _, id in ipairs(entry.jobs) do
    if redis.call('HEXISTS', base .. id, 'ends') == 1 then redis.call('HINCRBY', base .. id, 'ends', -1) end
  end
  for _, id in ipairs(entry.blamed) do
    if redis.call('HEXISTS', base .. id, 'blamed') == 1 then
      if redis.call('HINCRBY', base .. id, 'blamed', -1) < ${MAX_ENDS} then redis.call('HDEL', base .. id, 'defa') end
    end
  end
end
`;

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
export const REGISTER = `${LOST_JOBS}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local own = redis.call('HGET', lost, ARGV[5])
if own then
  acquit(cjson.decode(own))
  redis.call('HDEL', lost, ARGV[5])
end
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
local remembered = redis.call('HGETALL', lost)
for at = 1, #remembered, 2 do
  local entry = cjson.decode(remembered[at + 1])
  if now - entry.at > ${REMEMBERED_MS} then
    redis.call('HDEL', lost, remembered[at])
  elseif not entry.ended and now - entry.at > ${ENDED_AFTER_MS} then
    blame(entry)
    redis.call('HSET', lost, remembered[at], cjson.encode(entry))
  end
end
if not redis.call('SET', fair .. 'repaired', 1, 'PX', 2000, 'NX') then return end
repair()
`;

/**
 * ARGV: processes that have lost their leases, each followed by 1 if it has certainly ended. Removes their workers, and
 * the locks of their jobs, so that the queue's next check for stalled jobs hands them out. Returns the number of jobs.
 */
export const DISOWN = `${KEY_NAMES}${LOST_JOBS}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ended, owners, taken = {}, {}, {}
for at = 3, #ARGV, 2 do ended[ARGV[at]] = ARGV[at + 1] end
local all = redis.call('HGETALL', fair .. 'workers')
for at = 1, #all, 2 do
  local process = string.match(all[at + 1], '^%d+:%d+:(.*)$')
  if ended[process] then
    owners[all[at]] = process
    redis.call('HDEL', fair .. 'workers', all[at])
  end
end
if not next(owners) then return 0 end
local jobs = 0
for _, id in ipairs(redis.call('LRANGE', active, 0, -1)) do
  local lock = base .. id .. ':lock'
  -- BullMQ's token of a job: its worker's id and a number.
  local process = owners[string.match(redis.call('GET', lock) or '', '^(.*):')]
  if process then
    redis.call('DEL', lock)
    redis.call('SADD', base .. 'stalled', id)
    taken[process] = taken[process] or {}
    table.insert(taken[process], id)
    jobs = jobs + 1
  end
end
for process, ids in pairs(taken) do
  local entry = {at = now, jobs = ids, blamed = {}}
  if ended[process] == '1' then blame(entry) end
  redis.call('HSET', lost, process, cjson.encode(entry))
end
if jobs > 0 then redis.call('DEL', base .. 'stalled-check') end
return jobs
`;

/**
 * ARGV: a process that is paused, milliseconds. Prolongs the locks of its jobs that no other worker could continue.
 */
export const KEEP = `${KEY_NAMES}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local owners = {}
local all = redis.call('HGETALL', fair .. 'workers')
for at = 1, #all, 2 do
  local count, process = string.match(all[at + 1], '^(%d+):%d+:(.*)$')
  if process == ARGV[3] then
    owners[all[at]] = true
    redis.call('HSET', fair .. 'workers', all[at], count .. ':' .. string.format('%.0f', now) .. ':' .. process)
  end
end
if not next(owners) then return 0 end
for _, id in ipairs(redis.call('LRANGE', active, 0, -1)) do
  local lock = base .. id .. ':lock'
  if owners[string.match(redis.call('GET', lock) or '', '^(.*):')] and redis.call('HEXISTS', base .. id, 'kept') == 1 then
    redis.call('PEXPIRE', lock, ARGV[4])
  end
end
return 0
`;

/** ARGV: user. */
export const FORGET = 'forget(ARGV[3])';
