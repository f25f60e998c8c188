import { LANE_LINES } from './lane-lines.ts';
import { BEHIND_ALL, LOOKS, NEVER, PARK_AGAIN } from './queue-keys.ts';

/** Number of jobs in one turn that keep their order. */
export const SAME_TURN = 2 ** 20;

/** A job that its lane has let go on counts against the size of the lane for this time, or until it is put off. */
const CALLS_WITHIN_MS = 5_000;

/** Jobs that one step moves to the lines of their lanes. */
const MOST_MOVED = 200;

/** A user's counters expire a day after the user's last job. */
const FORGET_AFTER_S = 86_400;

/**
 * Functions of the steps for queues that are bounded by the places of workers.
 *
 * Turns follow start-time fair queueing (Goyal, Vin and Cheng, 1996): a job's turn starts at the end of its
 * sharer's last job or at the current turn, whichever is later, and lasts as many turns as the job costs.
 * Further jobs of a user with a full share are parked in the sharer's queue until a place is free.
 *
 * A job whose lane is closed, or has put it off, is parked in the lane's line first. The lane is known from the start
 * for work that always calls one model, and for other work once it has been put off.
 */
export const PLACE_TURNS = `${LANE_LINES}
lanes = fair .. 'lanes'

-- The lane that a job calls, by job.
local callers = fair .. 'callers'
-- Jobs that a lane has let go on, by time.
local function wokenOf(lane) return fair .. 'woken:' .. lane end
countOf = function(lane) return redis.call('ZCOUNT', wokenOf(lane), now - ${CALLS_WITHIN_MS}, '+inf') end
-- A user's bulk and single jobs share a line of a lane.
local function lineIn(lane, sharer)
  return userOf(sharer) .. (string.find(sharer, '|batches', 1, true) and '|batches' or '') .. '@' .. lane
end
local function mayEnter(lane) return lane == '' or (not isClosed(lane) and mayHold(lane)) end

local behind, width, last = ${BEHIND_ALL} * 4294967296, ${SAME_TURN}, 8589930496

local function bulkOf(user) return user .. '|bulk' end
local function linesOf(user) return {user, bulkOf(user), user .. '|batches'} end
local function openOf(sharer) return fair .. 'open:' .. userOf(sharer) end
local hasBulks = true

-- Returns the score of a new parked job: behind all others of its sharer.
local function scoreOf(sharer) return endOf(queueOf(sharer), true) end

-- One job is always allowed. Further ones must leave others a third of what the user holds, and at least one
-- free place. Batches and bulks leave part of a user's share to single jobs. Where single jobs wait nevertheless, they
-- and the bulk take turns.
local function mayRun(sharer)
  local open = redis.call('SCARD', openOf(sharer))
  if open == 0 then return true end
  local left = places() - taken() - 1
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
  local lane = redis.call('HGET', callers, id)
  if lane then use(lane, id) end
  for _, key in ipairs({clock, ends, openOf(sharer)}) do redis.call('EXPIRE', key, ${FORGET_AFTER_S}) end
end

local function park(sharer, id, score)
  redis.call('ZADD', parked, ${NEVER}, id)
  redis.call('ZADD', queueOf(sharer), score, id)
  redis.call('ZADD', waiting, 'NX', redis.call('HINCRBY', pool, 'looks', 1), sharer)
end

local parkForLane

-- Gives a sharer's first parked job its turn, if it may run. Jobs whose lane takes none move to the lane's line.
local function release(sharer)
  if not mayRun(sharer) then return false end
  local queue = queueOf(sharer)
  for _ = 1, ${MOST_MOVED} do
    local id = redis.call('ZRANGE', queue, 0, 0)[1]
    if not id then
      redis.call('ZREM', waiting, sharer)
      return false
    end
    redis.call('ZREM', queue, id)
    local isParked = redis.call('ZREM', parked, id) == 1
    if redis.call('EXISTS', queue) == 0 then redis.call('ZREM', waiting, sharer) end
    local lane = redis.call('HGET', callers, id)
    if isParked and lane and not mayEnter(lane) then
      parkForLane(sharer, id, lane, true)
    elseif isParked then
      giveTurn(sharer, id, tonumber(redis.call('HGET', base .. id, 'turns') or 1))
      redis.call('ZADD', marker, 0, '0')
      return true
    end
  end
  return false
end

-- Gives free places to sharers with parked jobs, in turns.
local function fill()
  -- The last place is reserved for users without any, who are never parked.
  if places() - taken() < 2 then return end
  local refused = 0
  while refused < ${LOOKS} do
    local sharer = redis.call('ZRANGE', waiting, 0, 0)[1]
    if not sharer then return end
    redis.call('ZADD', waiting, redis.call('HINCRBY', pool, 'looks', 1), sharer)
    if not release(sharer) then refused = refused + 1 end
  end
end

-- The lane of the last job that was freed.
local freed

-- Fills a place that the user freed: first from the user's own jobs, of the line that is furthest behind.
local function refill(sharer)
  refillLanes(freed)
  if redis.call('EXISTS', waiting) == 0 then return end
  local lines = linesOf(userOf(sharer))
  local debts = redis.call('ZMSCORE', ends, unpack(lines))
  local order = {1, 2, 3}
  table.sort(order, function(one, other)
    local debt, another = tonumber(debts[one] or 0), tonumber(debts[other] or 0)
    if debt == another then return one < other end
    return debt < another
  end)
  for _, at in ipairs(order) do
    if release(lines[at]) then break end
  end
  fill()
end

local function free(sharer, id)
  redis.call('SREM', openOf(sharer), id)
  freed = redis.call('HGET', callers, id)
  if not freed then return end
  redis.call('SREM', usedOf(freed), id)
  redis.call('ZREM', wokenOf(freed), id)
end

-- Forgets the lane of a job that has left.
local function leaveLane(id) redis.call('HDEL', callers, id) end

-- Lets jobs of other users go before a job that gave its place back.
local function goOn(sharer)
  refillLanes(freed)
  release(sharer)
  fill()
end

-- Removes a waiting job.
local function withdraw(sharer, id)
  local lane = redis.call('HGET', callers, id)
  if lane then withdrawFromLane(lineIn(lane, sharer), id) end
  for _, line in ipairs({sharer, bulkOf(userOf(sharer))}) do
    if redis.call('ZREM', queueOf(line), id) == 1 and redis.call('EXISTS', queueOf(line)) == 0 then
      redis.call('ZREM', waiting, line)
    end
    -- A user without other jobs has no debt for a removed one.
    if redis.call('EXISTS', openOf(line), queueOf(line)) == 0 then redis.call('ZREM', ends, line) end
  end
end

-- Removes a user's lines and debts.
local function forget(user)
  forgetLanes(user)
  for _, sharer in ipairs(linesOf(user)) do
    redis.call('DEL', queueOf(sharer), openOf(sharer))
    redis.call('ZREM', waiting, sharer)
    redis.call('ZREM', ends, sharer)
  end
end

-- Gives the places of a dead process to others.
local function repair()
  repairLanes()
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
end

${PARK_AGAIN}
local function noteLane(id, lane)
  redis.call('HSET', callers, id, lane)
  redis.call('EXPIRE', callers, ${FORGET_AFTER_S})
end

-- Parks a job in the line of the lane that it calls.
parkForLane = function(sharer, id, lane, isLast)
  noteLane(id, lane)
  redis.call('ZREM', wokenOf(lane), id)
  redis.call('HSET', base .. id, 'line', sharer)
  local own = lineIn(lane, sharer)
  parkInLane(own, id, endOf(queueOf(own), isLast))
end

-- Puts a job that its lane has put off into the lane's line, first or last.
local function awaitLane(sharer, id, lane, isLast)
  free(sharer, id)
  forgive(id)
  parkForLane(sharer, id, lane, isLast)
end

-- Puts a job whose pause is over into the line of its lane.
local function goBack(sharer, id)
  local lane = redis.call('HGET', callers, id)
  if not lane then return parkAgain(sharer, id) end
  awaitLane(sharer, id, lane)
end

-- Moves a job from the line of its lane to the front of its sharer's, since it may call again.
letRun = function(own, id)
  local lane = laneOf(own)
  redis.call('ZADD', wokenOf(lane), now, id)
  redis.call('EXPIRE', wokenOf(lane), ${FORGET_AFTER_S})
  local sharer = redis.call('HGET', base .. id, 'line') or userOf(own)
  park(sharer, id, endOf(queueOf(sharer)))
  release(sharer)
end

-- Ends the wait of a job: its last attempt fails, unless the lane takes its call.
local function endWait(sharer, id)
  withdraw(sharer, id)
  leaveLane(id)
  park(sharer, id, endOf(queueOf(sharer)))
  release(sharer)
  return false
end

-- Whether a running job should make room for a job of another user.
local function wanted(sharer, ranMs, sliceMs, onlySliceMs)
  local held = redis.call('SMEMBERS', openOf(sharer))
  if ranMs < (#held > 1 and sliceMs or onlySliceMs) then return false end
  if redis.call('LLEN', active) < places() then return false end
  local others = redis.call('LLEN', first) + redis.call('ZCARD', line)
  if others == 0 then return false end
  for _, id in ipairs(held) do
    if redis.call('ZSCORE', line, id) then others = others - 1 end
  end
  return others > 0
end
`;
