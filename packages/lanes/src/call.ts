import type { StopReason } from '@chorus/contract';
import { isUsedUp, type ProviderLimits } from './provider-limits.ts';

/** The permit of a running call. Its outcome is reported at most once, and it is left exactly once. */
export interface LanePass {
  /** Reports an answer that is neither a refusal nor a failure, or the headers of one. */
  accepted(): void;
  /** Reports the first byte of an answer that is neither a refusal nor a failure. */
  began(): void;
  /** Reports the end of an answer. */
  ended(tokens?: number): void;
  /** Reports that the provider asked to slow down. Frees the permit at once. */
  refused(retryAfterMs: number | null): void;
  /** Reports that the provider did not answer, or failed. */
  failed(): void;
  /** Reports that the provider refused the key or the account. */
  stopped(reason: StopReason): void;
  /** Reports what the headers of an answer say about limits. */
  learned(limits: ProviderLimits): void;
  leave(): void;
}

/** Receives the outcomes of a lane's calls. */
export interface CallOwner {
  proven(call: Call): void;
  began(level: number, afterMs: number): void;
  /** @param ms The time from the first byte to the end. */
  lasted(ms: number): void;
  accepted(call: Call): void;
  used(tokens: number): void;
  /** @param isRate Whether the answer said that no requests or tokens are left. */
  refused(call: Call, retryAfterMs: number | null, isRate: boolean): void;
  failed(call: Call): void;
  stopped(call: Call, reason: StopReason): void;
  learned(call: Call, limits: ProviderLimits): void;
  left(call: Call): void;
}

/** Facts of a call at its start. */
type CallFacts = Pick<Call, 'epoch' | 'serial' | 'level' | 'isBatch'>;

export class Call implements LanePass {
  readonly #owner: CallOwner;
  /** How often the limit had been cut when the call started. */
  readonly epoch: number;
  /** How many calls of the lane had started, this one included. */
  readonly serial: number;
  readonly isBatch: boolean;
  /** The changes of the limit before it started, if the server may queue calls. */
  readonly level: number;
  readonly startedAt = performance.now();
  #isProven = false;
  #isAccepted = false;
  #isLeft = false;
  #isRate = false;
  #beganAt: number | null = null;

  constructor(owner: CallOwner, { epoch, serial, level, isBatch }: CallFacts) {
    this.#owner = owner;
    this.epoch = epoch;
    this.serial = serial;
    this.level = level;
    this.isBatch = isBatch;
  }

  /** Counts the call as not refused if it started before this time. */
  proveIfOlder(time: number): void {
    if (this.#isProven || this.startedAt > time) return;
    this.#isProven = true;
    this.#owner.proven(this);
  }

  accepted(): void {
    if (this.#isAccepted) return;
    this.#isAccepted = true;
    this.proveIfOlder(Number.POSITIVE_INFINITY);
    this.#owner.accepted(this);
  }

  began(): void {
    if (this.#beganAt !== null) return;
    this.#beganAt = performance.now();
    this.#owner.began(this.level, this.#beganAt - this.startedAt);
  }

  ended(tokens?: number): void {
    this.accepted();
    if (this.#beganAt !== null) this.#owner.lasted(performance.now() - this.#beganAt);
    if (tokens !== undefined) this.#owner.used(tokens);
  }

  refused(retryAfterMs: number | null): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.#owner.refused(this, retryAfterMs, this.#isRate);
  }

  failed(): void {
    this.#owner.failed(this);
  }

  stopped(reason: StopReason): void {
    this.#owner.stopped(this, reason);
  }

  learned(limits: ProviderLimits): void {
    this.#isRate = isUsedUp(limits);
    this.#owner.learned(this, limits);
  }

  leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.#owner.left(this);
  }
}
