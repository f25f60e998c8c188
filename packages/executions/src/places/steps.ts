/** Initial priority, behind all jobs with a turn: the largest that BullMQ's scores can represent. */
export const BEHIND_ALL = 2 ** 21 - 1;

/** Number of jobs in one turn that keep their order. */
export const SAME_TURN = 2 ** 20;

/** A day after a user's last job, the user's counters expire. */
const FORGET_AFTER_S = 86_400;

/** Score of a parked job in BullMQ's `delayed`: a time that never comes. */
const NEVER = 1e17;

/** Users with parked jobs that one step checks. */
const LOOKS = 16;

/** Parked singles of a user that one step checks. */
const DISPLACEABLE = 64;

/** A worker process is considered dead after this time without a renewal. */
const WORKER_GONE_MS = 12_000;

/**
 * Functions shared by all steps. Every step takes the same keys. Its first arguments are the prefixes of
 * job keys and fairness keys.
 *
 * Turns follow start-time fair queueing (Goyal, Vin and Cheng, 1996): a job's turn starts at the end of its
 * sharer's last job or at the current turn, whichever is later, and lasts as many turns as the job costs.
 * Further jobs of a user with a full share are parked in the sharer's queue until a place is free.
 */
const SHARED = `
local line, active, clock, ends, first, parked, marker, waiting, pool = unpack(KEYS)
local base, fair = ARGV[1], ARGV[2]
local behind, width, last = ${BEHIND_ALL} * 4294967296, ${SAME_TURN}, 8589930496

local function userOf(sharer) return string.match(sharer, '^[^|]+') end
local function lanesOf(user) return {user, user .. '|bulk', user .. '|batches'} end
local function openOf(sharer) return fair .. 'open:' .. userOf(sharer) end
local function queueOf(sharer) return fair .. 'queue:' .. sharer end

local function places()
  local size = redis.call('HGET', pool, 'size')
  return size and tonumber(size) or 1000000000
end

-- Number of active jobs that are about to end.
local ending = 0

local function used()
  return redis.call('LLEN', active) + redis.call('ZCARD', line) + redis.call('LLEN', first) - ending
end

-- One job is always allowed. Further ones must leave others a third of what the user holds, and at least one
-- free place. Batches and bulks leave part of a user's share to single jobs. Where single jobs wait nevertheless, they
-- and the bulk take turns.
local function mayRun(sharer, arriving)
  local open = redis.call('SCARD', openOf(sharer))
  if open == 0 then return true end
  local left = places() - used() + arriving - 1
  local waits = string.find(sharer, '|bulk', 1, true) and redis.call('EXISTS', queueOf(userOf(sharer))) == 1
  if string.find(sharer, '|', 1, true) and not waits then return left >= 2 and open + 1 <= 2 * left end
  return left >= 1 and open + 1 <= 3 * left
end

local function giveTurn(sharer, id)
  local seen = redis.call('HMGET', clock, 'latest', 'count')
  local latest, count = tonumber(seen[1] or 0), tonumber(seen[2] or 0)
  local head = redis.call('ZRANGE', line, 0, 0, 'WITHSCORES')
  local now = latest
  if head[2] and tonumber(head[2]) < behind then
    now = math.floor(tonumber(head[2]) / width)
  elseif redis.call('LLEN', active) == 0 then
    -- No job competes: clear the debts, and reset a clock that has run for months.
    local furthest = redis.call('ZREVRANGE', ends, 0, 0, 'WITHSCORES')
    now = math.max(latest, tonumber(furthest[2] or 0))
    if now > last / 2 then now = 0 end
    latest = now
    redis.call('DEL', ends)
  end
  redis.call('ZREMRANGEBYSCORE', ends, '-inf', now)
  local free = math.max(now, tonumber(redis.call('ZSCORE', ends, sharer) or 0))
  local turn = math.min(free, last)
  count = (count + 1) % width
  redis.call('ZADD', line, string.format('%.0f', turn * width + count), id)
  redis.call('ZADD', ends, turn + tonumber(redis.call('HGET', base .. id, 'turns') or 1), sharer)
  redis.call('HSET', clock, 'latest', string.format('%.0f', math.max(latest, turn)), 'count', count)
  redis.call('SADD', openOf(sharer), id)
  for _, key in ipairs({clock, ends, openOf(sharer)}) do redis.call('EXPIRE', key, ${FORGET_AFTER_S}) end
end

local function park(sharer, id, score)
  redis.call('ZADD', parked, ${NEVER}, id)
  redis.call('ZADD', queueOf(sharer), score, id)
  redis.call('ZADD', waiting, 'NX', redis.call('HINCRBY', pool, 'looks', 1), sharer)
end

-- Gives a sharer's first parked job its turn, if it may run.
local function release(sharer)
  if not mayRun(sharer, 0) then return false end
  local queue = queueOf(sharer)
  while true do
    local id = redis.call('ZRANGE', queue, 0, 0)[1]
    if not id then
      redis.call('ZREM', waiting, sharer)
      return false
    end
    redis.call('ZREM', queue, id)
    if redis.call('ZREM', parked, id) == 1 then
      if redis.call('EXISTS', queue) == 0 then redis.call('ZREM', waiting, sharer) end
      giveTurn(sharer, id)
      redis.call('ZADD', marker, 0, '0')
      return true
    end
  end
end

-- Gives free places to sharers with parked jobs, in turns.
local function fill()
  -- The last place is reserved for users without any, who are never parked.
  if places() - used() < 2 then return end
  local refused = 0
  while refused < ${LOOKS} do
    local sharer = redis.call('ZRANGE', waiting, 0, 0)[1]
    if not sharer then return end
    redis.call('ZADD', waiting, redis.call('HINCRBY', pool, 'looks', 1), sharer)
    if not release(sharer) then refused = refused + 1 end
  end
end

-- Fills a place that the user freed: first from the user's own jobs, of the lane that is furthest behind.
local function refill(sharer)
  if redis.call('EXISTS', waiting) == 0 then return end
  local lanes = lanesOf(userOf(sharer))
  local debts = redis.call('ZMSCORE', ends, unpack(lanes))
  local order = {1, 2, 3}
  table.sort(order, function(one, other)
    local debt, another = tonumber(debts[one] or 0), tonumber(debts[other] or 0)
    if debt == another then return one < other end
    return debt < another
  end)
  for _, at in ipairs(order) do
    if release(lanes[at]) then break end
  end
  fill()
end
`;

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

