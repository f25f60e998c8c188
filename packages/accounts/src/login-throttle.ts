import { createHash } from 'node:crypto';
import { ChorusError } from '@chorus/contract';
import { fromRedis, type RedisConnection } from '@chorus/events';
import { networkOf } from './network-address.ts';

/** An attempt to log in that may be made. Each is counted as a failure beforehand, so that many at once gain nothing. */
export interface AdmittedLogin {
  /** The password was right: takes the count back, and remembers the place. */
  succeeded(): Promise<void>;
  /** It came to no answer: takes the count back. */
  withdraw(): Promise<void>;
}

export interface LoginThrottle {
  /** Throws `rate_limited` while the account or the address has to wait. */
  admit(email: string, address: string): Promise<AdmittedLogin>;
}

/**
 * How many failures are free. After them each failure makes the next attempt wait, 1 s, 2 s, 4 s … up to a minute, and a quarter of
 * an hour without failures forgets all. Nothing is ever locked for good, and who waits is not counted.
 */
const FREE_FAILURES = {
  /** Of one account from one address. */
  pair: 5,
  /** Of one account from everywhere: many addresses guess together. Addresses it has logged in from before are exempt: attackers can't shut it out. */
  account: 20,
  /** Of one address over all accounts: one address tries a password on many. An office may stand behind it. */
  address: 100,
};
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const FORGET_MS = 15 * 60_000;
const REMEMBER_PLACE_S = 30 * 24 * 3_600;
/** Redis answers within this or counts as away. */
const REDIS_TIMEOUT_MS = 3_000;

/** Counts an attempt by Redis's clock. Answers the milliseconds to wait; 0: go on, it is counted. */
const RESERVE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local entry = redis.call('HMGET', KEYS[1], 'failures', 'blocked_until')
local blocked_until = tonumber(entry[2]) or 0
if blocked_until > now then return blocked_until - now end
local failures = (tonumber(entry[1]) or 0) + 1
local over = failures - tonumber(ARGV[1])
redis.call('HSET', KEYS[1], 'failures', failures)
if over >= 0 then
  local wait = math.min(tonumber(ARGV[3]), tonumber(ARGV[2]) * 2 ^ math.min(over, 20))
  redis.call('HSET', KEYS[1], 'blocked_until', string.format('%.0f', now + wait))
end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 0`;

/** Takes one counted attempt back, with the wait that it caused: it was let in, so there was none before. */
const REFUND = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HDEL', KEYS[1], 'blocked_until')
if redis.call('HINCRBY', KEYS[1], 'failures', -1) <= 0 then redis.call('DEL', KEYS[1]) end
return 1`;

/** Slows down who guesses passwords, over all API processes: the counts are in Redis, under hashes of account and address. */
export function createLoginThrottle(redis: RedisConnection): LoginThrottle {
  const reserve = async (kind: keyof typeof FREE_FAILURES, key: string): Promise<void> => {
    const limits = [FREE_FAILURES[kind], FIRST_WAIT_MS, LONGEST_WAIT_MS, FORGET_MS];
    const waitMs = Number(await inTime(redis.eval(RESERVE, 1, key, ...limits)));
    if (waitMs === 0) return;
    throw new ChorusError('rate_limited', 'Too many failed logins. Wait before you try again.', {
      retryAfterS: Math.ceil(waitMs / 1_000),
    });
  };
  const refund = (key: string) => inTime(redis.eval(REFUND, 1, key));

  return {
    admit: async (email, address) => {
      const network = networkOf(address);
      const pair = keyOf('pair', `${email}\n${network}`);
      const known = keyOf('known', `${email}\n${network}`);
      const counted: string[] = [];
      const count = async (kind: keyof typeof FREE_FAILURES, key: string) => {
        await reserve(kind, key);
        counted.push(key);
      };
      const withdraw = async () => {
        await Promise.all(counted.map(refund));
      };
      try {
        await count('pair', pair);
        if ((await inTime(redis.exists(known))) === 0) await count('account', keyOf('account', email));
        await count('address', keyOf('address', network));
      } catch (error) {
        // Not admitted, so nothing was guessed.
        await withdraw();
        throw error;
      }
      return {
        withdraw,
        succeeded: async () => {
          const others = counted.filter((key) => key !== pair).map(refund);
          const remembered = redis.set(known, '1', 'EX', REMEMBER_PLACE_S);
          await Promise.all([...others, inTime(redis.del(pair)), inTime(remembered)]);
        },
      };
    },
  };
}

/** A connection made for workers waits for Redis as long as it takes; somebody who logs in does not. */
function inTime<T>(answer: Promise<T>): Promise<T> {
  return fromRedis(answer, REDIS_TIMEOUT_MS);
}

function keyOf(kind: string, subject: string): string {
  return `chorus:login:${kind}:${createHash('sha256').update(subject).digest('base64url')}`;
}
