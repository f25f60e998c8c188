/**
 * Counts the calls of a process, applies its reports, and grants it permits. ARGV from 5: its calls in flight, its
 * spare permits, how many calls and spare permits it wants, the most calls in flight since its last step, the calls
 * that it started with spare permits, the permits of started calls that it did not need, whether one of its calls
 * probes, the operator's limit (empty: none), the reports as JSON (empty: none), whether the server may queue calls,
 * and how many of its calls and of the wanted ones are for batches.
 */
export const GRANT = `
local spare, wanted, spareGoal = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local ownBatches, batchWanted = tonumber(ARGV[16]), tonumber(ARGV[17])
local startedNow, isProbing = tonumber(ARGV[10]) - tonumber(ARGV[11]), ARGV[12] == '1'
applySet(tonumber(ARGV[13]))
prepareServer()
refill('requests')
refill('tokens')
spend(startedNow)
if ARGV[14] ~= '' then
  local report = cjson.decode(ARGV[14])
  accepted(report)
  refused(report.refused)
  failed(report)
  observe(report)
  if report.stopped then stop(report.stopped) end
  if report.calls > 0 then
    local mean = report.tokens / report.calls
    local weight = s.cost and math.min(0.5, 0.1 * report.calls) or 1
    s.cost = (s.cost or 0) + weight * (mean - (s.cost or 0))
  end
  for _, heard in ipairs(report.heard) do
    local age = math.min(heard.age, 60000)
    hear('requests', heard.requests, heard, age)
    hear('tokens', heard.tokens, heard, age)
  end
end

local total = calls + own + spare + spares
if s.server then steer() else probeUpward(calls + own) end

if s.probe == me and not isProbing then s.probe, s.probeUntil = nil, nil end
if isProbing and s.half then s.probe, s.probeUntil = me, now + LEASE end
local isTrying = s.half and s.probe ~= nil and now < s.probeUntil

if own > ownBatches or wanted > batchWanted or calls > batchCalls then s.singleAt = now end
local share, reserve = keptFree()
local batches = batchCalls + ownBatches

-- Leave room for processes that have waited longer, up to an equal share for each. All single calls go before batches.
local since = mine and mine.wanted > 0 and mine.since or now
local leftBySingles, left, batchesWait = 0, 0, batchWanted > 0
local part = math.max(1, math.floor(s.limit / (processes + 1)))
for _, other in ipairs(waiting) do
  local older = other.since < since and math.max(0, part - other.held) or 0
  leftBySingles = leftBySingles + math.min(other.singles, older)
  left = left + math.max(other.singles, math.min(other.wanted, older))
  batchesWait = batchesWait or other.wanted > other.singles
end

local most, within, untilNext = allowed(0)
local batchMost, batchWithin = allowed(share)
local free = math.max(0, math.floor(s.limit) - total)
local singles, ofBatches, extra, isProbe = 0, 0, 0, false
if isClosed() then
  singles = 0
elseif s.half then
  if wanted > 0 and not isTrying and free > 0 and most > 0 then
    isProbe = true
    if wanted > batchWanted then singles = 1 else ofBatches = 1 end
    s.probe, s.probeUntil = me, now + LEASE
  end
else
  -- Single calls go first. If they never leave anything, batches still get every tenth call.
  if (s.row or 0) >= 9 then ofBatches = math.max(0, math.min(1, batchWanted, free - left, most)) end
  singles = math.max(0, math.min(wanted - batchWanted, free - leftBySingles - ofBatches, most - ofBatches))
  local room = math.max(1, math.floor(s.limit) - reserve) - batches
  ofBatches = math.max(ofBatches, math.min(batchWanted, free - left - singles, room, batchMost - singles))
end
if ofBatches > 0 or not batchesWait then s.row = 0 else s.row = (s.row or 0) + singles end
local granted = singles + ofBatches
spend(granted)
local isShort = not s.half and granted < wanted and most <= granted
local isBatchShort = not s.half and ofBatches < batchWanted and batchMost - singles <= ofBatches
if most < math.huge and most - granted < 1 then isShort = true end
local isPlenty = granted == wanted and #waiting == 0 and not s.half and not isClosed()
  and (most == math.huge or most - granted > math.max(20, 4 * s.limit))
  and total + granted <= 0.8 * s.limit
if isPlenty then
  local room = math.min(math.floor((free - granted) / 4), math.floor(0.7 * s.limit) - total - granted)
  extra = math.max(0, math.min(spareGoal - spare, room))
end

local used = calls + own + granted
if isShort then untilNext = select(3, allowed(0)) end
batches = batches + ofBatches
local unmet = wanted - granted
local isFull = (unmet > 0 or #waiting > 0) and used >= math.floor(s.limit)
local isOpen = not isClosed() and not s.half and not isShort
local isFree = isOpen and #waiting > 0 and free - granted - extra > 0 and (left > 0 or unmet == 0)
if isHalfOpen() and not s.probe and #waiting > 0 then isFree = true end
local isWanted = unmet > 0 and isOpen and spares > 0
-- A process that has been granted something waits behind the others again.
local mySince = wanted > 0 and (granted > 0 and now or since) or 0
if own + granted + spare + extra + unmet > 0 then
  redis.call('HSET', KEYS[2], me, table.concat({
    own + granted, spare + extra, unmet, mySince, now, ownBatches + ofBatches, batchWanted - ofBatches,
  }, ':'))
  redis.call('PEXPIRE', KEYS[2], 3 * LEASE)
else
  redis.call('HDEL', KEYS[2], me)
end
`;

export const REPLY = `
seen.granted, seen.batches, seen.extra, seen.probe, seen.late = granted, ofBatches, extra, isProbe, isLate
seen.scarce = not isPlenty
seen.epoch, seen.started, seen.level = s.epoch, s.started, s.server and s.server.level or nil
return cjson.encode(seen)
`;

/** Reads a lane without taking part in it. */
export const LOOK = `
refill('requests')
refill('tokens')
local used = calls
local share, reserve = keptFree()
local most, within, untilNext = allowed(0)
local _, batchWithin = allowed(share)
local batches, isBatchShort = batchCalls, false
local isShort = most < 1
local isFull = #waiting > 0 and used >= math.floor(s.limit)
`;

/** Frees the calls of dead processes. ARGV from 5: the processes. Returns 0 if there were none. */
export const DISOWN = `
if redis.call('HDEL', KEYS[2], unpack(ARGV, 5)) == 0 then return 0 end
`;

/** Lets others have what dead processes held. */
export const FREED = `
for index = 5, #ARGV do
  if s.probe == ARGV[index] then s.probe, s.probeUntil = nil, nil end
end
s.freeAt = 0
local isFree, isWanted = #waiting > 0, false
`;

/** Lets one call of a closed lane probe immediately. Reads only the first four of ARGV. */
export const REOPEN = `
if s.half then
  s.closed, s.pauses, s.fails = 0, 0, 0
  s.probe, s.probeUntil = nil, nil
end
for _, name in ipairs({ 'requests', 'tokens' }) do s[name] = nil end
-- No later step would publish it.
s.publishedAt = 0
local isFree, isWanted = #waiting > 0, false
`;
