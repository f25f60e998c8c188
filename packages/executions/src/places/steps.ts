/** The priority a job is added with, behind all that have a turn: BullMQ's largest that its scores still tell apart. */
export const BEHIND_ALL = 2 ** 21 - 1;

/** How many jobs of one turn keep the order in which they came. */
export const SAME_TURN = 2 ** 20;

/** Counts of a user who has queued nothing for a day are forgotten. */
const FORGET_AFTER_S = 86_400;

/** The score of a parked job in BullMQ's `delayed`: a time that never comes. */
const NEVER = 1e17;

/** Users with parked jobs that one step looks at. */
const LOOKS = 16;

/** A worker process that has not renewed its places for this long is gone. */
const WORKER_GONE_MS = 12_000;

/**
 * Functions shared by all steps. Every step takes the same keys, and begins its arguments with the prefix of job keys and that of fair keys.
 *
 * Turns follow start-time fair queueing (Goyal, Vin and Cheng, 1996): a job's turn is where its sharer's last job ends, or the turn that is
 * served now if that is later, and it ends after as many turns as the job costs. A user who holds their share of the places has further jobs
 * parked: they wait in a queue of the sharer, and get their turn when a place may be had.
 */
const SHARED = `
local line, active, clock, ends, first, parked, marker, waiting, pool = unpack(KEYS)
local base, fair = ARGV[1], ARGV[2]
local behind, width, last = ${BEHIND_ALL} * 4294967296, ${SAME_TURN}, 8589930496

local function userOf(sharer) return string.match(sharer, '^[^|]+') end
local function openOf(sharer) return fair .. 'open:' .. userOf(sharer) end
local function queueOf(sharer) return fair .. 'queue:' .. sharer end

local function places()
  local size = redis.call('HGET', pool, 'size')
  return size and tonumber(size) or 1000000000
end

-- Of jobs that are active, those that are just ending.
local ending = 0

local function used()
  return redis.call('LLEN', active) + redis.call('ZCARD', line) + redis.call('LLEN', first) - ending
end

-- One job is always allowed. Beyond that a user holds at most three times what is left for others, and never the last free place;
-- batches leave some of a user's share to single jobs.
local function mayRun(sharer, arriving)
  local open = redis.call('SCARD', openOf(sharer))
  if open == 0 then return true end
  local left = places() - used() + arriving - 1
  if string.find(sharer, '|', 1, true) then return left >= 2 and open + 1 <= 2 * left end
  return left >= 1 and open + 1 <= 3 * left
end

local function giveTurn(sharer, id)
  local seen = redis.call('HMGET', clock, 'latest', 'count')
  local latest, count = tonumber(seen[1] or 0), tonumber(seen[2] or 0)
  local head = redis.call('ZRANGE', line, 0, 0, 'WITHSCORES')
  local now = latest
  if head[2] and tonumber(head[2]) < behind then
    now = math.floor(tonumber(head[2]) / width)
  elseif redis.call('LLEN', active) == 0 then
    -- Nobody competes: debts are forgiven, and a clock that has run for months is set back.
    local furthest = redis.call('ZREVRANGE', ends, 0, 0, 'WITHSCORES')
    now = math.max(latest, tonumber(furthest[2] or 0))
    if now > last / 2 then now = 0 end
    latest = now
    redis.call('DEL', ends)
  end
  redis.call('ZREMRANGEBYSCORE', ends, '-inf', now)
  local free = math.max(now, tonumber(redis.call('ZSCORE', ends, sharer) or 0))
  local turn = math.min(free, last)
  count = (count + 1) % width
  redis.call('ZADD', line, string.format('%.0f', turn * width + count), id)
  redis.call('ZADD', ends, turn + tonumber(redis.call('HGET', base .. id, 'turns') or 1), sharer)
  redis.call('HSET', clock, 'latest', string.format('%.0f', math.max(latest, turn)), 'count', count)
  redis.call('SADD', openOf(sharer), id)
  for _, key in ipairs({clock, ends, openOf(sharer)}) do redis.call('EXPIRE', key, ${FORGET_AFTER_S}) end
end

local function park(sharer, id, score)
  redis.call('ZADD', parked, ${NEVER}, id)
  redis.call('ZADD', queueOf(sharer), score, id)
  redis.call('ZADD', waiting, 'NX', redis.call('HINCRBY', pool, 'looks', 1), sharer)
end

-- Gives the first parked job of a sharer its turn, if it may run.
local function release(sharer)
  if not mayRun(sharer, 0) then return false end
  local queue = queueOf(sharer)
  while true do
    local id = redis.call('ZRANGE', queue, 0, 0)[1]
    if not id then
      redis.call('ZREM', waiting, sharer)
      return false
    end
    redis.call('ZREM', queue, id)
    if redis.call('ZREM', parked, id) == 1 then
      if redis.call('EXISTS', queue) == 0 then redis.call('ZREM', waiting, sharer) end
      giveTurn(sharer, id)
      redis.call('ZADD', marker, 0, '0')
      return true
    end
  end
end

-- Those who have parked jobs take turns at the places that are left.
local function fill()
  -- The last place is for users who have none, and those are never parked.
  if places() - used() < 2 then return end
  local refused = 0
  while refused < ${LOOKS} do
    local sharer = redis.call('ZRANGE', waiting, 0, 0)[1]
    if not sharer then return end
    redis.call('ZADD', waiting, redis.call('HINCRBY', pool, 'looks', 1), sharer)
    if not release(sharer) then refused = refused + 1 end
  end
end

-- A place of the user has become free: theirs to fill first, by whichever of single jobs and batches is behind.
local function refill(sharer)
  if redis.call('EXISTS', waiting) == 0 then return end
  local user = userOf(sharer)
  local batches = user .. '|batches'
  local one, other = user, batches
  local debts = redis.call('ZMSCORE', ends, user, batches)
  if tonumber(debts[2] or 0) < tonumber(debts[1] or 0) then one, other = batches, user end
  if not release(one) then release(other) end
  fill()
end
`;

