import { FORGIVE, KEY_NAMES, LOOKS, NEVER } from './queue-keys.ts';

/** Jobs of a lane that may run before anything is known about it. */
export const FIRST_LANE_SIZE = 10;

/** Turns of single jobs for each turn of a batch, if single jobs could use the whole lane. */
const SINGLES_PER_BATCH = 9;

/** Jobs that one step lets run. The caller repeats the step for more. */
const MOST_AT_ONCE = 200;

/** The state of a lane in its queue expires after the last job. Items of batches wait for up to 7 days. */
export const FORGET_LANE_AFTER_S = 8 * 86_400;

/**
 * Lines of jobs that wait for the lane of a provider, for both sides of a pool. A line is named `<user>@<lane>` or
 * `<user>|batches@<lane>`. Single requests go before batches, which get a tenth of the turns even so. Users take turns,
 * by the cost of their jobs.
 *
 * `fair .. 'lane:' .. lane` is a hash: `size` and `batch_size` (jobs that may run), `until` (closed, ms; 0: it was
 * open), `at` (order of the news), `picks` (parked jobs that got a turn), and the virtual times of both classes.
 *
 * Each side sets `lanes` (the key of the lanes with parked jobs), `countOf(lane, class)` (jobs that count against its
 * size; without a class, all), and `letRun(line, id)`.
 */
