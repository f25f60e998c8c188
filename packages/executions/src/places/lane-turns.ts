import { FORGET_LANE_AFTER_S, LANE_LINES } from './lane-lines.ts';
import { PARK_AGAIN } from './queue-keys.ts';

/** Score that puts batches behind all single jobs with a turn, in case workers have no place for all. */
const BEHIND_SINGLES = 2 ** 40;

/**
 * Functions of the steps for queues that are bounded by the lanes of providers. A sharer is a line of its lane. A lane
 * lets as many jobs run as the provider takes, and parks the others.
 */
export const LANE_TURNS = `${LANE_LINES}
lanes = waiting
countOf = function(lane, class)
  return redis.call('SCARD', class == 'batch' and usedByBatches(lane) or usedOf(lane))
end

local function bulkOf(sharer) return userOf(sharer) .. '|bulk@' .. laneOf(sharer) end
local function mayEnter() return true end
local function mayRun(sharer) return room(laneOf(sharer), classOf(sharer)) > 0 end

local function giveTurn(sharer, id)
  local score = redis.call('HINCRBY', pool, 'turns', 1)
  if classOf(sharer) == 'batch' then score = score + ${BEHIND_SINGLES} end
  redis.call('ZADD', line, string.format('%.0f', score), id)
  local lane = laneOf(sharer)
  use(lane, id)
  if classOf(sharer) == 'single' then return end
  redis.call('SADD', usedByBatches(lane), id)
  redis.call('EXPIRE', usedByBatches(lane), ${FORGET_LANE_AFTER_S})
end

letRun = giveTurn

local function park(sharer, id, score)
  parkInLane(sharer, id, score)
  redis.call('HSET', base .. id, 'line', sharer)
end

local hasBulks = false

-- Returns the score of a new parked job.
local function scoreOf(sharer, origin)
  if origin == '' then return endOf(queueOf(sharer), true) end
  local order = orderOf(sharer)
  local known = redis.call('HMGET', order, origin, 'now')
  local score = math.max(tonumber(known[1] or 0), tonumber(known[2] or 0)) + 1
  redis.call('HSET', order, origin, score)
  redis.call('EXPIRE', order, ${FORGET_LANE_AFTER_S})
  return score
end

local function free(sharer, id) freeIn(laneOf(sharer), id) end
local function refill(sharer) refillLanes(laneOf(sharer)) end
local function goOn(sharer) refill(sharer) end
local function withdraw(sharer, id) withdrawFromLane(sharer, id) end
local function leaveLane() end
local function forget(user) forgetLanes(user) end
local function repair() repairLanes() end
${PARK_AGAIN}
-- Puts a job back into the line of its lane.
local function awaitLane(sharer, id, _, isLast) parkAgain(sharer, id, nil, isLast) end

local function noteLane() end
local function goBack(sharer, id) parkAgain(sharer, id) end

-- Ends the wait of a job. Returns whether the job ends with it.
local function endWait(sharer, id)
  withdraw(sharer, id)
  if redis.call('HGET', base .. id, 'after') ~= 'run' then return true end
  redis.call('HDEL', base .. id, 'wait_until')
  giveTurn(sharer, id)
  return false
end

local function wanted(sharer, ranMs, sliceMs)
  if ranMs < sliceMs then return false end
  local lane = laneOf(sharer)
  local others = redis.call('ZCARD', waitersOf(lane, 'single')) + redis.call('ZCARD', waitersOf(lane, 'batch'))
  if redis.call('ZSCORE', waitersOf(lane, classOf(sharer)), sharer) then others = others - 1 end
  return others > 0
end
`;
