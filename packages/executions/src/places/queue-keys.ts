/** Initial priority, behind all jobs with a turn: the largest that BullMQ's scores can represent. */
export const BEHIND_ALL = 2 ** 21 - 1;

/** Score of a parked job in BullMQ's `delayed`: a time that never comes. */
export const NEVER = 1e17;

/** Number of users or lanes with parked jobs that one step checks. */
export const LOOKS = 16;

/** Every step takes the same keys. Its first arguments are the prefixes of job keys and fairness keys. */
export const KEY_NAMES = `
local line, active, clock, ends, first, parked, marker, waiting, pool = unpack(KEYS)
local base, fair = ARGV[1], ARGV[2]
`;

export const NUMBER_OF_KEYS = 9;

/** Moves a job without a place back to its line, first or last. It has not crashed, so it waits with a clean record. */
export const PARK_AGAIN = `
local function parkAgain(sharer, id, timestamp, isLast)
  free(sharer, id)
  redis.call('HDEL', base .. id, 'stc')
  if timestamp then redis.call('HSET', base .. id, 'timestamp', timestamp) end
  park(sharer, id, endOf(queueOf(sharer), isLast))
end
`;
