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

/**
 * Fields of a job: how often it has lost its worker, how many processes have ended while they ran it, at how many of
 * these ends it was among few, and why it is not run again.
 */
export const CRASH_FIELDS = ['stc', 'ends', 'blamed', 'defa'] as const;

/** Forgets the crashes that a job has seen. */
export const FORGIVE = `
local function forgive(id) redis.call('HDEL', base .. id, ${CRASH_FIELDS.map((field) => `'${field}'`).join(', ')}) end
`;

/** Moves a job without a place back to its line, first or last. It has not crashed, so it waits with a clean record. */
export const PARK_AGAIN = `
local function parkAgain(sharer, id, timestamp, isLast)
  free(sharer, id)
  forgive(id)
  if timestamp then redis.call('HSET', base .. id, 'timestamp', timestamp) end
  park(sharer, id, endOf(queueOf(sharer), isLast))
end
`;
