import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type ChatWire, sendFailure } from './fake-answer.ts';
import { behaviorOf, type FakeBehavior } from './fake-behavior.ts';
import { FakeBucket } from './fake-bucket.ts';
import { type FakeBuckets, limitHeaders } from './fake-limit-headers.ts';
import { promptOf, tokensOf } from './fake-prompt.ts';
import type { FakeRequest } from './fake-server.ts';

/** The limits and troubles of a fake provider. All can be changed while it runs. */
export interface FakeLimitSettings {
  /** Null: unlimited. */
  concurrent: number | null;
  /** True: requests beyond `concurrent` wait instead of being refused. */
  queues: boolean;
  requestsPerMinute: number | null;
  /** Counts the input, and the requested limit of the output; without one, the output once it is sent. */
  tokensPerMinute: number | null;
  /** The least retry time of a refusal. Null: refusals have none. */
  retryAfterS: number | null;
  /** How long a request takes before its answer begins. */
  latencyMs: number;
  /** True: every request is answered with 503. */
  away: boolean | 'resets' | 'hangs';
  /** The share of accepted requests that fail, half with 500 and half with a broken connection. */
  failShare: number;
  /** A string: the only accepted key. */
  keyAccepted: boolean | string;
  /** Chooses the requests that fail. */
  seed: number;
  /** How long a video takes, and counts as running. 0: it is ready at the second poll, and only its request counts. */
  videoMs: number;
  /** How long a batch takes. */
  batchMs: number;
  batchEnd: 'complete' | 'expire' | 'fail';
}

export interface FakeCounts {
  /** Requests within the limits, including those that failed by `failShare`. */
  accepted: number;
  /** Requests beyond the limits. */
  refused: number;
  /** Requests with a key that was not accepted. */
  keyRefused: number;
  /** Failures by `away` and `failShare`. */
  failed: number;
  /** Accepted requests that the client left before the end of the answer. */
  abandoned: number;
  running: number;
  mostAtOnce: number;
  /** Tokens of accepted requests. */
  tokens: number;
  /** The amounts that the limits allowed since they were set, used or not. */
  allowed: { requests: number | null; tokens: number | null };
  /** Whether a limit per minute has almost nothing left. */
  isShort: boolean;
  /** How often each prompt was answered completely. */
  answered: Record<string, number>;
  /** Prompts that arrived again after a complete answer. */
  sentAgain: string[];
  /** Batches, and how often each prompt was submitted in one. */
  batches: number;
  batched: Record<string, number>;
}

/** A provider's form of failures, and its key. */
export interface FakeLimitDialect {
  provider: string;
  wire: Pick<ChatWire, 'failure'>;
  key: unknown;
  keyFailure: FakeBehavior;
  /** Whether the request is for batches or files, which are not counted. */
  isBatch?: boolean;
  /** Whether the request is for a video. */
  isVideo?: boolean;
}

const DEFAULTS: FakeLimitSettings = {
  concurrent: null,
  queues: false,
  requestsPerMinute: null,
  tokensPerMinute: null,
  retryAfterS: 1,
  latencyMs: 0,
  away: false,
  failShare: 0,
  keyAccepted: true,
  seed: 1,
  videoMs: 0,
  batchMs: 0,
  batchEnd: 'complete',
};

