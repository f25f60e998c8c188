/** Initial priority, behind all jobs with a turn: the largest that BullMQ's scores can represent. */
export const BEHIND_ALL = 2 ** 21 - 1;

/** Number of jobs in one turn that keep their order. */
export const SAME_TURN = 2 ** 20;

/** A user's counters expire a day after the user's last job. */
const FORGET_AFTER_S = 86_400;

/** Score of a parked job in BullMQ's `delayed`: a time that never comes. */
const NEVER = 1e17;

/** Number of users with parked jobs that one step checks. */
export const LOOKS = 16;

/** Every step takes the same keys. Its first arguments are the prefixes of job keys and fairness keys. */
export const KEY_NAMES = `
local line, active, clock, ends, first, parked, marker, waiting, pool = unpack(KEYS)
local base, fair = ARGV[1], ARGV[2]
`;

/**
 * Shared functions of the steps that assign turns and places.
 *
 * Turns follow start-time fair queueing (Goyal, Vin and Cheng, 1996): a job's turn starts at the end of its
 * sharer's last job or at the current turn, whichever is later, and lasts as many turns as the job costs.
 * Further jobs of a user with a full share are parked in the sharer's queue until a place is free.
 */
const SHARED = `${KEY_NAMES}
local behind, width, last = ${BEHIND_ALL} * 4294967296, ${SAME_TURN}, 8589930496

local function userOf(sharer) return string.match(sharer, '^[^|]+') end
local function lanesOf(user) return {user, user .. '|bulk', user .. '|batches'} end
local function openOf(sharer) return fair .. 'open:' .. userOf(sharer) end
local function queueOf(sharer) return fair .. 'queue:' .. sharer end

local function places()
  local size = redis.call('HGET', pool, 'size')
  return size and tonumber(size) or 1000000000
end

local function used()
  return redis.call('LLEN', active) + redis.call('ZCARD', line) + redis.call('LLEN', first)
end

-- One job is always allowed. Further ones must leave others a third of what the user holds, and at least one
-- free place. Batches and bulks leave part of a user's share to single jobs. Where single jobs wait nevertheless, they
-- and the bulk take turns.
local function mayRun(sharer)
  local open = redis.call('SCARD', openOf(sharer))
  if open == 0 then return true end
  local left = places() - used() - 1
  local waits = string.find(sharer, '|bulk', 1, true) and redis.call('EXISTS', queueOf(userOf(sharer))) == 1
  if string.find(sharer, '|', 1, true) and not waits then return left >= 2 and open + 1 <= 2 * left end
  return left >= 1 and open + 1 <= 3 * left
end

local function giveTurn(sharer, id, turns)
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
  redis.call('ZADD', ends, turn + turns, sharer)
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
  if not mayRun(sharer) then return false end
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
      giveTurn(sharer, id, tonumber(redis.call('HGET', base .. id, 'turns') or 1))
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

/** Prepends the functions above to a step. */
export const step = (lua: string) => `${SHARED}\n${lua}`;

export const NUMBER_OF_KEYS = 9;