const step = (lua: string) => `${SHARED}\n${lua}`;

/** The keys that every step takes. */
export const NUMBER_OF_KEYS = 9;

/** ARGV: sharer, then id and cost of each job, which were added behind all that have a turn. */
export const JOIN = step(`
local sharer = ARGV[3]
local arriving = 0
for at = 4, #ARGV, 2 do
  local score = redis.call('ZSCORE', line, ARGV[at])
  if score and tonumber(score) >= behind then arriving = arriving + 1 end
end
for at = 4, #ARGV, 2 do
  local id, cost = ARGV[at], ARGV[at + 1]
  local score = redis.call('ZSCORE', line, id)
  -- One that is not new has its turn, had it, or is parked.
  if score and tonumber(score) >= behind then
    if tonumber(cost) ~= 1 then redis.call('HSET', base .. id, 'turns', cost) end
    if redis.call('EXISTS', queueOf(sharer)) == 0 and mayRun(sharer, arriving) then
      giveTurn(sharer, id)
    else
      redis.call('ZREM', line, id)
      local newest = redis.call('ZREVRANGE', queueOf(sharer), 0, 0, 'WITHSCORES')
      park(sharer, id, tonumber(newest[2] or 0) + 1)
    end
    arriving = arriving - 1
  end
end
`);

/** ARGV: sharer, id, 1 where the job is still active and about to end (0: it was taken out of the queue), the lock's token where it is. */
export const LEAVE = step(`
local sharer, id = ARGV[3], ARGV[4]
-- Another attempt has the job, and its place.
if ARGV[6] and redis.call('GET', base .. id .. ':lock') ~= ARGV[6] then return end
ending = tonumber(ARGV[5])
redis.call('SREM', openOf(sharer), id)
if redis.call('ZREM', queueOf(sharer), id) == 1 and redis.call('EXISTS', queueOf(sharer)) == 0 then
  redis.call('ZREM', waiting, sharer)
end
-- A user with nothing else owes nothing for what was taken back.
if ending == 0 and redis.call('EXISTS', openOf(sharer), queueOf(sharer)) == 0 then redis.call('ZREM', ends, sharer) end
refill(sharer)
`);

