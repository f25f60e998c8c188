import { KEY_NAMES, LOOKS, NEVER } from './queue-keys.ts';

/** Jobs of a lane that may run before anything is known about it. */
export const FIRST_LANE_SIZE = 10;

/** Turns of single jobs for each turn of a batch, if single jobs could use the whole lane. */
const SINGLES_PER_BATCH = 9;

/** Jobs that one step lets run. The caller repeats the step for more. */
const MOST_AT_ONCE = 200;

/** The state of a lane in its queue expires a day after the last job. */
export const FORGET_LANE_AFTER_S = 86_400;

/** Score that puts batches behind all single jobs with a turn, in case workers have no place for all. */
const BEHIND_SINGLES = 2 ** 40;

/**
 * Functions of the steps for queues that are bounded by the lanes of providers. A sharer is `<user>@<lane>`, or
 * `<user>|batches@<lane>`. A lane lets as many jobs run as the provider takes, and parks the others. Single requests go
 * before batches, which still get a tenth of the turns. Users take turns, by the cost of their jobs.
 *
 * `fair .. 'lane:' .. lane` is a hash: `size` and `batch_size` (jobs that may run), `until` (closed, ms), `at` (order of
 * the news), `picks` (parked jobs that got a turn), and the virtual times of both classes.
 */
