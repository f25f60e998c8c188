export interface AppendConstants {
  /** Events that a log keeps at most, but for an eighth and the overlap. */
  maxLength: number;
  /** Milliseconds to keep the keys while the execution runs, and after its end. */
  keepRunningMs: number;
  keepEndedMs: number;
  /** A step that is larger is not published itself: readers are woken and fetch it. */
  maxPublishedBytes: number;
}

/** Events before the fold that a log keeps, for readers who know a number that lies there. */
const OVERLAP = 64;

/**
 * Appends events to a log: fences, numbers, stores and publishes them in one atomic step.
 *
 * KEYS: log, state, folded; what is published goes to the channel that bears the log's name. ARGV: attempt (0: whoever holds it, used
 * to end an execution from outside), base (the seq that the writer believes to be last, -1: unknown), three letters, then the events as JSON.
 * The letters: `r` where a reset comes first, `s` or `r` where something or nothing is shown after these events (`-`: as before), `t` where
 * the last one is the terminal event; each else `-`.
 *
 * Returns [status, seq, cancel asked for, shown]. Status: 0 appended (or had been: a command sent again after a lost reply changes
 * nothing), -1 the log has ended, -2 a later attempt holds it, -3 the log has lost events that this writer appended (Redis fell back to an
 * older state): the writer may go on after `base` with a reset.
 *
 * The fold does not decode JSON, it takes the fields by their place (see `bodyOf` in event-log.ts): a delta may begin or end in the middle
 * of a character, which cjson refuses. So the folded text is a JSON string without its quotes, and what a reset takes back of the items
 * is known by how it begins.
 *
 * Seq 1 is `execution.queued`, which follows from the record and is never stored; so an empty log counts from 1.
 *
 * What is folded once does not count against the limit, though the overlap keeps it: else a short log would be folded at each step.
 *
 * This runs for every few tokens of every stream, so constants are written into it and what can be computed before is.
 */
export const appendScript = (constants: AppendConstants) => `
local call = redis.call
local state = call('HMGET', KEYS[2], 'attempt', 'seq', 'done', 'cancel', 'shown')
local holder = tonumber(state[1] or 0)
local seq = tonumber(state[2] or 1)
local cancel = state[4] and 1 or 0
local shown = state[5] and 1 or 0
local mine = tonumber(ARGV[1])
local base = tonumber(ARGV[2])
local count = #ARGV - 3
if mine == 0 then mine = holder end
if count > 0 and base >= 0 and base + count == seq and mine == holder then
  local last = call('XRANGE', KEYS[1], seq .. '-0', seq .. '-0')[1]
  if last and last[2][2] == ARGV[3 + count] then return {0, seq, cancel, shown} end
end
if state[3] then return {-1, seq, cancel, shown} end
if mine < holder then return {-2, seq, cancel, shown} end
local leads, shows, ends = string.byte(ARGV[3], 1, 3)
local first = seq == 1
if base > seq and leads == ${'r'.charCodeAt(0)} then
  seq = base
elseif base > seq or (mine == holder and base >= 0 and base < seq) then
  return {-3, seq, cancel, shown}
end
local bytes = 0
for i = 4, #ARGV do
  seq = seq + 1
  bytes = bytes + #ARGV[i]
  call('XADD', KEYS[1], seq .. '-0', 'e', ARGV[i])
end
local ended = ends == ${'t'.charCodeAt(0)}
if shows == ${'s'.charCodeAt(0)} and shown == 0 then
  call('HSET', KEYS[2], 'shown', 1); shown = 1
elseif shows == ${'r'.charCodeAt(0)} and shown == 1 then
  call('HDEL', KEYS[2], 'shown'); shown = 0
end
if ended then
  call('HSET', KEYS[2], 'attempt', mine, 'seq', seq, 'done', 1)
else
  call('HSET', KEYS[2], 'attempt', mine, 'seq', seq)
end
if bytes > ${constants.maxPublishedBytes} then
  call('PUBLISH', KEYS[1], seq)
elseif count == 1 then
  call('PUBLISH', KEYS[1], seq .. '\\n' .. ARGV[4])
elseif count > 0 then
  call('PUBLISH', KEYS[1], seq .. '\\n' .. table.concat(ARGV, '\\n', 4))
end
local from = nil
if seq > ${constants.maxLength} and call('XLEN', KEYS[1]) > ${constants.maxLength + constants.maxLength / 8} then
  from = tonumber(call('HGET', KEYS[3], 'seq') or 1)
end
if from and seq - from > ${constants.maxLength + constants.maxLength / 8} then
  local to = seq - ${constants.maxLength}
  local texts = {}
  local items = {}
  local function cites(item)
    return string.find(item, '^{"type":"output.item","index":%d+,"item":{"type":"citation"') ~= nil
  end
  local fold = {'seq', to}
  for _, entry in ipairs(call('XRANGE', KEYS[1], (from + 1) .. '-0', to .. '-0')) do
    local body = entry[2][2]
    local index, delta = string.match(body, '^{"type":"text.delta","index":(%d+),"delta":"(.*)"}$')
    if index then
      local name = 'text:' .. index
      if not texts[name] then texts[name] = {call('HGET', KEYS[3], name) or ''} end
      table.insert(texts[name], delta)
    elseif string.find(body, '{"type":"text.reset"', 1, true) == 1 then
      for _, name in ipairs(call('HKEYS', KEYS[3])) do
        if string.sub(name, 1, 5) == 'text:' then
          texts[name] = {''}
        elseif string.sub(name, 1, 5) == 'item:' and cites(call('HGET', KEYS[3], name)) then
          call('HDEL', KEYS[3], name)
        end
      end
      for name, _ in pairs(texts) do texts[name] = {''} end
      for name, item in pairs(items) do
        if cites(item) then items[name] = nil end
      end
    else
      index = string.match(body, '^{"type":"output.item","index":(%d+)')
      if index then
        items['item:' .. index] = body
      end
    end
  end
  for name, parts in pairs(texts) do
    fold[#fold + 1] = name
    fold[#fold + 1] = table.concat(parts)
  end
  for name, item in pairs(items) do
    fold[#fold + 1] = name
    fold[#fold + 1] = item
  end
  call('HSET', KEYS[3], unpack(fold))
  call('XTRIM', KEYS[1], 'MINID', math.max(1, to - ${OVERLAP - 1}) .. '-0')
  call('PEXPIRE', KEYS[3], ${constants.keepRunningMs})
end
if ended then
  call('PEXPIRE', KEYS[1], ${constants.keepEndedMs})
  call('PEXPIRE', KEYS[2], ${constants.keepEndedMs})
  if seq > ${constants.maxLength} then call('PEXPIRE', KEYS[3], ${constants.keepEndedMs}) end
elseif first then
  call('PEXPIRE', KEYS[1], ${constants.keepRunningMs})
  call('PEXPIRE', KEYS[2], ${constants.keepRunningMs})
end
return {0, seq, cancel, shown}
`;
