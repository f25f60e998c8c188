/**
 * Appends events to a log: fences, numbers, stores and publishes them in one atomic step.
 *
 * KEYS: log, state, folded. ARGV: attempt (0: whoever holds it, used to end an execution from outside), base (the seq that the
 * writer believes to be last, -1: unknown), channel, longest log, milliseconds to keep it while running, and after the end,
 * largest published message in bytes, one letter for each event (`s` shows something, `r` reset, `t` terminal, `o` other),
 * then the events as JSON.
 *
 * Returns [status, seq, cancel asked for, shown]. Status: 0 appended (or had been: a command sent again after a lost reply changes
 * nothing), -1 the log has ended, -2 a later attempt holds it, -3 the log has lost events that this writer appended (Redis fell back to an
 * older state): the writer may go on after `base` with a reset.
 *
 * The fold does not decode JSON, it takes the fields by their place (see `bodyOf` in event-log.ts): a delta may begin or end in the middle
 * of a character, which cjson refuses. So the folded text is a JSON string without its quotes.
 *
 * Seq 1 is `execution.queued`, which follows from the record and is never stored; so an empty log counts from 1.
 */
export const APPEND = `
local state = redis.call('HMGET', KEYS[2], 'attempt', 'seq', 'done', 'cancel', 'shown')
local holder = tonumber(state[1] or 0)
local seq = tonumber(state[2] or 1)
local cancel = state[4] and 1 or 0
local shown = state[5] and 1 or 0
local mine = tonumber(ARGV[1])
local base = tonumber(ARGV[2])
local letters = ARGV[8]
local count = #letters
if mine == 0 then mine = holder end
if mine == holder and base >= 0 and base + count == seq and count > 0 then
  local last = redis.call('XRANGE', KEYS[1], seq .. '-0', seq .. '-0')[1]
  if last and last[2][2] == ARGV[8 + count] then return {0, seq, cancel, shown} end
end
if state[3] then return {-1, seq, cancel, shown} end
if mine < holder then return {-2, seq, cancel, shown} end
local first = seq == 1
if base > seq and string.sub(letters, 1, 1) == 'r' then
  seq = base
elseif base > seq or (mine == holder and base >= 0 and base < seq) then
  return {-3, seq, cancel, shown}
end
local bytes = 0
for i = 1, count do
  local body = ARGV[8 + i]
  seq = seq + 1
  bytes = bytes + #body
  redis.call('XADD', KEYS[1], seq .. '-0', 'e', body)
end
local set = {'attempt', mine, 'seq', seq}
local ended = string.sub(letters, -1) == 't'
if ended then set[5] = 'done'; set[6] = 1 end
local reset = string.find(letters, 'r[^r]*$')
if string.find(letters, 's', reset or 1, true) then
  if shown == 0 then set[#set + 1] = 'shown'; set[#set + 1] = 1; shown = 1 end
elseif reset and shown == 1 then
  redis.call('HDEL', KEYS[2], 'shown'); shown = 0
end
redis.call('HSET', KEYS[2], unpack(set))
if count > 0 then
  if bytes <= tonumber(ARGV[7]) then
    redis.call('PUBLISH', ARGV[3], seq .. '\\n' .. table.concat(ARGV, '\\n', 9, 8 + count))
  else
    redis.call('PUBLISH', ARGV[3], seq .. '')
  end
end
local longest = tonumber(ARGV[4])
if seq > longest and redis.call('XLEN', KEYS[1]) > longest + longest / 8 then
  local from = tonumber(redis.call('HGET', KEYS[3], 'seq') or 1)
  local to = seq - longest
  local texts = {}
  local fold = {'seq', to}
  for _, entry in ipairs(redis.call('XRANGE', KEYS[1], (from + 1) .. '-0', to .. '-0')) do
    local body = entry[2][2]
    local index, delta = string.match(body, '^{"type":"text.delta","index":(%d+),"delta":"(.*)"}$')
    if index then
      local name = 'text:' .. index
      if not texts[name] then texts[name] = {redis.call('HGET', KEYS[3], name) or ''} end
      table.insert(texts[name], delta)
    elseif string.find(body, '{"type":"text.reset"', 1, true) == 1 then
      for _, name in ipairs(redis.call('HKEYS', KEYS[3])) do
        if string.sub(name, 1, 5) == 'text:' then texts[name] = {''} end
      end
      for name, _ in pairs(texts) do texts[name] = {''} end
    else
      index = string.match(body, '^{"type":"output.item","index":(%d+)')
      if index then
        fold[#fold + 1] = 'item:' .. index
        fold[#fold + 1] = body
      end
    end
  end
  for name, parts in pairs(texts) do
    fold[#fold + 1] = name
    fold[#fold + 1] = table.concat(parts)
  end
  redis.call('HSET', KEYS[3], unpack(fold))
  redis.call('XTRIM', KEYS[1], 'MINID', math.max(1, to - 63) .. '-0')
  redis.call('PEXPIRE', KEYS[3], ended and ARGV[6] or ARGV[5])
end
if ended or first then
  local keep = ended and ARGV[6] or ARGV[5]
  redis.call('PEXPIRE', KEYS[1], keep)
  redis.call('PEXPIRE', KEYS[2], keep)
  if ended and seq > longest then redis.call('PEXPIRE', KEYS[3], keep) end
end
return {0, seq, cancel, shown}
`;
