/**
 * Writes down that a cancel was asked for, and wakes the worker that runs the execution.
 *
 * KEYS: state. ARGV: cancel channel, execution id, milliseconds to keep the state. Returns 1 if the log was still open, else 0.
 */
export const ASK_CANCEL = `
if redis.call('HEXISTS', KEYS[1], 'done') == 1 then return 0 end
redis.call('HSET', KEYS[1], 'cancel', 1)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PUBLISH', ARGV[1], ARGV[2])
return 1
`;