export const LANE_TURNS = `${KEY_NAMES}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local expiry = fair .. 'expiry'

local function userOf(sharer) return string.match(sharer, '^[^|@]+') end
local function laneOf(sharer) return string.match(sharer, '@(.*)$') or '' end
local function bulkOf(sharer) return userOf(sharer) .. '|bulk@' .. laneOf(sharer) end
local function queueOf(sharer) return fair .. 'queue:' .. sharer end
local function stateOf(lane) return fair .. 'lane:' .. lane end
-- Jobs of the lane with a turn, or running.
local function usedOf(lane) return fair .. 'used:' .. lane end
-- Those of batches, among them.
local function usedByBatches(lane) return fair .. 'used-by-batches:' .. lane end
-- Jobs of the lane that are parked, by the time at which they were queued.
local function parkedOf(lane) return fair .. 'parked:' .. lane end
local function classOf(sharer) return string.find(sharer, '|', 1, true) and 'batch' or 'single' end
local function waitersOf(lane, class) return fair .. class .. ':' .. lane end

local function places()
  local size = redis.call('HGET', pool, 'size')
  return size and tonumber(size) or 1000000000
end

-- Whether a job waits for a worker's place, rather than for its provider.
local isCrowded = false

local function room(lane, class)
  local known = redis.call('HMGET', stateOf(lane), 'size', 'until', 'batch_size')
  if tonumber(known[2] or 0) > now then return 0 end
  local size = tonumber(known[1] or ${FIRST_LANE_SIZE})
  local used = redis.call('SCARD', usedOf(lane))
  -- A lane whose provider hangs must leave workers' places to other lanes.
  local left = places() - redis.call('LLEN', active) - redis.call('ZCARD', line) - redis.call('LLEN', first) - 1
  if left < 0 or (used > 0 and used + 1 > 3 * left) then
    isCrowded = true
    return 0
  end
  if class == 'single' then return size - used end
  return math.min(size - used, tonumber(known[3] or size) - redis.call('SCARD', usedByBatches(lane)))
end

local function mayRun(sharer) return room(laneOf(sharer), classOf(sharer)) > 0 end

local function giveTurn(sharer, id)
  local score = redis.call('HINCRBY', pool, 'turns', 1)
  if classOf(sharer) == 'batch' then score = score + ${BEHIND_SINGLES} end
  redis.call('ZADD', line, string.format('%.0f', score), id)
  local lane = laneOf(sharer)
  for _, used in ipairs({usedOf(lane), classOf(sharer) == 'batch' and usedByBatches(lane) or nil}) do
    redis.call('SADD', used, id)
    redis.call('EXPIRE', used, ${FORGET_LANE_AFTER_S})
  end
end

local function park(sharer, id, score)
  local lane, job = laneOf(sharer), base .. id
  local state = stateOf(lane)
  redis.call('EXPIRE', state, ${FORGET_LANE_AFTER_S})
  redis.call('ZADD', parked, ${NEVER}, id)
  redis.call('ZADD', queueOf(sharer), score, id)
  local seen = redis.call('HMGET', job, 'timestamp', 'wait', 'wait_until')
  redis.call('ZADD', parkedOf(lane), tonumber(seen[1] or now), id)
  redis.call('HSET', job, 'line', sharer)
  if seen[2] then
    local ends_at = tonumber(seen[3] or now + seen[2])
    redis.call('HSET', job, 'wait_until', string.format('%.0f', ends_at))
    redis.call('ZADD', expiry, ends_at, id)
  end
  if isCrowded then redis.call('HSET', pool, 'crowded', 1) end
  local class = classOf(sharer)
  redis.call('ZADD', waitersOf(lane, class), 'NX', redis.call('HGET', state, class) or 0, sharer)
  redis.call('ZADD', waiting, 'NX', redis.call('HINCRBY', pool, 'looks', 1), lane)
end

local hasBulks = false

-- Batches of a user take turns: each item is one turn behind the last one of its batch.
local function orderOf(sharer) return fair .. 'order:' .. sharer end

-- Returns the score of a new parked job.
local function scoreOf(sharer, origin)
  if origin == '' then
    local newest = redis.call('ZREVRANGE', queueOf(sharer), 0, 0, 'WITHSCORES')
    return tonumber(newest[2] or 0) + 1
  end
  local order = orderOf(sharer)
  local known = redis.call('HMGET', order, origin, 'now')
  local score = math.max(tonumber(known[1] or 0), tonumber(known[2] or 0)) + 1
  redis.call('HSET', order, origin, score)
  redis.call('EXPIRE', order, ${FORGET_LANE_AFTER_S})
  return score
end

-- Forgets that a job is parked. Returns whether it was.
local function takeParked(lane, id)
  redis.call('ZREM', expiry, id)
  redis.call('ZREM', parkedOf(lane), id)
  return redis.call('ZREM', parked, id) == 1
end

local function removeEmpty(lane, sharer)
  if redis.call('EXISTS', queueOf(sharer)) == 0 then redis.call('ZREM', waitersOf(lane, classOf(sharer)), sharer) end
  if redis.call('EXISTS', waitersOf(lane, 'single'), waitersOf(lane, 'batch')) == 0 then
    redis.call('ZREM', waiting, lane)
  end
end

-- Takes the next parked job of a class, from the sharer that has had the fewest turns.
local function nextParked(lane, class)
  local waiters = waitersOf(lane, class)
  while true do
    local next = redis.call('ZRANGE', waiters, 0, 0, 'WITHSCORES')
    local sharer = next[1]
    if not sharer then return nil end
    local popped = redis.call('ZPOPMIN', queueOf(sharer))
    local id = popped[1]
    if id and takeParked(lane, id) then
      if class == 'batch' then redis.call('HSET', orderOf(sharer), 'now', popped[2]) end
      local turns = tonumber(redis.call('HGET', base .. id, 'turns') or 1)
      redis.call('HSET', stateOf(lane), class, next[2])
      redis.call('ZADD', waiters, 'XX', tonumber(next[2]) + turns, sharer)
      removeEmpty(lane, sharer)
      return id, sharer
    end
    removeEmpty(lane, sharer)
  end
end

-- Single jobs go first. Even if they could use every turn, batches get each tenth.
local function classesOf(lane)
  local picks = tonumber(redis.call('HGET', stateOf(lane), 'picks') or 0)
  if picks % ${SINGLES_PER_BATCH + 1} == ${SINGLES_PER_BATCH} then return {'batch', 'single'} end
  return {'single', 'batch'}
end

-- Lets parked jobs run while the lane has room. Returns 1 if more may be able to run.
local function fillLane(lane)
  if not redis.call('ZSCORE', waiting, lane) then return 0 end
  for _ = 1, ${MOST_AT_ONCE} do
    local id, sharer
    for _, class in ipairs(classesOf(lane)) do
      if not id and room(lane, class) > 0 then id, sharer = nextParked(lane, class) end
    end
    if not id then return 0 end
    redis.call('HINCRBY', stateOf(lane), 'picks', 1)
    giveTurn(sharer, id)
    redis.call('ZADD', marker, 0, '0')
  end
  return 1
end

local function free(sharer, id)
  local lane = laneOf(sharer)
  redis.call('SREM', usedOf(lane), id)
  redis.call('SREM', usedByBatches(lane), id)
end

-- Fills the lane of a job that has left, and others if places are scarce.
local function refill(sharer)
  fillLane(laneOf(sharer))
  if redis.call('HEXISTS', pool, 'crowded') == 0 then return end
  isCrowded = false
  for _, lane in ipairs(redis.call('ZRANGE', waiting, 0, ${LOOKS - 1})) do
    redis.call('ZADD', waiting, 'XX', redis.call('HINCRBY', pool, 'looks', 1), lane)
    fillLane(lane)
    if isCrowded then return end
  end
  redis.call('HDEL', pool, 'crowded')
end

local function goOn(sharer) refill(sharer) end

local function withdraw(sharer, id)
  local lane = laneOf(sharer)
  takeParked(lane, id)
  for _, line in ipairs({sharer, bulkOf(sharer)}) do
    if redis.call('ZREM', queueOf(line), id) == 1 then removeEmpty(lane, line) end
  end
end

local function forget(user)
  for _, lane in ipairs(redis.call('ZRANGE', waiting, 0, -1)) do
    for _, line in ipairs({'', '|bulk', '|batches'}) do
      local sharer = user .. line .. '@' .. lane
      redis.call('DEL', queueOf(sharer))
      removeEmpty(lane, sharer)
    end
  end
end

-- Frees some of the turns that dead processes held, and gives turns that they should have given.
local function repair()
  for _, lane in ipairs(redis.call('ZRANGE', waiting, 0, ${LOOKS - 1})) do
    for _, id in ipairs(redis.call('SRANDMEMBER', usedOf(lane), 64)) do
      if redis.call('EXISTS', base .. id) == 0 or redis.call('HEXISTS', base .. id, 'finishedOn') == 1 then
        free('@' .. lane, id)
      end
    end
    redis.call('ZADD', waiting, 'XX', redis.call('HINCRBY', pool, 'looks', 1), lane)
    fillLane(lane)
  end
end

local function wanted(sharer, ranMs, sliceMs)
  if ranMs < sliceMs then return false end
  local lane = laneOf(sharer)
  local others = redis.call('ZCARD', waitersOf(lane, 'single')) + redis.call('ZCARD', waitersOf(lane, 'batch'))
  if redis.call('ZSCORE', waitersOf(lane, classOf(sharer)), sharer) then others = others - 1 end
  return others > 0
end
`;
