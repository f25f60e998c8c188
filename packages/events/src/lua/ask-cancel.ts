/**
 * Writes down that a cancel was asked for, and wakes the worker that runs the execution.
 *
 * KEYS: state. ARGV: cancel channel, execution id, milliseconds to keep the state. Returns 0 when the log has ended, 1 when no attempt
 * has appended anything yet, 2 when one has.
 */
export const ASK_CANCEL = `
local state = redis.call('HMGET', KEYS[1], 'done', 'attempt')
if state[1] then return 0 end
redis.call('HSET', KEYS[1], 'cancel', 1)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PUBLISH', ARGV[1], ARGV[2])
return state[2] and 2 or 1
`;
