import { createHash, randomBytes } from 'node:crypto';
import { ChorusError } from '@chorus/contract';
import type { UserRecord } from '@chorus/database';
import { fromRedis, type RedisConnection } from '@chorus/events';
import { z } from 'zod';

/** State between the two steps of a login: the password was correct, and the code is pending. */
export interface LoginChallenges {
  /** @throws {ChorusError} store_unavailable */
  issue(user: UserRecord): Promise<string>;
  /** @throws {ChorusError} unauthorized, store_unavailable */
  read(challenge: string): Promise<{ userId: string; passwordDigest: string }>;
  end(challenge: string): Promise<void>;
}

const PREFIX = 'chl_';
const FORM = new RegExp(`^${PREFIX}[\\w-]{43}$`);
const CHALLENGE_TTL_S = 300;
const REDIS_TIMEOUT_MS = 3_000;

const kept = z.object({ user_id: z.string(), password_digest: z.string() });

export function createLoginChallenges(redis: RedisConnection): LoginChallenges {
  // Only hashes are stored, so reading Redis gives no access.
  const keyOf = (challenge: string) =>
    `chorus:{challenge:${createHash('sha256').update(challenge).digest('base64url')}}`;
  return {
    issue: async (user) => {
      const challenge = PREFIX + randomBytes(32).toString('base64url');
      const value: z.infer<typeof kept> = { user_id: user.id, password_digest: digestOf(user) };
      await fromRedis(redis.set(keyOf(challenge), JSON.stringify(value), 'EX', CHALLENGE_TTL_S), REDIS_TIMEOUT_MS);
      return challenge;
    },
    read: async (challenge) => {
      const value = FORM.test(challenge) ? await fromRedis(redis.get(keyOf(challenge)), REDIS_TIMEOUT_MS) : null;
      if (value === null) throw unknownChallenge();
      const { user_id, password_digest } = kept.parse(JSON.parse(value));
      return { userId: user_id, passwordDigest: password_digest };
    },
    end: async (challenge) => {
      await fromRedis(redis.del(keyOf(challenge)), REDIS_TIMEOUT_MS);
    },
  };
}

/** Changes with the password, which invalidates challenges issued before. */
export function digestOf({ password_hash }: Pick<UserRecord, 'password_hash'>): string {
  return createHash('sha256').update(password_hash).digest('base64url');
}

export function totpRequired(challenge: string): ChorusError {
  const message =
    'This account uses two-factor authentication. Send a code from your authenticator app, or a recovery code.';
  return new ChorusError('totp_required', message, { extra: { challenge, expires_in: CHALLENGE_TTL_S } });
}

export function unknownChallenge(): ChorusError {
  return new ChorusError('unauthorized', 'This login has expired. Start again with your password.');
}
