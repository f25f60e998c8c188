import { randomUUID } from 'node:crypto';
import { defineScript, fromRedis, type RedisConnection } from '@chorus/events';

/** Lifetime of a lease, and so the longest time without a leader after a crash. */
const LEASE_MS = 6_000;
const RENEW_EVERY_MS = 1_500;

/** A leader that cannot renew its lease for this long stops, before another starts. */
const SAFE_MS = 4_000;

const REDIS_TIMEOUT_MS = 2_000;

/** Thrown if another process leads. */
export class NotLeading extends Error {}

/** KEYS: the lease. ARGV: token, milliseconds. Returns 1 if the token holds the lease. */
const ACQUIRE = `
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
 * Elects one leader per name among processes, by a lease in Redis. Two may briefly believe that they lead after Redis
 * lost data or a process was suspended, so a leader's steps must tolerate that.
 */
export class Leadership {
  readonly #key: string;
  readonly #token = randomUUID();
  readonly #acquire: (...args: (string | number)[]) => Promise<unknown>;
  readonly #release: (...args: (string | number)[]) => Promise<unknown>;
  #askedAt = Number.NEGATIVE_INFINITY;
  #sureUntil = Number.NEGATIVE_INFINITY;

  constructor(redis: RedisConnection, name: string) {
    this.#key = `chorus:lease:${name}`;
    this.#acquire = defineScript(redis, 'chorusHoldLease', ACQUIRE, 1);
    this.#release = defineScript(redis, 'chorusReleaseLease', RELEASE, 1);
  }

  /** Whether this process leads, as far as it knows. */
  get isLeader(): boolean {
    return performance.now() < this.#sureUntil;
  }

  /** Acquires or renews the lease and returns whether this process leads. @throws {ChorusError} store_unavailable */
  async acquire(): Promise<boolean> {
    const now = performance.now();
    if (this.isLeader && now - this.#askedAt < RENEW_EVERY_MS) return true;
    this.#askedAt = now;
    const holds = (await fromRedis(this.#acquire(this.#key, this.#token, LEASE_MS), REDIS_TIMEOUT_MS)) === 1;
    this.#sureUntil = holds ? now + SAFE_MS : Number.NEGATIVE_INFINITY;
    return holds;
  }

  async release(): Promise<void> {
    this.#sureUntil = Number.NEGATIVE_INFINITY;
    await fromRedis(this.#release(this.#key, this.#token), REDIS_TIMEOUT_MS);
  }
}
