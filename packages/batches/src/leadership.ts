import { randomUUID } from 'node:crypto';
import { defineScript, fromRedis, type RedisConnection } from '@chorus/events';

/** How long a lease holds that is not renewed, in milliseconds: so long nobody leads when a leader was killed. */
const LEASE_MS = 6_000;
const RENEW_EVERY_MS = 1_500;

/** A leader that has not heard of its lease for so long stops before another begins. */
const SURE_MS = 4_000;

const ANSWER_WITHIN_MS = 2_000;

/** Another process leads now. */
export class NotLeading extends Error {}

/** KEYS: the lease. ARGV: token, milliseconds. 1: it is held by that token now. */
const HOLD = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`;

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`;

/**
 * Of the processes that ask for a name one leads, by a lease in Redis. Two may believe so for a moment, when Redis has forgotten or a process slept: what
 * a leader does must bear that.
 */
export class Leadership {
  readonly #key: string;
  readonly #token = randomUUID();
  readonly #hold: (...args: (string | number)[]) => Promise<unknown>;
  readonly #release: (...args: (string | number)[]) => Promise<unknown>;
  #askedAt = Number.NEGATIVE_INFINITY;
  #sureUntil = Number.NEGATIVE_INFINITY;

  constructor(redis: RedisConnection, name: string) {
    this.#key = `chorus:lease:${name}`;
    this.#hold = defineScript(redis, 'chorusHoldLease', HOLD, 1);
    this.#release = defineScript(redis, 'chorusReleaseLease', RELEASE, 1);
  }

  /** Whether this process leads, as far as it knows. */
  get held(): boolean {
    return performance.now() < this.#sureUntil;
  }

  /** Takes the lease if it is free, and renews it. Answers whether this process leads now. @throws {ChorusError} store_unavailable */
  async ask(): Promise<boolean> {
    const now = performance.now();
    if (this.held && now - this.#askedAt < RENEW_EVERY_MS) return true;
    this.#askedAt = now;
    const holds = (await fromRedis(this.#hold(this.#key, this.#token, LEASE_MS), ANSWER_WITHIN_MS)) === 1;
    this.#sureUntil = holds ? now + SURE_MS : Number.NEGATIVE_INFINITY;
    return holds;
  }

  /** Lets another lead. */
  async release(): Promise<void> {
    this.#sureUntil = Number.NEGATIVE_INFINITY;
    await fromRedis(this.#release(this.#key, this.#token), ANSWER_WITHIN_MS);
  }
}
