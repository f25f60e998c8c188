/**
 * Loads a lane. KEYS: its state, and its calls. ARGV: 1 lane, 2 channel, 3 process (empty: none), 4 factor of times.
 *
 * The state is one JSON object. Its calls are a hash: process ->
 * `calls:spare:wanted:wantedSince:seen:batchCalls:batchWanted`. `calls` are in flight and not refused, `spare` permits
 * are held for later calls, and those of batches are counted among all. All times are ms of Redis's clock.
 */
export const LOAD = `
local lane, channel, me, factor = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local FOREVER, DAY = 9e14, 86400000
local LEASE, FRESH = 4000, 1500
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local at = time[1] .. string.format('%06d', time[2])
local function ms(span) return span * factor end

local stored = redis.call('GET', KEYS[1])
local s = stored and cjson.decode(stored) or {
  limit = 10, epoch = 0, proven = 0, step = 1, every = 5000, closed = 0, pauses = 0, fails = 0, started = 0, provenAt = 0,
  countsAt = now, counts = { 0, 0, 0 }, before = { 0, 0, 0 }, publishedAt = 0, freeAt = 0, scarceAt = 0,
}

-- Counts the calls of other processes, and finds those that wait.
local calls, batchCalls, spares, waiting, processes, mine = 0, 0, 0, {}, 0, nil
local entries = redis.call('HGETALL', KEYS[2])
for index = 1, #entries, 2 do
  local held, spare, wanted, since, seen, batchHeld, batchWanted =
    string.match(entries[index + 1], '^(%d+):(%d+):(%d+):(%d+):(%d+):(%d+):(%d+)$')
  if not held or now - tonumber(seen) > LEASE then
    redis.call('HDEL', KEYS[2], entries[index])
  elseif entries[index] == me then
    mine = { since = tonumber(since), wanted = tonumber(wanted) }
  else
    calls = calls + tonumber(held)
    batchCalls = batchCalls + tonumber(batchHeld)
    spares = spares + tonumber(spare)
    processes = processes + 1
    if tonumber(wanted) > 0 and now - tonumber(seen) < FRESH then
      waiting[#waiting + 1] =
        { held = held + spare, wanted = tonumber(wanted), since = tonumber(since), singles = wanted - batchWanted }
    end
  end
end
`;

/** Defines how a lane is closed and opened. */
export const CLOSE = `
local function isClosed() return now < s.closed end
local function isHalfOpen() return s.half and not isClosed() end

-- Returns the share of each bucket, and the calls at once, that batches leave free for a while after single calls.
local function keptFree()
  if not s.singleAt or now - s.singleAt > ms(30000) then return 0, 0 end
  return 0.1, math.ceil(s.limit / 10)
end

local function close(reason, pause)
  s.pauses = s.pauses + 1
  s.epoch = s.epoch + 1
  s.proven = 0
  s.closed = now + pause
  s.half = true
  s.cause = reason
  s.probe, s.probeUntil, s.probing = nil, nil, nil
end

-- Returns the pause before the next probe: 1.5 s, 2.3, 3.4, and so on, with up to a tenth of jitter.
local function backoff(most)
  return ms(math.min(most, 1000 * 1.5 ^ math.min(s.pauses, 10))) * (1 + (time[2] % 1000) / 10000)
end

local function open(limit)
  s.closed, s.pauses, s.fails = 0, 0, 0
  s.half, s.cause, s.probe, s.probeUntil = nil, nil, nil, nil
  s.limit = math.max(1, math.floor(limit))
end
`;

/**
 * Describes the lane to others, stores it, and publishes noticeable changes. Expects `used` calls, `isShort` (a bucket
 * is the bottleneck), `untilNext` (of that bucket), `within` (calls that it gives within a second), and `isFull`; of
 * batches, `batches` in flight, `batchWithin`, `isBatchShort`, and `reserve` (calls at once that they leave free).
 */
export const DESCRIBE = `
if isShort or isBatchShort then s.shortAt = now end
if isFull then s.fullAt = now end
local STAYS = 1000
local function recent(time) return time ~= nil and now - time < STAYS end

local reason = nil
if isClosed() or s.half then reason = s.cause
elseif recent(s.shortAt) then reason = 'slow_down'
elseif recent(s.fullAt) then reason = 'busy' end
if reason ~= s.shown then s.shown, s.shownAt = reason, now end

local limit = math.floor(s.limit)
local closedMs = 0
if s.closed >= FOREVER then closedMs = -1
elseif isClosed() then closedMs = math.ceil(s.closed - now)
elseif isShort then closedMs = math.ceil(untilNext) end

local function total(index)
  local age = math.min(1, (now - s.countsAt) / 60000)
  return math.floor(s.counts[index] + s.before[index] * (1 - age) + 0.5)
end

-- While the lane is full, some jobs wait here for the calls that end within the next tenth of a second.
local ahead = recent(s.fullAt) and math.floor(total(2) / 600) or 0
local size, batchSize = limit + ahead, math.max(1, limit - reserve) + ahead
local function bound(most, calls, more) return math.max(1, math.min(most, calls + math.max(1, math.floor(more)))) end
if isClosed() or (isShort and untilNext > ms(1000)) then size, batchSize = 0, 0
elseif s.half then size, batchSize = 1, 1
else
  if used + within < limit then size = bound(size, used, within) end
  if batches + batchWithin < limit - reserve then batchSize = bound(batchSize, batches, batchWithin) end
end
local seen = {
  lane = lane, limit = limit, set = s.set, used = used, closed = closedMs, reason = reason, since = reason and s.shownAt,
  half = isHalfOpen() or false, answered = s.answered or false, size = size, batchSize = batchSize, refused = total(1), accepted = total(2), failed = total(3), at = at,
}
`;

/**
 * Stores the lane and publishes noticeable changes. Expects `isFree` (permits are left for other processes that wait)
 * and `isWanted` (others should give up spare permits). Sets `isLate` if a change still has to be published.
 */
export const STORE = `
local isLate = false
local function publish()
  seen.by, seen.free, seen.scarce = me, isFree, isWanted
  redis.call('PUBLISH', channel, cjson.encode(seen))
end
local key = table.concat({ limit, s.set or '', reason or '', seen.half and 1 or 0, math.floor(s.closed / 100),
  math.floor(4 * math.log(size + 1)), math.floor(4 * math.log(batchSize + 1)) }, '|')
local isChanged = key ~= s.published and now - s.publishedAt >= 50
local isHelp = (isFree and now - s.freeAt >= 20) or (isWanted and now - s.scarceAt >= 20)
if isChanged or isHelp then
  publish()
  if isFree then s.freeAt = now end
  if isWanted then s.scarceAt = now end
  s.published, s.publishedAt = key, now
else
  isLate = key ~= s.published or isFree or isWanted
end
-- Work may wait for a stopped lane for days without a call.
local isStopped = s.cause == 'key' or s.cause == 'credit'
redis.call('SET', KEYS[1], cjson.encode(s), 'PX', isStopped and 30 * DAY or DAY)
`;
