import type { StopReason } from '@chorus/contract';
import type { Logger } from '@chorus/runtime/log';
import { Call, type CallOwner, type LanePass } from './call.ts';
import { type LaneState, type News, type Reply, type Seen, stateOf } from './lane-state.ts';
import { LaneWait } from './lane-wait.ts';
import type { ProviderLimits } from './provider-limits.ts';
import { Reports } from './reports.ts';
import { StepLoop } from './step-loop.ts';
import type { LaneSteps } from './steps/lane-steps.ts';
import { type EnterOptions, WaitingCalls } from './waiting-calls.ts';

/** Ends of calls are reported together if no call waits for them. */
const REPORT_EVERY_MS = 50;
const RENEW_EVERY_MS = 1_000;
/** Spare permits are used only if the last step was more recent. Their lease lasts 4 s. */
const SPARE_MS = 3_000;
const IDLE_MS = 2_000;
/** Pause before publishing changes that came too soon after others. */
const LATE_MS = 25;
const PROVEN_MS = 500;
const MAX_SPARE = 64;
const MAX_WANTED = 1_000;
const MAX_WAITING = 10_000;
/** If news is older than the known state by more than this, Redis's clock was set back, and the news is used. */
const LATE_NEWS_US = 10_000_000;

export interface LaneContext {
  /** Id of this process. */
  me: string;
  steps: LaneSteps;
  setLimit: () => number | null;
  factor: number;
  /** Whether the server may queue calls instead of refusing them. */
  mayQueue: boolean;
  log: Logger;
  onState(state: LaneState): void;
}

