import { BEHIND_ALL, KEY_NAMES } from './queue-keys.ts';

/** Number of a user's parked single jobs that one step checks. */
const DISPLACEABLE = 64;

/**
 * Moves a single job to the user's bulk: the oldest of the origin with the most parked singles. The latest jobs of
 * each origin remain singles, and a bulk that is still arriving does not displace those of another origin.
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
  local id, bulk = oldest[largest], bulkOf(user)
  redis.call('ZREM', queueOf(user), id)
  redis.call('HSET', base .. id, 'line', bulk)
  park(bulk, id, endOf(queueOf(bulk), true))
end
`;

/**
 * ARGV: how many jobs with an origin may be parked as singles of a sharer, options of the jobs, then for each
 * job its sharer, origin (a sender or a batch; empty: none), how long it may wait for its provider (empty: no limit),
 * the step after that, the lane that it calls from a place (empty: unknown), id, cost, kind, and data. Ignores existing
 * jobs. Further jobs join the bulk. Returns 1 for each job that waits for its lane, else 0.
 */
export const ENQUEUE = `
${DISPLACE}
local most = tonumber(ARGV[3])
local hasTurn = false
local queue, isParking
local answers = {}
for at = 5, #ARGV, 9 do
  local sharer, origin, wait, after, lane, id, cost = unpack(ARGV, at, at + 6)
  local job = base .. id
  if queue ~= queueOf(sharer) then
    queue = queueOf(sharer)
    isParking = redis.call('EXISTS', queue) == 1
  end
  answers[#answers + 1] = 0
  if redis.call('EXISTS', job) == 0 then
    redis.call('HSET', job, 'name', ARGV[at + 7], 'data', ARGV[at + 8], 'opts', ARGV[4], 'timestamp', string.format('%.0f', now),
      'delay', 0, 'priority', ${BEHIND_ALL})
    if cost ~= '1' then redis.call('HSET', job, 'turns', cost) end
    if wait ~= '' then redis.call('HSET', job, 'wait', wait, 'after', after) end
    if lane ~= '' then noteLane(id, lane) end
    if not mayEnter(lane) then
      answers[#answers] = 1
      awaitLane(sharer, id, lane, true)
    elseif not isParking and mayRun(sharer) then
      giveTurn(sharer, id, tonumber(cost))
      hasTurn = true
    else
      isParking = true
      answers[#answers] = laneOf(sharer) ~= '' and 1 or 0
      park(sharer, id, scoreOf(sharer, origin))
      if origin ~= '' and hasBulks then
        redis.call('HSET', job, 'origin', origin)
        displace(sharer, most)
      end
    end
  end
end
if hasTurn then redis.call('ZADD', marker, 0, '0') end
return answers
`;

/**
 * Takes the next job. ARGV: lock token, milliseconds that the lock lasts, time. The marker wakes another worker while
 * jobs wait. Returns nothing if none waits, else the job's fields, its id, and 1 if it was the last.
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

/** Counts of ended jobs are kept for an hour, plus the current minute. */
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
 * Removes ended jobs whose locks the caller still holds, frees their places, and takes the next job on request, with
 * the same token. Counts the jobs that ended in each minute. ARGV: milliseconds that the locks last, time, then for
 * each job the token, sharer, id, and 1 if a next job is wanted. Returns 0 or the next job, as in `fetch`, for each.
 */
export const FINISH = `${FETCH}
local answers = {}
local count = 0
for at = 5, #ARGV, 4 do
  local token, sharer, id = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local job = base .. id
  local next = nil
  if redis.call('GET', job .. ':lock') == token then
    redis.call('DEL', job, job .. ':lock')
    redis.call('SREM', base .. 'stalled', id)
    redis.call('LREM', active, -1, id)
    free(sharer, id)
    leaveLane(id)
    refill(sharer)
    count = count + 1
    if ARGV[at + 3] == '1' then next = fetch(token, ARGV[3], ARGV[4]) end
  end
  answers[#answers + 1] = next or 0
end
local ended = fair .. 'ended:' .. math.floor(tonumber(ARGV[4]) / 60000)
if count > 0 and redis.call('INCRBY', ended, count) == count then redis.call('EXPIRE', ended, ${ENDED_KEPT_S}) end
return answers
`;

/** ARGV: sharer and id of a removed job. */
export const LEAVE = `
local sharer, id = ARGV[3], ARGV[4]
redis.call('ZREM', fair .. 'later', id)
free(sharer, id)
withdraw(sharer, id)
leaveLane(id)
refill(sharer)
`;

/** ARGV: sharer, id. The job is back in the line and takes its next turn behind waiting jobs. */
export const GIVE_BACK = `
local id = ARGV[4]
local sharer = redis.call('HGET', base .. id, 'line') or ARGV[3]
if redis.call('ZREM', line, id) == 0 then return end
parkAgain(sharer, id, string.format('%.0f', now))
goOn(sharer)
`;

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
