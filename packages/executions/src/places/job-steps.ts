import { BEHIND_ALL, KEY_NAMES, step } from './turns.ts';

/** Parked singles of a user that one step checks. */
const DISPLACEABLE = 64;

/**
 * Which single job takes the turns of a bulk instead: the oldest of the origin with the most parked singles. The
 * latest jobs of each origin remain singles, and a bulk that is still arriving does not displace another origin's.
 */
const DISPLACE = `
local function displace(user, most)
  if redis.call('ZCARD', queueOf(user)) <= most then return end
  local oldest, count, total, largest = {}, {}, 0, nil
  for _, id in ipairs(redis.call('ZRANGE', queueOf(user), 0, ${DISPLACEABLE - 1})) do
    local origin = redis.call('HGET', base .. id, 'origin')
    if origin then
      oldest[origin] = oldest[origin] or id
      count[origin] = (count[origin] or 0) + 1
      total = total + 1
      if not largest or count[origin] > count[largest] then largest = origin end
    end
  end
  if total <= most then return end
  local id, bulk = oldest[largest], user .. '|bulk'
  redis.call('ZREM', queueOf(user), id)
  redis.call('HSET', base .. id, 'lane', bulk)
  local newest = redis.call('ZREVRANGE', queueOf(bulk), 0, 0, 'WITHSCORES')
  park(bulk, id, tonumber(newest[2] or 0) + 1)
end
`;

/**
 * ARGV: sharer, how many of its jobs with an origin may be parked as singles, their origin (empty: none), options and
 * time of the jobs, then id, cost, kind, and data of each. Ignores jobs that exist. Further jobs take the turns of a
 * bulk.
 */
export const ENQUEUE = step(`
${DISPLACE}
local sharer, most, origin = ARGV[3], tonumber(ARGV[4]), ARGV[5]
local queue = queueOf(sharer)
local isParking = redis.call('EXISTS', queue) == 1
local hasTurn = false
for at = 8, #ARGV, 4 do
  local id, cost = ARGV[at], ARGV[at + 1]
  local job = base .. id
  if redis.call('EXISTS', job) == 0 then
    redis.call('HSET', job, 'name', ARGV[at + 2], 'data', ARGV[at + 3], 'opts', ARGV[6], 'timestamp', ARGV[7],
      'delay', 0, 'priority', ${BEHIND_ALL})
    if cost ~= '1' then redis.call('HSET', job, 'turns', cost) end
    if not isParking and mayRun(sharer) then
      giveTurn(sharer, id, tonumber(cost))
      hasTurn = true
    else
      isParking = true
      local newest = redis.call('ZREVRANGE', queue, 0, 0, 'WITHSCORES')
      park(sharer, id, tonumber(newest[2] or 0) + 1)
      if origin ~= '' then
        redis.call('HSET', job, 'origin', origin)
        displace(sharer, most)
      end
    end
  end
end
if hasTurn then redis.call('ZADD', marker, 0, '0') end
`);

/**
 * Takes the next job. ARGV: lock token, milliseconds that the lock lasts, time. The marker wakes another worker as
 * long as jobs wait. Returns nothing if none does, else the job's fields, its id, and 1 if it was the last.
 */
const FETCH = `
local function fetch(token, lockMs, now)
  local id = redis.call('RPOPLPUSH', first, active)
  if not id then
    id = redis.call('ZPOPMIN', line)[1]
    if not id then
      redis.call('ZREM', marker, '0')
      return nil
    end
    redis.call('LPUSH', active, id)
  end
  local job = base .. id
  redis.call('SET', job .. ':lock', token, 'PX', lockMs)
  redis.call('HSET', job, 'processedOn', now)
  redis.call('HINCRBY', job, 'ats', 1)
  if redis.call('EXISTS', first, line) > 0 then
    redis.call('ZADD', marker, 0, '0')
    return {redis.call('HGETALL', job), id, 0}
  end
  redis.call('ZREM', marker, '0')
  return {redis.call('HGETALL', job), id, 1}
end
`;

