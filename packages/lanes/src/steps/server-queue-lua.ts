/**
 * Finds how many calls a server runs at once that queues the others itself and refuses none. ARGV: 13 the set limit
 * (empty: none), 15 whether the server may queue.
 *
 * `s.server` compares the time to the first byte with that of fewer calls at once. By Little's law, the share of its
 * growth in the time of a call is the share of calls that wait in the server. Growth that has another reason does not
 * end with fewer calls, so each cut is a trial. Times are compared as logarithms, which tolerate outliers.
 * `level` counts changes of the limit, since only calls that started after the last one say something about it.
 */
export const SERVER_QUEUE = `
local QUEUED, FEW_QUEUED, MOST_QUEUED, LEAST_QUEUED, LEAST_STREAMED = 0.3, 0.2, 0.6, 100, 20
local FEW_SAMPLES, SAMPLES, MOST_SAMPLES, TRIAL_AGAIN, TRIAL_AGAIN_AT_MOST = 4, 6, 64, 300000, 3600000
local TRIAL = 120000
local mayQueue = ARGV[15] == '1' and ARGV[13] == ''

local function clearSamples()
  local q = s.server
  q.n, q.sum, q.squares, q.most = 0, 0, 0, 0
end

local function nextLevel()
  local q = s.server
  q.level, q.limit = q.level + 1, math.floor(s.limit)
  clearSamples()
end

local function prepareServer()
  if not mayQueue then
    s.server = nil
  elseif not s.server then
    s.server = { level = 0, limit = 0, hasGrown = true }
    clearSamples()
  end
end

local function observe(report)
  local q = s.server
  if not q then return end
  for _, group in ipairs(report.began or {}) do
    if group[1] == q.level then
      q.n, q.sum, q.squares = q.n + group[2], q.sum + group[3], q.squares + group[4]
    end
  end
  local number = report.lasted and report.lasted[1] or 0
  if number > 0 then
    local mean = report.lasted[2] / number
    q.lasts = q.lasts and q.lasts + math.min(0.5, 0.05 * number) * (mean - q.lasts) or mean
  end
  q.most = math.max(q.most, calls + peak)
end

-- Merges two samples. The first weighs no more than 64 calls, so that old ones fade.
local function combined(one, other)
  local n = one.n + other.n
  local weight = other.n / n
  local mean = one.mean + weight * (other.mean - one.mean)
  local between = weight * (1 - weight) * (other.mean - one.mean) ^ 2
  local variance = one.variance + weight * (other.variance - one.variance) + between
  return { n = math.min(MOST_SAMPLES, n), mean = mean, variance = variance }
end

-- Returns logarithms of ms.
local function sampled()
  local q = s.server
  local mean = q.sum / q.n
  local variance = (q.squares - q.n * mean * mean) / math.max(1, q.n - 1)
  return { n = q.n, mean = mean, variance = math.max(0.02, variance) }
end

-- Runs a part of the calls for a while, to see whether first bytes then come as early as with few calls.
local function try(sample, excess, running)
  local q = s.server
  local to = math.max(1, math.floor(math.max(s.limit / (q.base and 3 or 2), math.min(running, 0.7 * s.limit))))
  if to >= s.limit then
    q.base = sample
    return false
  end
  -- Half of what a queue would lose.
  local least = (s.limit - to) / math.max(1, s.limit - math.min(running, to)) / 2
  q.trial = {
    limit = s.limit, sample = sample, most = excess * (1 - least), target = math.floor(1.15 * running + 0.5),
    ends = now + ms(TRIAL),
  }
  s.limit, s.probing = to, nil
  return true
end

local function endTrial(sample, excess, share)
  local q, trial = s.server, s.server.trial
  q.trial = nil
  if excess <= trial.most then
    if share < FEW_QUEUED then q.base = q.base and combined(q.base, sample) or sample end
    q.found, q.misses, q.again = true, 0, false
    s.limit = math.max(s.limit, math.min(trial.target, trial.limit - 1))
    s.ceiling, s.level, s.step, s.every = s.limit, s.limit, 1, PROBE_EVERY
    s.probeAt = now + ms(s.every)
  else
    s.limit, q.hasGrown = trial.limit, true
    -- The server may have changed during the first trial.
    q.again = q.base ~= nil and not q.again
    if not q.again then
      if q.base then
        q.trialAt = now + ms(math.min(TRIAL_AGAIN_AT_MOST, TRIAL_AGAIN * 2 ^ (q.misses or 0)))
        q.misses = (q.misses or 0) + 1
      end
      q.base = trial.sample
    end
  end
end

local function growServer()
  local q = s.server
  q.hasGrown = true
  if not q.found and not (s.ceiling and s.limit >= s.ceiling) then
    s.limit = math.min(2 * s.limit, s.ceiling or MOST)
    return true
  end
  if s.probing then
    s.step = s.step * 2
    s.every = PROBE_EVERY
  elseif now < (s.probeAt or 0) then
    return false
  end
  s.level = s.limit
  s.limit = math.min(MOST, s.limit + s.step)
  s.ceiling, s.probing = s.limit, true
  return true
end

-- Changes the limit once enough calls have begun to be answered that started since the last change.
local function steer()
  local q = s.server
  if not q then return end
  -- The first call may wait until the server has loaded the model.
  if q.level == 0 and s.started == 0 then return end
  if s.half or q.limit ~= math.floor(s.limit) then
    q.trial = nil
    return nextLevel()
  end
  local enough = math.max(q.trial and SAMPLES or FEW_SAMPLES, math.min(MOST_SAMPLES, math.ceil(s.limit / 2)))
  if q.trial and q.n < enough and now > q.trial.ends then
    -- Too few calls came.
    s.limit, q.trial, q.trialAt = q.trial.limit, nil, now + ms(TRIAL_AGAIN)
    return nextLevel()
  end
  if q.n < math.min(enough, SAMPLES) then return end
  local sample = sampled()
  local mean = sample.mean
  -- Earlier first bytes than ever: it was slow when the base was measured.
  local isWholeRound = not q.hasGrown and q.n >= math.min(MOST_SAMPLES, q.most)
  if q.base and isWholeRound and mean + 3 * math.sqrt(sample.variance / q.n) < q.base.mean then q.base = sample end
  -- Without a base, any wait may be a queue.
  local base = q.base or { mean = 0, variance = 0.02, n = q.n }
  local first = math.exp(mean)
  local excess = first - math.exp(base.mean)
  local share = excess / (first + (q.lasts or 0))
  local deviations = (mean - base.mean) / math.sqrt(sample.variance / q.n + base.variance / base.n)
  -- Times of whole answers say too little about a queue.
  local isStreamed = (q.lasts or 0) >= ms(LEAST_STREAMED)
  local isLong = isStreamed and deviations >= 2 and excess > ms(LEAST_QUEUED)
  local isFull = q.most >= 0.8 * math.floor(s.limit)
  local isQueueing = isFull and isLong and deviations >= 3 and share >= (q.base and QUEUED or FEW_QUEUED)
    and now >= (q.trialAt or 0)
  local isChanged = false
  if q.n < enough and not (isQueueing and not q.trial) then return end
  if q.trial then
    endTrial(sample, excess, share)
    isChanged = true
  elseif isFull and isLong and share > FEW_QUEUED and q.n < SAMPLES then
    return
  elseif s.probing and isLong and share > 0.25 then
    s.limit = s.level
    s.ceiling, s.probing, s.step = s.limit, nil, 1
    s.every = math.min(s.every * 2, PROBE_AT_MOST)
    s.probeAt = now + ms(s.every)
    isChanged = true
  elseif isQueueing then
    -- The first calls after a change did not wait behind as many others as later ones do.
    isChanged = q.hasGrown and share < MOST_QUEUED or try(sample, excess, q.most * (1 - share))
    q.hasGrown = nil
  else
    if isWholeRound and not q.base and (share <= FEW_QUEUED or q.most <= 1) then
      q.base = sample
    elseif isWholeRound and q.base and share < 0.15 and (not q.found or q.most <= 0.6 * s.limit) then
      q.base = combined(base, sample)
    end
    q.again = false
    -- Before a queue was found, it grows to twice what is used, so that most calls need no step.
    local isUsed = isFull or (not q.found and not s.ceiling and q.most >= 0.5 * s.limit)
    if isUsed and (not isLong or share <= FEW_QUEUED) then isChanged = growServer() end
  end
  if isChanged then
    nextLevel()
  elseif isWholeRound or q.hasGrown then
    q.hasGrown = nil
    clearSamples()
  end
end
`;
