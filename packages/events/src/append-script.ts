import { ANSWER_ITEMS } from '@chorus/contract';

export interface AppendConstants {
  /** Events to keep in a log, plus an eighth and the overlap. */
  maxLength: number;
  /** Time to keep the keys while the execution runs. */
  keepRunningMs: number;
  keepEndedMs: number;
  /** Larger appends only wake readers, which then fetch them. */
  maxPublishedBytes: number;
}

/** Events before the fold that a log keeps, for readers that are slightly behind. */
const OVERLAP = 64;

/** Larger logs remain streams, which readers fetch in pages. */
const MAX_ENDED_EVENTS = 512;
const MAX_ENDED_BYTES = 32_768;

/**
 * Fences, numbers, stores, and publishes events in one atomic step.
 *
 * KEYS: log (also the name of a channel), state, folded, ended. ARGV: attempt (0: the current holder, used to
 * end an execution from outside), base (the last seq that the writer knows; -1: unknown), flags, the channel of
 * the hub that has followed the execution from the start (empty: none has), then the events as JSON. The flags:
 * `r` if a reset comes first; `s` or `r` if these events show or reset output; `t` if the last event is the
 * terminal one; otherwise `-`. The number of resets follows, if any.
 *
 * Returns [status, seq, cancel requested, shown, resets so far]. Status: 0 appended (also for a repetition
 * after a lost reply, which changes nothing), -1 the log has ended, -2 a later attempt holds it, -3 Redis lost
 * events of this writer, which may continue after `base` with a reset.
 *
 * The fold matches fields by position instead of decoding JSON (see `serialize` in event-log.ts): a delta may
 * split a surrogate pair, which cjson refuses. Folded text is therefore a JSON string without its quotes. The
 * fields between a delta's index and its text are its head.
 *
 * Seq 1 is `execution.queued`, which is never stored, so an empty log counts from 1.
 *
 * Folded events that the overlap keeps do not count against the limit. Otherwise a short log would be
 * folded at each step.
 *
 * With the terminal event, a small and complete log becomes one string, since even a short stream takes 4 KB:
 * see `endedEvents` in read-log.ts. It holds the events from seq 2, one per line. A tab ends the
 * part of a delta that the next lines may share; those begin with a tab instead of it.
 *
 * This is a hot path, so constants are inlined, and the caller computes the flags.
 */