/** A lane as this process knows it: its calls in flight, spare permits, and waiting calls. */
export class Lane implements CallOwner {
  readonly #id: string;
  readonly #context: LaneContext;
  readonly #calls = new Set<Call>();
  /** Calls of batches, among all calls. */
  #ofBatches = 0;
  readonly #waiting = new WaitingCalls(
    (until) => this.#refusal(until),
    () => this.#timeout(),
  );
  readonly #steps = new StepLoop<Reply>({
    step: () => this.#step(),
    apply: (reply) => this.#apply(reply),
    onFailure: (err, isOver) => {
      this.#waiting.fail(err);
      if (isOver) this.#context.log.warn({ err, lane: this.#id }, 'could not share the calls of a lane');
    },
  });
  readonly #reports = new Reports();
  #spare = 0;
  #peak = 0;
  #started = 0;
  #returned = 0;
  #probe: Call | null = null;
  #epoch = 0;
  #serial = 0;
  #level = 0;
  #state: LaneState | null = null;
  #openAt = 0;
  #isScarce = true;
  #syncedAt = Number.NEGATIVE_INFINITY;
  #usedAt = performance.now();

  constructor(id: string, context: LaneContext) {
    this.#id = id;
    this.#context = context;
  }

  /** Returns a promise only if it must ask Redis or wait. */
  enter(options: EnterOptions): LanePass | Promise<LanePass> {
    options.signal.throwIfAborted();
    const now = performance.now();
    this.#usedAt = now;
    const refusal = this.#refusal(now + options.maxWaitMs);
    if (refusal) {
      if (now - this.#syncedAt > RENEW_EVERY_MS) this.#steps.request();
      throw refusal;
    }
    if (this.#spare > 0 && this.#waiting.size === 0 && this.#mayUseSpare(now)) {
      this.#spare -= 1;
      this.#started += 1;
      this.#serial += 1;
      if (this.#spare === 0) this.#steps.request();
      return this.#start(this.#serial, options.isBatch === true);
    }
    if (this.#waiting.size >= MAX_WAITING) throw this.#timeout();
    const pass = this.#waiting.add(options);
    this.#steps.request();
    return pass;
  }

  /** Renews leases, counts calls that were not refused, and drops unused permits. Called several times a second. */
  tick(now: number): void {
    for (const call of this.#calls) call.proveIfOlder(now - PROVEN_MS * this.#context.factor);
    const isIdle = this.#calls.size === 0 && this.#waiting.size === 0 && now - this.#usedAt > IDLE_MS;
    if (isIdle) this.#dropSpare();
    if (this.isActive && now - this.#syncedAt > RENEW_EVERY_MS) this.#steps.request();
  }

  get isActive(): boolean {
    return this.#calls.size + this.#spare + this.#waiting.size > 0;
  }

  isUnusedSince(time: number): boolean {
    return !this.isActive && !this.#steps.isRunning && this.#reports.isEmpty && this.#usedAt < time;
  }

  /** Applies news of another process. Ignores late news. */
  hear(news: News): void {
    if (!this.#learn(news)) return;
    if (news.scarce || this.#state?.halfOpen || this.#openAt > performance.now()) this.#dropSpare();
    if (this.#waiting.size > 0) this.#steps.request();
  }

  /** Reads the lane again after news may have been missed. */
  refresh(): void {
    this.#steps.request();
  }

  close(): void {
    this.#steps.close();
    this.#waiting.fail(this.#timeout());
  }

  proven(call: Call): void {
    this.#reports.proven(call.epoch);
    this.#report(this.#waiting.size > 0);
  }

  accepted(call: Call): void {
    this.#reports.accepted();
    this.#report(this.#waiting.size > 0 || this.#probe === call);
  }

  began(level: number, afterMs: number): void {
    if (!this.#context.mayQueue) return;
    this.#reports.began(level, afterMs);
    this.#report(this.#waiting.size > 0);
  }

  lasted(ms: number): void {
    if (!this.#context.mayQueue) return;
    this.#reports.lasted(ms);
    this.#report(false);
  }

  used(tokens: number): void {
    this.#reports.used(tokens);
    this.#report(false);
  }

  refused(call: Call, retryAfterMs: number | null, isRate: boolean): void {
    this.#drop(call);
    this.#endProbe(call);
    const { epoch, serial } = call;
    this.#reports.refused(epoch, { serial, retryAfterMs, inFlight: this.#calls.size, isRate });
    this.#steps.request();
  }

  failed(call: Call): void {
    this.#endProbe(call);
    this.#reports.failed(call.epoch);
    this.#steps.request();
  }

  stopped(call: Call, reason: StopReason): void {
    this.#endProbe(call);
    this.#reports.stopped(reason);
    this.#steps.request();
  }

  learned(call: Call, limits: ProviderLimits): void {
    this.#reports.heard(limits, call.serial, call.startedAt);
    this.#report(this.#waiting.size > 0);
  }

  left(call: Call): void {
    this.#drop(call);
    const isProbe = this.#endProbe(call);
    const now = performance.now();
    if (!this.#isScarce && this.#spare < this.#spareGoal && this.#mayUseSpare(now)) this.#spare += 1;
    this.#report(isProbe || this.#isScarce || this.#waiting.size > 0);
  }

  #start(serial: number, isBatch: boolean, isProbe = false): Call {
    const call = new Call(this, { epoch: this.#epoch, serial, level: this.#level, isBatch });
    this.#calls.add(call);
    if (isBatch) this.#ofBatches += 1;
    this.#peak = Math.max(this.#peak, this.#calls.size);
    if (isProbe) this.#probe = call;
    return call;
  }

  #drop(call: Call): void {
    if (this.#calls.delete(call) && call.isBatch) this.#ofBatches -= 1;
  }

  #endProbe(call: Call): boolean {
    if (this.#probe !== call) return false;
    this.#probe = null;
    return true;
  }

  get #spareGoal(): number {
    return Math.min(MAX_SPARE, 2 + Math.ceil(this.#peak / 2));
  }

  #mayUseSpare(now: number): boolean {
    return now - this.#syncedAt < SPARE_MS && this.#openAt <= now && !this.#state?.halfOpen;
  }

  #dropSpare(): void {
    if (this.#spare === 0) return;
    this.#spare = 0;
    this.#steps.request();
  }

  /** Returns why no call can start by this time. */
  #refusal(until: number): LaneWait | null {
    if (!this.#state || this.#openAt <= until) return null;
    const closedMs = this.#openAt - performance.now();
    if (closedMs <= 0) return null;
    return new LaneWait(this.#id, this.#state.reason ?? 'slow_down', Number.isFinite(closedMs) ? closedMs : null);
  }

  #timeout(): LaneWait {
    const closedMs = Math.max(0, this.#openAt - performance.now());
    return new LaneWait(this.#id, this.#state?.reason ?? 'busy', Number.isFinite(closedMs) ? closedMs : null);
  }

  /** Reports to Redis, within this turn of the event loop or a little later. */
  #report(isUrgent: boolean): void {
    if (isUrgent) this.#steps.request();
    else this.#steps.requestWithin(REPORT_EVERY_MS);
  }

  #step(): Promise<Reply> {
    const wanted = Math.min(MAX_WANTED, this.#waiting.size - this.#waiting.ofBatches);
    const ofBatches = Math.min(MAX_WANTED, this.#waiting.ofBatches);
    const turnover = {
      calls: this.#calls.size,
      spare: this.#spare,
      wanted: wanted + ofBatches,
      ofBatches: { calls: this.#ofBatches, wanted: ofBatches },
      spareGoal: this.#spareGoal,
      peak: this.#peak,
      started: this.#started,
      returned: this.#returned,
      isProbing: this.#probe !== null,
      setLimit: this.#context.setLimit(),
      reports: this.#reports.take(),
      mayQueue: this.#context.mayQueue,
    };
    this.#peak = this.#calls.size;
    this.#started = 0;
    this.#returned = 0;
    return this.#context.steps.sync(this.#id, this.#context.me, turnover);
  }

  #apply(reply: Reply): void {
    this.#syncedAt = performance.now();
    this.#isScarce = reply.scarce;
    this.#epoch = reply.epoch;
    this.#serial = reply.started;
    this.#level = reply.level ?? 0;
    this.#spare += reply.extra;
    this.#learn(reply);
    const first = reply.started - reply.granted + 1;
    const served = this.#waiting.start(reply.granted, reply.batches, (index, isBatch) =>
      this.#start(first + index, isBatch, reply.probe),
    );
    const unused = reply.granted - served;
    this.#returned += unused;
    if (unused > 0 && !reply.probe) this.#spare += unused;
    else if (unused > 0) this.#steps.request();
    if (this.#isScarce) this.#dropSpare();
    this.#waiting.endLongWaits();
    this.#planNext(reply.late);
  }

  #planNext(isLate: boolean): void {
    const openMs = this.#openAt - performance.now();
    const waitMs = this.#waiting.size > 0 && openMs > 0 ? Math.max(1, openMs) : Number.POSITIVE_INFINITY;
    const nextMs = Math.min(waitMs, isLate ? LATE_MS : Number.POSITIVE_INFINITY);
    this.#steps.wakeAfter(nextMs <= RENEW_EVERY_MS ? nextMs : null);
  }

  #learn(seen: Seen): boolean {
    const before = this.#state;
    const lateUs = before ? before.at - seen.at : 0;
    if (lateUs > 0 && lateUs < LATE_NEWS_US) return false;
    const state = stateOf(seen);
    this.#state = state;
    this.#openAt = state.closedMs === null ? Number.POSITIVE_INFINITY : performance.now() + state.closedMs;
    if (state.reason !== (before?.reason ?? null) && state.reason !== 'busy' && before?.reason !== 'busy') {
      this.#context.log.info({ lane: this.#id, reason: state.reason, limit: state.limit }, 'lane changed');
    }
    this.#context.onState(state);
    return true;
  }
}