const step = (lua: string) => `${SHARED}\n${lua}`;

export const NUMBER_OF_KEYS = 9;

/**
 * ARGV: sharer, how many of its jobs with an origin may be parked as singles, their origin (empty: none), then id and
 * cost of each job. The jobs were just added with the initial priority. Further jobs take the turns of a bulk.
 */
export const JOIN = step(`
${DISPLACE}
local sharer, most, origin = ARGV[3], tonumber(ARGV[4]), ARGV[5]
local arriving = 0
for at = 6, #ARGV, 2 do
  local score = redis.call('ZSCORE', line, ARGV[at])
  if score and tonumber(score) >= behind then arriving = arriving + 1 end
end
for at = 6, #ARGV, 2 do
  local id, cost = ARGV[at], ARGV[at + 1]
  local score = redis.call('ZSCORE', line, id)
  -- A job that is not new has or had its turn, or is parked.
  if score and tonumber(score) >= behind then
    if tonumber(cost) ~= 1 then redis.call('HSET', base .. id, 'turns', cost) end
    if redis.call('EXISTS', queueOf(sharer)) == 0 and mayRun(sharer, arriving) then
      giveTurn(sharer, id)
    else
      redis.call('ZREM', line, id)
      local newest = redis.call('ZREVRANGE', queueOf(sharer), 0, 0, 'WITHSCORES')
      park(sharer, id, tonumber(newest[2] or 0) + 1)
      if origin ~= '' then
        redis.call('HSET', base .. id, 'origin', origin)
        displace(sharer, most)
      end
    end
    arriving = arriving - 1
  end
end
`);

/** ARGV: sharer, id, 1 if the job is still active (0: it was removed from the queue), and its lock token if 1. */
export const LEAVE = step(`
local sharer, id = ARGV[3], ARGV[4]
-- Another attempt holds the job and its place.
if ARGV[6] and redis.call('GET', base .. id .. ':lock') ~= ARGV[6] then return end
ending = tonumber(ARGV[5])
redis.call('SREM', openOf(sharer), id)
for _, lane in ipairs({sharer, userOf(sharer) .. '|bulk'}) do
  if redis.call('ZREM', queueOf(lane), id) == 1 and redis.call('EXISTS', queueOf(lane)) == 0 then
    redis.call('ZREM', waiting, lane)
  end
  -- A user without other jobs has no debt for a removed one.
  if ending == 0 and redis.call('EXISTS', openOf(lane), queueOf(lane)) == 0 then redis.call('ZREM', ends, lane) end
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
 * ARGV: sharer, run time of the job, time slices of a user with several places and with one.
 * Returns 1 if every place is taken and another user waits: the job should yield. At most once a second.
 */
export const WANTED = step(`
local open = openOf(ARGV[3])
local held = redis.call('SMEMBERS', open)
if tonumber(ARGV[4]) < tonumber(#held > 1 and ARGV[5] or ARGV[6]) then return 0 end
if redis.call('LLEN', active) < places() then return 0 end
local others = redis.call('LLEN', first) + redis.call('ZCARD', line)
if others == 0 then return 0 end
for _, id in ipairs(held) do
  if redis.call('ZSCORE', line, id) then others = others - 1 end
end
if others <= 0 then return 0 end
return redis.call('SET', fair .. 'given-back', 1, 'PX', 1000, 'NX') and 1 or 0
`);

/**
 * ARGV: worker, its places (0: it stops), its process. Sums the places of all workers, and repairs what those that died
 * have left.
 */
export const REGISTER = step(`
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
for _, sharer in ipairs(redis.call('ZRANGE', waiting, 0, ${LOOKS - 1})) do
  for _, id in ipairs(redis.call('SMEMBERS', openOf(sharer))) do
    if redis.call('EXISTS', base .. id) == 0 or redis.call('HEXISTS', base .. id, 'finishedOn') == 1 then
      redis.call('SREM', openOf(sharer), id)
    end
  end
  release(sharer)
  -- Start with the others next time, even while no place is free.
  redis.call('ZADD', waiting, 'XX', redis.call('HINCRBY', pool, 'looks', 1), sharer)
end
fill()
`);

/**
 * ARGV: processes that are gone. Removes their workers, and takes the locks of their jobs, so that the queue's next
 * check hands them out. Returns the number of jobs.
 */
export const DISOWN = step(`
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
`);

export const FORGET = step(`
for _, sharer in ipairs(lanesOf(ARGV[3])) do
  redis.call('DEL', queueOf(sharer), openOf(sharer))
  redis.call('ZREM', waiting, sharer)
  redis.call('ZREM', ends, sharer)
end
`);