export const LANE_LINES = `${KEY_NAMES}${FORGIVE}local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local expiry = fair .. 'expiry'
local lanes, countOf, letRun

local function userOf(sharer) return string.match(sharer, '^[^|@]+') end
local function laneOf(sharer) return string.match(sharer, '@(.*)$') or '' end
local function queueOf(sharer) return fair .. 'queue:' .. sharer end
local function stateOf(lane) return fair .. 'lane:' .. lane end
-- Jobs of the lane with a turn, or running.
local function usedOf(lane) return fair .. 'used:' .. lane end
-- Jobs of the lane that are parked, by the time at which they were queued.
local function parkedOf(lane) return fair .. 'parked:' .. lane end
local function classOf(sharer) return string.find(sharer, '|', 1, true) and 'batch' or 'single' end
local function waitersOf(lane, class) return fair .. class .. ':' .. lane end

-- Returns a score before or behind all jobs of a line.
local function endOf(queue, isLast)
  local next = redis.call(isLast and 'ZREVRANGE' or 'ZRANGE', queue, 0, 0, 'WITHSCORES')
  return tonumber(next[2] or 0) + (isLast and 1 or -1)
end

local function places()
  local size = redis.call('HGET', pool, 'size')
  return size and tonumber(size) or 1000000000
end

local function taken()
  return redis.call('LLEN', active) + redis.call('ZCARD', line) + redis.call('LLEN', first)
end

-- Whether a job waits for a worker's place, rather than for its provider.
local isCrowded = false

-- A lane whose provider hangs must leave workers' places to other lanes.
local function mayHold(lane)
  local used = redis.call('SCARD', usedOf(lane))
  local left = places() - taken() - 1
  if left >= 0 and (used == 0 or used + 1 <= 3 * left) then return true end
  isCrowded = true
  return false
end

-- Those of batches, among them. Only the side whose jobs are bounded by lanes counts them.
local function usedByBatches(lane) return fair .. 'used-by-batches:' .. lane end

local function freeIn(lane, id)
  redis.call('SREM', usedOf(lane), id)
  redis.call('SREM', usedByBatches(lane), id)
end

local function use(lane, id)
  redis.call('SADD', usedOf(lane), id)
  redis.call('EXPIRE', usedOf(lane), ${FORGET_LANE_AFTER_S})
end

local function isClosed(lane) return tonumber(redis.call('HGET', stateOf(lane), 'until') or 0) > now end

local function room(lane, class)
  if isClosed(lane) or not mayHold(lane) then return 0 end
  local known = redis.call('HMGET', stateOf(lane), 'size', 'until', 'batch_size')
  local size = tonumber(known[1] or ${FIRST_LANE_SIZE})
  -- The lane should be open, but no news has come: one job finds out.
  if tonumber(known[2] or 0) > 0 then size = math.max(1, size) end
  if class == 'single' then return size - countOf(lane) end
  local ofBatches = math.max(1, tonumber(known[3] or size))
  return math.min(size - countOf(lane), ofBatches - countOf(lane, class))
end

local function parkInLane(sharer, id, score)
  local lane, job = laneOf(sharer), base .. id
  local state = stateOf(lane)
  redis.call('EXPIRE', state, ${FORGET_LANE_AFTER_S})
  redis.call('ZADD', parked, ${NEVER}, id)
  redis.call('ZADD', queueOf(sharer), score, id)
  local seen = redis.call('HMGET', job, 'timestamp', 'wait', 'wait_until')
  redis.call('ZADD', parkedOf(lane), tonumber(seen[1] or now), id)
  if seen[2] then
    local ends_at = tonumber(seen[3] or now + seen[2])
    redis.call('HSET', job, 'wait_until', string.format('%.0f', ends_at))
    redis.call('ZADD', expiry, ends_at, id)
  end
  if isCrowded then redis.call('HSET', pool, 'crowded', 1) end
  local class = classOf(sharer)
  redis.call('ZADD', waitersOf(lane, class), 'NX', redis.call('HGET', state, class) or 0, sharer)
  redis.call('ZADD', lanes, 'NX', redis.call('HINCRBY', pool, 'looks', 1), lane)
end

-- Batches of a user take turns: each item is one turn behind the last one of its batch.
local function orderOf(sharer) return fair .. 'order:' .. sharer end

-- Forgets that a job is parked. Returns whether it was.
local function takeParked(lane, id)
  redis.call('ZREM', expiry, id)
  redis.call('ZREM', parkedOf(lane), id)
  return redis.call('ZREM', parked, id) == 1
end

local function removeEmpty(lane, sharer)
  if redis.call('EXISTS', queueOf(sharer)) == 0 then redis.call('ZREM', waitersOf(lane, classOf(sharer)), sharer) end
  if redis.call('EXISTS', waitersOf(lane, 'single'), waitersOf(lane, 'batch')) == 0 then
    redis.call('ZREM', lanes, lane)
  end
end

local function withdrawFromLane(sharer, id)
  local lane = laneOf(sharer)
  takeParked(lane, id)
  if redis.call('ZREM', queueOf(sharer), id) == 1 then removeEmpty(lane, sharer) end
end

-- Takes the next parked job of a class: of the sharer who has had least.
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

-- Single jobs go first. If they never leave anything, batches still get every tenth turn.
local function classesOf(lane)
  local picks = tonumber(redis.call('HGET', stateOf(lane), 'picks') or 0)
  if picks % ${SINGLES_PER_BATCH + 1} == ${SINGLES_PER_BATCH} then return {'batch', 'single'} end
  return {'single', 'batch'}
end

-- Lets parked jobs run while the lane has room. Returns 1 if more might.
local function fillLane(lane)
  if not redis.call('ZSCORE', lanes, lane) then return 0 end
  for _ = 1, ${MOST_AT_ONCE} do
    local id, sharer
    for _, class in ipairs(classesOf(lane)) do
      if not id and room(lane, class) > 0 then id, sharer = nextParked(lane, class) end
    end
    if not id then return 0 end
    redis.call('HINCRBY', stateOf(lane), 'picks', 1)
    redis.call('EXPIRE', stateOf(lane), ${FORGET_LANE_AFTER_S})
    letRun(sharer, id)
    redis.call('ZADD', marker, 0, '0')
  end
  return 1
end

-- Fills the lane of a job that has left, and others if places are scarce.
local function refillLanes(lane)
  if lane then fillLane(lane) end
  if redis.call('HEXISTS', pool, 'crowded') == 0 then return end
  isCrowded = false
  for _, other in ipairs(redis.call('ZRANGE', lanes, 0, ${LOOKS - 1})) do
    redis.call('ZADD', lanes, 'XX', redis.call('HINCRBY', pool, 'looks', 1), other)
    fillLane(other)
    if isCrowded then return end
  end
  redis.call('HDEL', pool, 'crowded')
end

local function forgetLanes(user)
  for _, lane in ipairs(redis.call('ZRANGE', lanes, 0, -1)) do
    for _, line in ipairs({'', '|batches'}) do
      local sharer = user .. line .. '@' .. lane
      redis.call('DEL', queueOf(sharer))
      removeEmpty(lane, sharer)
    end
  end
end

-- Frees what dead processes kept, a part at a time, and gives turns that they did not give.
local function repairLanes()
  for _, lane in ipairs(redis.call('ZRANGE', lanes, 0, ${LOOKS - 1})) do
    for _, id in ipairs(redis.call('SRANDMEMBER', usedOf(lane), 64)) do
      if redis.call('EXISTS', base .. id) == 0 or redis.call('HEXISTS', base .. id, 'finishedOn') == 1 then
        freeIn(lane, id)
      end
    end
    redis.call('ZADD', lanes, 'XX', redis.call('HINCRBY', pool, 'looks', 1), lane)
    fillLane(lane)
  end
end
`;
