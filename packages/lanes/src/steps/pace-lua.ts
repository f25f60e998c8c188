/**
 * Learns the calls per time of a provider that does not tell them. `s.spent` is when the provider last had none left,
 * and how many calls it had accepted by then: what it accepts until it has none left again is its rate.
 * `s.pace` starts calls a little slower, and tries more while no call is refused.
 */
export const PACE = `
local FEWEST_PACED, LONGEST_PACED, MAX_RETRY = 20, 180000, 3600000
local PACE_EVERY, PACE_HOLD, PACE_BURST = 10000, 1000, 1000

-- Called when the provider has limited the rate, and calls were accepted before.
local function learnPace()
  local spent, taken = s.spent, s.taken or 0
  if spent and now - spent.at < ms(LONGEST_PACED) then
    if taken - spent.taken < FEWEST_PACED then return end
    -- A window shows only at its end that calls start too fast.
    local every = math.max(ms(PACE_EVERY), now - spent.at)
    s.pace = {
      rate = 0.97 * (taken - spent.taken) / (now - spent.at), have = 0, at = now, holds = 0,
      step = 0.01, every = every, nextAt = now + every,
    }
  end
  s.spent = { at = now, taken = taken }
end

-- Returns whether a refusal only means that calls start too fast.
local function slowPace(retry, isAtLevel)
  local pace = s.pace
  if not pace or s.half or isAtLevel then return false end
  if now < pace.at then return true end
  if pace.holds == 0 then pace.rate = pace.rate / (1 + math.max(0.02, pace.step / 2)) end
  pace.step, pace.nextAt = 0.01, now + pace.every
  local hold = retry > 0 and math.min(retry, MAX_RETRY) or ms(PACE_HOLD) * 2 ^ math.min(3, pace.holds)
  pace.holds = pace.holds + 1
  pace.have = 0
  pace.at = now + hold
  return true
end

local function refillPace()
  local pace = s.pace
  if not pace then return end
  if s.requests or s.tokens then
    s.pace = nil
    return
  end
  if pace.isUsed and now >= pace.nextAt then
    pace.rate = pace.rate * (1 + pace.step)
    pace.step, pace.nextAt, pace.isUsed, pace.holds = pace.step * 2, now + pace.every, nil, 0
    if pace.step > 1 then
      s.pace, s.spent = nil, nil
      return
    end
  end
  if now <= pace.at then return end
  pace.have = math.min(math.max(1, pace.rate * ms(PACE_BURST)), pace.have + (now - pace.at) * pace.rate)
  pace.at = now
end
`;
