import { FORGET_LANE_AFTER_S } from './lane-lines.ts';
import { BEHIND_ALL, NEVER } from './queue-keys.ts';

/** Jobs that one step moves. The caller repeats the step for more. */
const MOST_AT_ONCE = 200;

const LATER = `
local later = fair .. 'later'
`;

/**
 * Makes an active job wait for its provider. ARGV: sharer, id, lock token, how long it has run, 1 if the limit of its
 * wait starts over, how long it must pause (0: until its lane lets it run), 1 if it goes to the end of its line, and
 * its lane. Returns 0 if the caller has lost the job.
 */
export const WAIT = `${LATER}
local id = ARGV[4]
local job = base .. id
local sharer = redis.call('HGET', job, 'line') or ARGV[3]
if redis.call('GET', job .. ':lock') ~= ARGV[5] then return 0 end
redis.call('DEL', job .. ':lock')
redis.call('SREM', base .. 'stalled', id)
if redis.call('LREM', active, -1, id) == 0 then return 0 end
redis.call('HSET', job, 'priority', ${BEHIND_ALL}, 'ran_ms', ARGV[6], 'line', sharer)
local seen = redis.call('HMGET', job, 'wait', 'wait_until')
if seen[1] and (ARGV[7] == '1' or not seen[2]) then
  redis.call('HSET', job, 'wait_until', string.format('%.0f', now + seen[1]))
end
if tonumber(ARGV[8]) > 0 then
  free(sharer, id)
  forgive(id)
  redis.call('ZADD', parked, ${NEVER}, id)
  redis.call('ZADD', later, now + ARGV[8], id)
  noteLane(id, ARGV[10])
else
  awaitLane(sharer, id, ARGV[10], ARGV[9] == '1')
end
goOn(sharer)
return 1
`;

/**
 * Moves jobs whose pause is over back to the front of their lanes' lines. Returns how long until the next one is due;
 * -1: none is paused.
 */
export const RESUME = `${LATER}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', later, '-inf', now, 'LIMIT', 0, ${MOST_AT_ONCE})) do
  redis.call('ZREM', later, id)
  local sharer = redis.call('HGET', base .. id, 'line')
  if sharer and redis.call('ZREM', parked, id) == 1 then
    goBack(sharer, id)
    goOn(sharer)
  end
end
local next = redis.call('ZRANGE', later, 0, 0, 'WITHSCORES')
return next[2] and math.max(0, next[2] - now) or -1
`;

/**
 * Ends the wait of parked jobs whose limit has passed. Those that another model can answer run, or that fail with what
 * they have, and the others are removed. Returns how long until the next one is due (-1: none), then id and data of
 * each removed job.
 */
export const EXPIRE = `
local answer = {-1}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', expiry, '-inf', now, 'LIMIT', 0, ${MOST_AT_ONCE})) do
  local job = base .. id
  local sharer = redis.call('HGET', job, 'line')
  redis.call('ZREM', expiry, id)
  if sharer and redis.call('ZSCORE', parked, id) then
    if endWait(sharer, id) then
      answer[#answer + 1] = id
      answer[#answer + 1] = redis.call('HGET', job, 'data')
      redis.call('DEL', job)
    else
      redis.call('ZADD', marker, 0, '0')
    end
  end
end
local next = redis.call('ZRANGE', expiry, 0, 0, 'WITHSCORES')
if next[2] then answer[1] = math.max(0, next[2] - now) end
return answer
`;

/**
 * Notes the state of a lane, unless a newer one is known. ARGV: lane, how many jobs and how many of batches may run,
 * for how long it is closed, and the order of the news. Returns 1 if more jobs may run than one step lets.
 */
export const SET_LANE = `
local lane, state = ARGV[3], stateOf(ARGV[3])
if tonumber(redis.call('HGET', state, 'at') or 0) <= tonumber(ARGV[7]) then
  redis.call('HSET', state, 'size', ARGV[4], 'batch_size', ARGV[5], 'until',
    tonumber(ARGV[6]) > 0 and string.format('%.0f', now + ARGV[6]) or 0, 'at', ARGV[7])
  redis.call('EXPIRE', state, ${FORGET_LANE_AFTER_S})
end
return fillLane(lane)
`;