/** ARGV: sharer, id, time. The job has gone back to the line, where it now takes its turn behind those who wait. */
export const GIVE_BACK = step(`
local sharer, id = ARGV[3], ARGV[4]
if redis.call('ZREM', line, id) == 0 then return end
redis.call('SREM', openOf(sharer), id)
-- It came as far as it is now without a crash, and begins to wait anew.
redis.call('HDEL', base .. id, 'stc')
redis.call('HSET', base .. id, 'timestamp', ARGV[5])
local oldest = redis.call('ZRANGE', queueOf(sharer), 0, 0, 'WITHSCORES')
park(sharer, id, tonumber(oldest[2] or 0) - 1)
release(sharer)
fill()
`);

/**
 * ARGV: sharer, how long the job has run, the slices of a user with several places and with one.
 * Returns 1 where the job should give its place back: every place is taken, and somebody else waits for one. One job a second does.
 */
export const WANTED = step(`
local open = openOf(ARGV[3])
local held = redis.call('SMEMBERS', open)
if tonumber(ARGV[4]) < tonumber(#held > 1 and ARGV[5] or ARGV[6]) then return 0 end
if redis.call('LLEN', active) < places() then return 0 end
local others = redis.call('LLEN', first) + redis.call('ZCARD', line)
if others == 0 then return 0 end
for _, id in ipairs(held) do
  if redis.call('ZSCORE', line, id) then others = others - 1 end
end
if others <= 0 then return 0 end
return redis.call('SET', fair .. 'given-back', 1, 'PX', 1000, 'NX') and 1 or 0
`);

/** ARGV: worker, its places; 0: it goes. Adds up the places of all workers, and mends what workers that died have left. */
export const REGISTER = step(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local workers = fair .. 'workers'
if tonumber(ARGV[4]) > 0 then
  redis.call('HSET', workers, ARGV[3], ARGV[4] .. ':' .. string.format('%.0f', now))
else
  redis.call('HDEL', workers, ARGV[3])
end
local size = 0
local all = redis.call('HGETALL', workers)
for at = 1, #all, 2 do
  local count, seen = string.match(all[at + 1], '^(%d+):(%d+)$')
  if not seen or now - tonumber(seen) > ${WORKER_GONE_MS} then
    redis.call('HDEL', workers, all[at])
  else
    size = size + tonumber(count)
  end
end
redis.call('HSET', pool, 'size', size)
if not redis.call('SET', fair .. 'mended', 1, 'PX', 2000, 'NX') then return end
for _, sharer in ipairs(redis.call('ZRANGE', waiting, 0, ${LOOKS - 1})) do
  for _, id in ipairs(redis.call('SMEMBERS', openOf(sharer))) do
    if redis.call('EXISTS', base .. id) == 0 or redis.call('HEXISTS', base .. id, 'finishedOn') == 1 then
      redis.call('SREM', openOf(sharer), id)
    end
  end
  release(sharer)
  -- The next look begins with the others, also while no place is free.
  redis.call('ZADD', waiting, 'XX', redis.call('HINCRBY', pool, 'looks', 1), sharer)
end
fill()
`);

/** ARGV: user. Forgets all that is kept of a user. */
export const FORGET = step(`
for _, sharer in ipairs({ARGV[3], ARGV[3] .. '|batches'}) do
  redis.call('DEL', queueOf(sharer), openOf(sharer))
  redis.call('ZREM', waiting, sharer)
  redis.call('ZREM', ends, sharer)
end
`);