/** Enforces the limits of a fake provider, and counts what it did. Models, polls, and downloads are not limited. */
export class FakeLimits {
  #settings: FakeLimitSettings = DEFAULTS;
  #random = randomOf(DEFAULTS.seed);
  #requests: FakeBucket | null = null;
  #tokens: FakeBucket | null = null;
  readonly #counts = {
    accepted: 0,
    refused: 0,
    keyRefused: 0,
    failed: 0,
    abandoned: 0,
    running: 0,
    mostAtOnce: 0,
    tokens: 0,
  };
  readonly #answered = new Map<string, number>();
  readonly #sentAgain: string[] = [];
  readonly #batched = new Map<string, number>();
  #batches = 0;
  readonly #queue = new Set<() => void>();
  #inside = 0;

  constructor(settings: Partial<FakeLimitSettings> = {}) {
    this.change(settings);
  }

  get settings(): FakeLimitSettings {
    return this.#settings;
  }

  get counts(): FakeCounts {
    return {
      ...this.#counts,
      isShort: [this.#requests, this.#tokens].some((bucket) => bucket && bucket.remaining < bucket.limit / 20),
      allowed: { requests: this.#requests?.granted ?? null, tokens: this.#tokens?.granted ?? null },
      answered: Object.fromEntries(this.#answered),
      sentAgain: [...this.#sentAgain],
      batches: this.#batches,
      batched: Object.fromEntries(this.#batched),
    };
  }

  /** Notes the prompts of a new batch. */
  submitted(prompts: string[]): void {
    this.#batches += 1;
    for (const prompt of prompts) {
      if (this.#answered.has(prompt)) this.#sentAgain.push(prompt);
      this.#batched.set(prompt, (this.#batched.get(prompt) ?? 0) + 1);
    }
  }

  /** Notes a complete answer. */
  answered(prompt: string): void {
    this.#answered.set(prompt, (this.#answered.get(prompt) ?? 0) + 1);
  }

  /** @throws Error for an unknown setting */
  change(settings: Partial<FakeLimitSettings>): void {
    const unknown = Object.keys(settings).find((name) => !Object.hasOwn(DEFAULTS, name));
    if (unknown !== undefined) throw new Error(`Unknown setting: ${unknown}`);
    this.#settings = { ...this.#settings, ...settings };
    if (settings.seed !== undefined) this.#random = randomOf(settings.seed);
    const { requestsPerMinute, tokensPerMinute } = this.#settings;
    this.#requests = resized(this.#requests, requestsPerMinute);
    this.#tokens = resized(this.#tokens, tokensPerMinute);
  }

  /** Returns whether the provider should answer a request. If not, it has been answered. */
  async admit(request: FakeRequest, response: ServerResponse, dialect: FakeLimitDialect): Promise<boolean> {
    const { away, keyAccepted, latencyMs, failShare, videoMs } = this.#settings;
    if (away !== false) {
      this.#counts.failed += 1;
      if (away === 'resets') reset(response);
      else if (away === true) sendFailure(dialect.wire, behaviorOf('fail-503'), response);
      return false;
    }
    if (keyAccepted === false || (typeof keyAccepted === 'string' && dialect.key !== keyAccepted)) {
      this.#counts.keyRefused += 1;
      sendFailure(dialect.wire, dialect.keyFailure, response);
      return false;
    }
    if (request.method !== 'POST' || dialect.isBatch) return true;

    const prompt = promptOf(request);
    if (this.#answered.has(prompt)) this.#sentAgain.push(prompt);
    const { input, output } = tokensOf(request);
    const waitMs = this.#waitMs(input + (output ?? 0));
    if (waitMs > 0) {
      this.#counts.refused += 1;
      this.#writeHeaders(dialect, response);
      sendFailure(dialect.wire, { ...behaviorOf('fail-429'), retryAfter: this.#retryAfter(waitMs) }, response);
      return false;
    }
    this.#requests?.take(1);
    this.#takeTokens(input + (output ?? 0));
    this.#counts.accepted += 1;
    this.#counts.running += 1;
    this.#counts.mostAtOnce = Math.max(this.#counts.mostAtOnce, this.#counts.running);
    this.#writeHeaders(dialect, response);
    const fate = this.#random();
    const fails = fate < failShare;
    response.once('close', () => {
      const ended = () => {
        this.#counts.running -= 1;
      };
      if (dialect.isVideo && videoMs > 0 && response.statusCode < 300) setTimeout(ended, videoMs);
      else ended();
      if (output === null) this.#takeTokens(request.wordsSent);
      if (fails) return;
      if (!response.writableFinished) this.#counts.abandoned += 1;
      else if (response.statusCode < 300) this.answered(prompt);
    });
    await this.#turn(response);
    if (latencyMs > 0) await pause(latencyMs);
    if (!fails) return !response.destroyed;
    this.#counts.failed += 1;
    if (fate < failShare / 2) reset(response);
    else sendFailure(dialect.wire, behaviorOf('fail-500'), response);
    return false;
  }

  #takeTokens(count: number): void {
    this.#tokens?.take(count);
    this.#counts.tokens += count;
  }

  /** Waits until fewer than `concurrent` requests run, if the provider queues. */
  async #turn(response: ServerResponse): Promise<void> {
    if (!this.#settings.queues) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#queue.add(resolve);
    response.once('close', () => {
      if (!this.#queue.delete(resolve)) this.#inside -= 1;
      this.#startNext();
      resolve();
    });
    this.#startNext();
    await promise;
  }

  #startNext(): void {
    for (const start of this.#queue) {
      if (this.#inside >= (this.#settings.concurrent ?? Number.POSITIVE_INFINITY)) return;
      this.#queue.delete(start);
      this.#inside += 1;
      start();
    }
  }

  #waitMs(tokens: number): number {
    const { concurrent, queues } = this.#settings;
    const isFull = concurrent !== null && !queues && this.#counts.running >= concurrent;
    return Math.max(isFull ? 1 : 0, this.#requests?.waitMs(1) ?? 0, this.#tokens?.waitMs(tokens) ?? 0);
  }

  #retryAfter(waitMs: number): string | null {
    const { retryAfterS } = this.#settings;
    return retryAfterS === null ? null : String(Math.max(retryAfterS, Math.ceil(waitMs / 1_000)));
  }

  #writeHeaders({ provider }: FakeLimitDialect, response: ServerResponse): void {
    const buckets: FakeBuckets = {
      requests: this.#requests,
      tokens: this.#tokens,
      accepted: this.#counts.accepted,
    };
    if (buckets.requests === null && buckets.tokens === null) return;
    for (const [name, value] of Object.entries(limitHeaders(provider, buckets, Date.now())))
      response.setHeader(name, value);
  }
}

function resized(bucket: FakeBucket | null, limit: number | null): FakeBucket | null {
  if (limit === null || bucket === null) return limit === null ? null : new FakeBucket(limit);
  if (bucket.limit !== limit) bucket.resize(limit);
  return bucket;
}

function reset(response: ServerResponse): void {
  const { socket } = response;
  if (socket === null) response.destroy();
  else socket.resetAndDestroy();
}

/** Returns numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