export const appendScript = (constants: AppendConstants) => `
local call = redis.call
local state = call('HMGET', KEYS[2], 'attempt', 'seq', 'done', 'cancel', 'shown', 'resets')
local holder = tonumber(state[1] or 0)
local seq = tonumber(state[2] or 1)
local cancel = state[4] and 1 or 0
local shown = state[5] and 1 or 0
local resets = tonumber(state[6] or 0)
local mine = tonumber(ARGV[1])
local base = tonumber(ARGV[2])
local count = #ARGV - 4
if mine == 0 then mine = holder end
if count > 0 and base >= 0 and base + count == seq and mine == holder then
  local last = call('XRANGE', KEYS[1], seq .. '-0', seq .. '-0')[1]
  local line = last and last[2][2] or state[3] and call('GETRANGE', KEYS[4], -#ARGV[#ARGV], -1)
  if line == ARGV[#ARGV] then return {0, seq, cancel, shown, resets} end
end
if state[3] then return {-1, seq, cancel, shown, resets} end
if mine < holder then return {-2, seq, cancel, shown, resets} end
local leads, shows, ends = string.byte(ARGV[3], 1, 3)
local first = seq == 1
if base > seq and leads == ${'r'.charCodeAt(0)} then
  seq = base
elseif base > seq or (mine == holder and base >= 0 and base < seq) then
  return {-3, seq, cancel, shown, resets}
end
local ended = ends == ${'t'.charCodeAt(0)}
local joined = nil
if ended and seq + count <= ${MAX_ENDED_EVENTS} then
  local entries = first and {} or call('XRANGE', KEYS[1], '-', '+')
  -- Only if all its events are there, since their lines imply their numbers.
  if #entries + 1 == seq then
    local lines = {}
    local size = 0
    local shared = nil
    local function add(body)
      local line = body
      if shared and string.sub(body, 1, #shared) == shared then
        line = '\\t' .. string.sub(body, #shared + 1)
      else
        shared = string.match(body, '^{"type":"[a-z_]+%.delta","index":%d+.-,"[a-z_]*delta":')
        if shared then line = shared .. '\\t' .. string.sub(body, #shared + 1) end
      end
      size = size + #line + 1
      lines[#lines + 1] = line
    end
    for _, entry in ipairs(entries) do add(entry[2][2]) end
    for i = 5, #ARGV do add(ARGV[i]) end
    if size <= ${MAX_ENDED_BYTES} then joined = table.concat(lines, '\\n') end
  end
end
local bytes = 0
for i = 5, #ARGV do
  seq = seq + 1
  bytes = bytes + #ARGV[i]
  if not joined then call('XADD', KEYS[1], seq .. '-0', 'e', ARGV[i]) end
end
if joined then
  call('SET', KEYS[4], joined, 'PX', ${constants.keepEndedMs})
  if not first then call('DEL', KEYS[1]) end
end
local more = tonumber(string.sub(ARGV[3], 4))
if more then
  resets = resets + more
  call('HSET', KEYS[2], 'resets', resets)
end
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
if count > 0 then
  local message = bytes > ${constants.maxPublishedBytes} and seq or seq .. '\\n' .. table.concat(ARGV, '\\n', 5)
  call('PUBLISH', KEYS[1], message)
  if ARGV[4] ~= '' then call('PUBLISH', ARGV[4], KEYS[1] .. '\\n' .. message) end
end
local from = nil
if not joined and seq > ${constants.maxLength} and call('XLEN', KEYS[1]) > ${constants.maxLength + constants.maxLength / 8} then
  from = tonumber(call('HGET', KEYS[3], 'seq') or 1)
end
if from and seq - from > ${constants.maxLength + constants.maxLength / 8} then
  local to = seq - ${constants.maxLength}
  local parts = {}
  local values = {}
  local answers = {${ANSWER_ITEMS.map((type) => `['${type}'] = true`).join(', ')}}
  local function answer(item)
    return answers[string.match(item, '^{"type":"output.item","index":%d+,"item":{"type":"([a-z_]+)"')]
  end
  local function append(name, part)
    if not parts[name] then parts[name] = {call('HGET', KEYS[3], name) or ''} end
    table.insert(parts[name], part)
  end
  for _, entry in ipairs(call('XRANGE', KEYS[1], (from + 1) .. '-0', to .. '-0')) do
    local body = entry[2][2]
    local kind, index, head, delta =
      string.match(body, '^{"type":"([a-z_]+)%.delta","index":(%d+)(.-),"[a-z_]*delta":"(.*)"}$')
    if kind == 'tool_call' then
      local name = 'head:' .. index
      if not values[name] and call('HEXISTS', KEYS[3], name) == 0 then values[name] = head end
      append('tool_call:' .. index, delta)
    elseif kind and kind ~= 'audio' then
      append(kind .. ':' .. index, delta)
      if head ~= '' then append('logprobs:' .. index, ',' .. string.sub(head, #',"logprobs":[' + 1, -2)) end
    elseif string.find(body, '{"type":"text.reset"', 1, true) == 1 then
      parts = {}
      for name, value in pairs(values) do
        if string.sub(name, 1, 5) ~= 'item:' or answer(value) then values[name] = nil end
      end
      for _, name in ipairs(call('HKEYS', KEYS[3])) do
        local kept = name == 'seq' or (string.sub(name, 1, 5) == 'item:' and not answer(call('HGET', KEYS[3], name)))
        if not kept then call('HDEL', KEYS[3], name) end
      end
    else
      index = string.match(body, '^{"type":"output.item","index":(%d+)')
      if index then values['item:' .. index] = body end
    end
  end
  local fold = {'seq', to}
  for name, list in pairs(parts) do
    fold[#fold + 1] = name
    fold[#fold + 1] = table.concat(list)
  end
  for name, value in pairs(values) do
    fold[#fold + 1] = name
    fold[#fold + 1] = value
  end
  call('HSET', KEYS[3], unpack(fold))
  call('XTRIM', KEYS[1], 'MINID', math.max(1, to - ${OVERLAP - 1}) .. '-0')
  call('PEXPIRE', KEYS[3], ${constants.keepRunningMs})
end
if ended then
  if not joined then call('PEXPIRE', KEYS[1], ${constants.keepEndedMs}) end
  call('PEXPIRE', KEYS[2], ${constants.keepEndedMs})
  if seq > ${constants.maxLength} then call('PEXPIRE', KEYS[3], ${constants.keepEndedMs}) end
elseif first then
  call('PEXPIRE', KEYS[1], ${constants.keepRunningMs})
  call('PEXPIRE', KEYS[2], ${constants.keepRunningMs})
end
return {0, seq, cancel, shown, resets}
`;
