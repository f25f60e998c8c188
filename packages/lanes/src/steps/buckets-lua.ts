/**
 * Tracks the requests and tokens per minute that a provider reports. `have` is what was left at the time `at`. A bucket
 * refills steadily, a window all at once at its `reset`. Each answer votes for one of them: the reset of a bucket comes
 * sooner the more is left, that of a window does not.
 */
export const BUCKETS = `
local FORGET = 300000

local function costOf(name)
  if name == 'requests' then return 1 end
  local bucket = s[name]
  return math.min(s.cost or 0, bucket and bucket.limit or math.huge)
end

local function isWindow(bucket) return bucket.votes < 0 and bucket.reset ~= nil end

local function refill(name)
  if name == 'requests' then refillPace() end
  local bucket = s[name]
  if not bucket then return end
  if now - bucket.heardAt > math.max(FORGET, 2 * bucket.per) and now >= (bucket.wait or 0) then
    s[name] = nil
    return
  end
  local ends = bucket.wait or (isWindow(bucket) and bucket.reset)
  if ends then
    if now < ends then return end
    -- Allow a few calls. The headers of their answers have the new level.
    local few = bucket.votes < 0 and math.floor(bucket.limit / math.max(1, costOf(name)) / 100) or 0
    bucket.have = math.max(bucket.have, costOf(name) * (1 + few))
    bucket.wait, bucket.reset = nil, nil
  else
    bucket.have = bucket.have + (now - bucket.at) * bucket.limit / bucket.per
  end
  bucket.have = math.min(bucket.have, bucket.limit)
  bucket.at = now
end

local function spend(number)
  s.started = s.started + number
  if s.pace then s.pace.have = s.pace.have - number end
  for _, name in ipairs({ 'requests', 'tokens' }) do
    if s[name] then s[name].have = math.min(s[name].limit, s[name].have - number * costOf(name)) end
  end
end

-- The answer belongs to the call with its serial number, which started age ms ago.
local function hear(name, heard, answer, age)
  if not heard then return end
  local serial, retry = answer.serial, answer.retry
  local bucket = s[name] or { votes = 0, serial = 0, at = now, have = 0 }
  if serial < bucket.serial and bucket.serial <= s.started then return end
  s[name] = bucket
  bucket.limit, bucket.per, bucket.serial, bucket.heardAt, bucket.at = heard.limit, heard.per, serial, now, now
  local rate = heard.limit / heard.per
  if heard.reset then
    bucket.reset = now + heard.reset
    local expected = (heard.limit - heard.remaining) / rate
    -- A nearly empty bucket looks like a window, and every window looks like a bucket for a moment.
    local vote = math.abs(heard.reset - expected) <= 0.05 * heard.per and 1 or -10
    if expected < heard.per / 2 then bucket.votes = math.max(-30, math.min(3, bucket.votes + vote)) end
  end
  local cost = costOf(name)
  local refilled = isWindow(bucket) and 0 or rate * age
  bucket.have = math.min(heard.limit, heard.remaining + refilled - (s.started - serial) * cost)
  bucket.wait = nil
  if heard.remaining < math.max(1, cost) then
    if retry > 0 then bucket.wait = now + retry
    elseif bucket.votes < 0 and heard.reset then bucket.wait = now + heard.reset
    elseif bucket.votes == 0 and heard.reset and answer.refused then
      bucket.misses = math.min(10, (bucket.misses or 0) + 1)
      bucket.wait = now + math.min(heard.reset, heard.per / 120 * 2 ^ bucket.misses)
    end
  else
    bucket.misses = 0
  end
end

-- Returns how many calls the buckets allow now, how many within a second, and the ms until the next one, if a share of
-- each bucket is kept.
local function allowed(share)
  local most, within, untilNext = math.huge, math.huge, 0
  for _, name in ipairs({ 'requests', 'tokens' }) do
    local bucket, cost = s[name], costOf(name)
    if bucket and cost > 0 then
      local rate = bucket.limit / bucket.per
      local kept = math.max(0, math.min(share * bucket.limit, bucket.limit - cost))
      local ends = bucket.wait or (isWindow(bucket) and bucket.reset)
      local have = bucket.wait and 0 or math.max(0, bucket.have - kept)
      most = math.min(most, math.floor(have / cost))
      within = math.min(within, (have + (ends and 0 or rate * 1000)) / cost)
      if have < cost then
        untilNext = math.max(untilNext, ends and ends - now or (cost + kept - bucket.have) / rate, 5)
      end
    end
  end
  local pace = s.pace
  if pace then
    most = math.min(most, math.max(0, math.floor(pace.have)))
    within = math.min(within, math.max(0, pace.have) + pace.rate * 1000)
    if pace.have < 1 then
      pace.isUsed = true
      untilNext = math.max(untilNext, pace.at - now + (1 - pace.have) / pace.rate, 5)
    end
  end
  return most, within, untilNext
end
`;