/** The counts of ended jobs are kept for an hour, and the minute that runs. */
const ENDED_KEPT_S = 3_700;

/** ARGV: milliseconds that the locks last, time, then a token for each wanted job. Returns jobs as `fetch` does. */
export const TAKE = `${KEY_NAMES}${FETCH}
local jobs = {}
for at = 5, #ARGV do
  local job = fetch(ARGV[at], ARGV[3], ARGV[4])
  jobs[#jobs + 1] = job
  if not job or job[3] == 1 then break end
end
return jobs
`;

/**
 * Removes a job that has ended, if the caller still holds its lock, frees its place, and takes the next one with the
 * same token. Counts the ended jobs of each minute. ARGV: as `fetch`, then sharer, id, and 1 if the next job is wanted.
 */
export const FINISH = step(`${FETCH}
local token, sharer, id = ARGV[3], ARGV[6], ARGV[7]
local job = base .. id
if redis.call('GET', job .. ':lock') ~= token then return nil end
redis.call('DEL', job, job .. ':lock')
redis.call('SREM', base .. 'stalled', id)
redis.call('LREM', active, -1, id)
redis.call('SREM', openOf(sharer), id)
refill(sharer)
local ended = fair .. 'ended:' .. math.floor(tonumber(ARGV[5]) / 60000)
if redis.call('INCR', ended) == 1 then redis.call('EXPIRE', ended, ${ENDED_KEPT_S}) end
if ARGV[8] == '1' then return fetch(token, ARGV[4], ARGV[5]) end
`);

/** ARGV: sharer and id of a job that was removed from the queue. */
export const LEAVE = step(`
local sharer, id = ARGV[3], ARGV[4]
redis.call('SREM', openOf(sharer), id)
for _, lane in ipairs({sharer, userOf(sharer) .. '|bulk'}) do
  if redis.call('ZREM', queueOf(lane), id) == 1 and redis.call('EXISTS', queueOf(lane)) == 0 then
    redis.call('ZREM', waiting, lane)
  end
  -- A user without other jobs has no debt for a removed one.
  if redis.call('EXISTS', openOf(lane), queueOf(lane)) == 0 then redis.call('ZREM', ends, lane) end
end
refill(sharer)
`);

/** ARGV: sharer, id, time. The job is back in the line and takes its next turn behind waiting jobs. */
export const GIVE_BACK = step(`
local id = ARGV[4]
local sharer = redis.call('HGET', base .. id, 'lane') or ARGV[3]
if redis.call('ZREM', line, id) == 0 then return end
redis.call('SREM', openOf(sharer), id)
-- It has not crashed so far, so it starts to wait with a clean record.
redis.call('HDEL', base .. id, 'stc')
redis.call('HSET', base .. id, 'timestamp', ARGV[5])
local oldest = redis.call('ZRANGE', queueOf(sharer), 0, 0, 'WITHSCORES')
park(sharer, id, tonumber(oldest[2] or 0) - 1)
release(sharer)
fill()
`);

/**
 * Returns a job that its worker will not finish, if it still holds the lock. Having had its turn, it goes first.
 * ARGV: id, lock token, 1 if an attempt has started.
 */
export const HAND_BACK = `${KEY_NAMES}
local job = base .. ARGV[3]
if redis.call('GET', job .. ':lock') ~= ARGV[4] then return end
redis.call('DEL', job .. ':lock')
redis.call('SREM', base .. 'stalled', ARGV[3])
if redis.call('LREM', active, -1, ARGV[3]) == 0 then return end
if ARGV[5] == '0' then redis.call('HINCRBY', job, 'ats', -1) end
redis.call('HSET', job, 'priority', 0)
redis.call('RPUSH', first, ARGV[3])
redis.call('ZADD', marker, 0, '0')
`;
