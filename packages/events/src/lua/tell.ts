/**
 * Appends events to the feed of a scope, each with the id of the one before it: so a reader sees whether anything is missing, whether it was
 * trimmed, has expired, or was lost by a Redis that fell back.
 *
 * KEYS: feed; what wakes readers goes to the channel that bears its name. ARGV: events to keep, milliseconds to keep them after the last one,
 * then the events as JSON.
 */
export const TELL = `
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local before = last and last[1] or '0-0'
for i = 3, #ARGV do
  before = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'p', before, 'e', ARGV[i])
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PUBLISH', KEYS[1], before)
return before
`;
