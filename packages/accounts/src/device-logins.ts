import { createHash, randomBytes, randomInt } from 'node:crypto';
import { ChorusError, type PendingDevice } from '@chorus/contract';
import type { LoginDevice } from '@chorus/database';
import { defineScript, fromRedis, type RedisConnection } from '@chorus/events';

/** Logins of programs without a browser, which the user approves in a browser (RFC 8628). */
export interface DeviceLogins {
  /** @throws {ChorusError} store_unavailable */
  begin(device: LoginDevice): Promise<{ deviceCode: string; userCode: string; expiresInS: number; intervalS: number }>;
  /** @throws {ChorusError} not_found for an unknown, expired, or decided code */
  find(userCode: string): Promise<PendingDevice>;
  /** @throws {ChorusError} not_found */
  decide(userCode: string, userId: string, approve: boolean): Promise<void>;
  /**
   * Returns the user who approved it. Works once.
   * @throws {ChorusError} authorization_pending, slow_down, access_denied, expired_token
   */
  redeem(deviceCode: string): Promise<string>;
}

const TTL_S = 600;
const INTERVAL_S = 2;

/** Only consonants, which form no words, and none that look alike. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const CODE_LENGTH = 8;
const DEVICE_CODE = /^dev_[\w-]{43}$/;

/** KEYS: the request. ARGV: user (empty: denied). Returns 1 if it was undecided. */
const DECIDE = `
if redis.call('HGET', KEYS[1], 'status') ~= 'pending' then return 0 end
redis.call('HSET', KEYS[1], 'status', ARGV[1] == '' and 'denied' or 'approved', 'user_id', ARGV[1])
return 1`;

/** KEYS: the request. ARGV: milliseconds between two calls. Returns the state and the user. A decision is consumed. */
const POLL = `
local found = redis.call('HMGET', KEYS[1], 'status', 'user_id', 'polled_at')
if not found[1] then return {'expired', ''} end
if found[1] ~= 'pending' then redis.call('DEL', KEYS[1]) return {found[1], found[2] or ''} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'polled_at', string.format('%.0f', now))
if found[3] and now - tonumber(found[3]) < tonumber(ARGV[1]) then return {'early', ''} end
return {'pending', ''}`;

export function createDeviceLogins(redis: RedisConnection, { intervalS = INTERVAL_S } = {}): DeviceLogins {
  const decide = defineScript(redis, 'chorusDecideDevice', DECIDE, 1);
  const poll = defineScript(redis, 'chorusPollDevice', POLL, 1);
  const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
  // Only hashes are stored, so reading Redis gives no access.
  const requestKey = (id: string) => `chorus:{device:${id}}`;
  const codeKey = (userCode: string) => `chorus:{device-code:${digest(plain(userCode))}}`;
  const idOf = (userCode: string) => fromRedis(redis.get(codeKey(userCode)));

  return {
    async begin({ address, user_agent }) {
      const deviceCode = `dev_${randomBytes(32).toString('base64url')}`;
      const id = digest(deviceCode);
      const key = requestKey(id);
      const expiresAt = String(Date.now() + TTL_S * 1_000);
      for (;;) {
        const userCode = newUserCode();
        if ((await fromRedis(redis.set(codeKey(userCode), id, 'EX', TTL_S, 'NX'))) === null) continue;
        const about = { address: address ?? '', user_agent: user_agent ?? '', expires_at: expiresAt };
        await fromRedis(redis.hset(key, { status: 'pending', user_code: userCode, ...about }));
        await fromRedis(redis.expire(key, TTL_S));
        return { deviceCode, userCode, expiresInS: TTL_S, intervalS };
      }
    },
    async find(userCode) {
      const id = await idOf(userCode);
      const found = id === null ? {} : await fromRedis(redis.hgetall(requestKey(id)));
      if (found.status !== 'pending') throw unknownCode();
      return {
        object: 'device',
        user_code: found.user_code ?? '',
        user_agent: found.user_agent || null,
        address: found.address || null,
        requested_at: new Date(Number(found.expires_at) - TTL_S * 1_000).toISOString(),
        expires_at: new Date(Number(found.expires_at)).toISOString(),
      };
    },
    async decide(userCode, userId, approve) {
      const id = await idOf(userCode);
      const decided = id === null ? 0 : await fromRedis(decide(requestKey(id), approve ? userId : ''));
      if (decided !== 1) throw unknownCode();
      await fromRedis(redis.del(codeKey(userCode)));
    },
    async redeem(deviceCode) {
      const known = DEVICE_CODE.test(deviceCode);
      const answer = known ? await fromRedis(poll(requestKey(digest(deviceCode)), intervalS * 900)) : ['expired', ''];
      const [status = '', userId = ''] = answer as string[];
      if (status === 'approved') return userId;
      throw refusal(status, intervalS);
    },
  };
}

function refusal(status: string, retryAfterS: number): ChorusError {
  switch (status) {
    case 'pending':
      return new ChorusError('authorization_pending', 'The user has not approved this device yet.', { retryAfterS });
    case 'early':
      return new ChorusError('slow_down', `Wait ${retryAfterS} s between two requests.`, { retryAfterS });
    case 'denied':
      return new ChorusError('access_denied', 'The user has denied this device.');
    default:
      return new ChorusError('expired_token', 'This device code is unknown or has expired. Start again.');
  }
}

const unknownCode = () => new ChorusError('not_found', 'This code is unknown, has expired, or was used.');

/** Ignores case, spaces, and hyphens. */
const plain = (userCode: string) => userCode.toUpperCase().replace(/[^A-Z]/g, '');

function newUserCode(): string {
  const letters = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${letters.slice(0, CODE_LENGTH / 2)}-${letters.slice(CODE_LENGTH / 2)}`;
}
