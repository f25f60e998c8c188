import { createHash } from 'node:crypto';
import { ChorusError } from '@chorus/contract';
import { fromRedis, type RedisConnection } from '@chorus/events';
import { networkOf } from './network-address.ts';

/** A permitted login attempt. It is counted as a failure up front, so parallel attempts gain nothing. */
export interface AdmittedLogin {
  /** Refunds the attempt and remembers the network as known. */
  succeeded(): Promise<void>;
  withdraw(): Promise<void>;
}

export interface LoginThrottle {
  /** @throws {ChorusError} rate_limited while the account or the address has to wait */
  admit(email: string, address: string): Promise<AdmittedLogin>;
}

/**
 * Free failures per key. Each further failure doubles the wait, from 1 s up to a minute; 15 minutes without
 * failures reset it. Nothing is locked permanently, and attempts during a wait are not counted.
 */
const FREE_FAILURES = {
  /** One account from one address. */
  pair: 5,
  /**
   * One account from everywhere, against distributed guessing. Known addresses are exempt, so attackers cannot
   * lock the user out.
   */
  account: 20,
  /** One address across accounts, against password spraying. Generous, since an office may share it. */
  address: 100,
};
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const FORGET_MS = 15 * 60_000;
const REMEMBER_PLACE_S = 30 * 24 * 3_600;
const REDIS_TIMEOUT_MS = 3_000;

/** Counts an attempt by Redis's clock. Returns the wait in ms; 0 if the attempt was counted. */
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

/** Refunds an attempt and the wait it caused. Since it was admitted, there was no wait before. */
const REFUND = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HDEL', KEYS[1], 'blocked_until')
if redis.call('HINCRBY', KEYS[1], 'failures', -1) <= 0 then redis.call('DEL', KEYS[1]) end
return 1`;

/** Throttles password guessing across API processes. Redis keys hold hashes of account and address. */
export function createLoginThrottle(redis: RedisConnection): LoginThrottle {
  const reserve = async (kind: keyof typeof FREE_FAILURES, key: string): Promise<void> => {
    const limits = [FREE_FAILURES[kind], FIRST_WAIT_MS, LONGEST_WAIT_MS, FORGET_MS];
    const waitMs = Number(await withRedisTimeout(redis.eval(RESERVE, 1, key, ...limits)));
    if (waitMs === 0) return;
    throw new ChorusError('rate_limited', 'Too many failed logins. Wait before trying again.', {
      retryAfterS: Math.ceil(waitMs / 1_000),
    });
  };
  const refund = (key: string) => withRedisTimeout(redis.eval(REFUND, 1, key));

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
        if ((await withRedisTimeout(redis.exists(known))) === 0) await count('account', keyOf('account', email));
        await count('address', keyOf('address', network));
      } catch (error) {
        await withdraw();
        throw error;
      }
      return {
        withdraw,
        succeeded: async () => {
          const others = counted.filter((key) => key !== pair).map(refund);
          const remembered = redis.set(known, '1', 'EX', REMEMBER_PLACE_S);
          await Promise.all([...others, withRedisTimeout(redis.del(pair)), withRedisTimeout(remembered)]);
        },
      };
    },
  };
}

/** Worker-style connections wait for Redis indefinitely; logins must not. */
function withRedisTimeout<T>(answer: Promise<T>): Promise<T> {
  return fromRedis(answer, REDIS_TIMEOUT_MS);
}

function keyOf(kind: string, subject: string): string {
  return `chorus:login:${kind}:${createHash('sha256').update(subject).digest('base64url')}`;
}
