/**
 * Applies the reports of a process. ARGV: 5 its calls in flight, 9 the most of them since its last step.
 *
 * `s.limit` is how many calls may run at once, `s.ceiling` where slow start ends, and `s.level` how many calls were
 * certainly accepted at once. `s.epoch` counts the cuts, and `s.proven` the accepted calls that started after the last.
 */
export const LEARN = `
local MOST, PROBE_EVERY, PROBE_AT_MOST, PROBE_STEP = 100000, 5000, 20000, 2000
local THRESHOLD = 5
local own, peak = tonumber(ARGV[5]), tonumber(ARGV[9])

local function count(index, more)
  local minutes = math.floor((now - s.countsAt) / 60000)
  if minutes >= 1 then
    s.before = minutes == 1 and s.counts or { 0, 0, 0 }
    s.counts = { 0, 0, 0 }
    s.countsAt = now
  end
  s.counts[index] = s.counts[index] + more
end

local function cut(inFlight)
  local to = math.max(1, inFlight)
  -- A failed probe does not change what was accepted before.
  if s.probing then to = math.max(to, s.level or 1) end
  s.limit = math.min(s.limit, to)
  s.ceiling, s.level = s.limit, s.limit
  s.epoch, s.proven = s.epoch + 1, 0
  s.every = s.probing and math.min(s.every * 2, PROBE_AT_MOST) or PROBE_EVERY
  s.probing, s.step, s.probeAt = nil, 1, now + ms(s.every)
end

local function lower(inFlight)
  s.limit = math.min(s.limit, math.max(1, inFlight))
  s.ceiling = math.min(s.ceiling or s.limit, s.limit)
  s.level = math.min(s.level or s.limit, s.limit)
end

local function slowDown(retry)
  local most = now - s.provenAt > ms(120000) and 30000 or 8000
  close('slow_down', retry > 0 and math.min(retry, MAX_RETRY) * (1 + (time[2] % 1000) / 20000) or backoff(most))
end

local function accepted(report)
  local proven = 0
  for _, group in ipairs(report.proven) do
    proven = proven + group[2]
    if group[1] >= s.epoch then s.proven = s.proven + group[2] end
  end
  if report.accepted > 0 then
    count(2, report.accepted)
    s.answered = true
    s.taken = (s.taken or 0) + report.accepted
    s.fails = 0
  end
  if proven > 0 then s.provenAt = now end
  if s.half then
    -- Being in flight for a while proves that a call was not refused, but not that it will be answered.
    local answered = report.accepted > 0 and (s.proven > 0 or s.cause == 'away')
    if (answered and s.closed < FOREVER) or (s.cause == 'slow_down' and s.proven > 0 and isHalfOpen()) then
      open(s.limit / 2)
    end
  elseif proven > 0 and not s.server and calls + peak >= (s.ceiling and 0.8 or 0.5) * math.floor(s.limit) then
    s.limit = math.max(s.limit, math.min(s.limit + proven, s.ceiling or MOST))
  end
end

local function refused(groups)
  local isNew, isKnown, retry, inFlight = false, false, 0, own
  for _, group in ipairs(groups) do
    count(1, group[2])
    -- A refusal for an empty bucket says nothing about the calls at once.
    if s.half or not group[5] then
      isKnown = true
      if group[1] >= s.epoch then isNew = true end
      retry, inFlight = math.max(retry, group[3]), math.min(inFlight, group[4])
    end
  end
  if not isKnown then return end
  inFlight = calls + math.max(inFlight, 0)
  local isAtLevel = inFlight >= (s.level or 0)
  if isClosed() then
    return
  elseif not isNew then
    if not s.half then lower(inFlight) end
  elseif s.half then
    if isAtLevel and s.cause == 'slow_down' then open(s.limit) else slowDown(retry) end
  elseif slowPace(retry, isAtLevel) then
    return
  elseif s.proven == 0 and not isAtLevel then
    -- Fewer calls are in flight than at the last cut, yet none was accepted since: the provider limits the rate.
    learnPace()
    slowDown(retry)
  else
    cut(inFlight)
  end
end

local function failed(report)
  if report.failed == 0 then return end
  count(3, report.failed)
  s.fails = s.fails + report.failedInRow
  if isClosed() then return end
  if s.half and s.cause == 'away' then
    if report.failedEpoch >= s.epoch then close('away', backoff(30000)) end
  elseif s.fails >= THRESHOLD and s.cause ~= 'key' then
    s.pauses = 0
    close('away', backoff(30000))
  end
end

local function stop(reason)
  close(reason, 0)
  s.closed = reason == 'key' and FOREVER or now + ms(300000)
end

-- Tries a few more calls at once than were accepted, while all of those are in use.
local function probeUpward(total)
  local set = s.set or MOST
  if s.half or not s.ceiling or s.limit < s.ceiling or s.limit >= set then return end
  if total < math.floor(s.limit) or now < (s.probeAt or 0) then return end
  if s.probing then
    s.level = s.limit
    s.step = s.step * 2
    s.every = PROBE_EVERY
  end
  s.limit = math.min(set, MOST, s.limit + s.step)
  s.ceiling, s.probing, s.probeAt = s.limit, true, now + ms(PROBE_STEP)
end

-- Applies the limit that an operator set.
local function applySet(set)
  if set == s.set then return end
  s.set = set
  s.ceiling = set or s.limit
  if set then s.limit, s.level = set, nil end
  s.probing, s.step = nil, 1
end
`;
