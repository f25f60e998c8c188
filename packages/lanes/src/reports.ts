import type { StopReason } from '@chorus/contract';
import { heardLimit, type ProviderLimits, pauseOf } from './provider-limits.ts';

/** Maximum number of answers with limits in a report. Later ones replace earlier ones. */
const MAX_HEARD = 8;
const MAX_TOKENS = 1e9;
const DAY_MS = 86_400_000;

interface Refusal {
  serial: number;
  retryAfterMs: number | null;
  /** Calls in flight in this process. */
  inFlight: number;
  /** Whether the answer said that no requests or tokens are left. */
  isRate: boolean;
}

interface Refusals {
  epoch: number;
  count: number;
  retryMs: number;
  /** The fewest calls in flight in this process at a refusal. */
  inFlight: number;
  isRate: boolean;
}

interface Heard {
  limits: ProviderLimits;
  serial: number;
  startedAt: number;
  isRefused: boolean;
}

/** Collects the outcomes of a process's calls between two steps. */
export class Reports {
  #proven = new Map<number, number>();
  #refused = new Map<string, Refusals>();
  #accepted = 0;
  #failed = 0;
  #failedInRow = 0;
  #failedEpoch = 0;
  #stopped: StopReason | null = null;
  #tokens = 0;
  #calls = 0;
  #heard: Heard[] = [];
  /** By level: calls, and the sums of the logarithm of the ms to their first byte, and of its square. */
  #began = new Map<number, [number, number, number]>();
  #lasted: [number, number] = [0, 0];
  isEmpty = true;

  /** Counts a call of this epoch as not refused. */
  proven(epoch: number): void {
    this.isEmpty = false;
    this.#proven.set(epoch, (this.#proven.get(epoch) ?? 0) + 1);
  }

  accepted(): void {
    this.isEmpty = false;
    this.#accepted += 1;
    this.#failedInRow = 0;
  }

  began(level: number, afterMs: number): void {
    this.isEmpty = false;
    const known = this.#began.get(level) ?? [0, 0, 0];
    const log = Math.log(Math.min(DAY_MS, Math.max(1, afterMs)));
    this.#began.set(level, [known[0] + 1, known[1] + log, known[2] + log * log]);
  }

  lasted(ms: number): void {
    this.isEmpty = false;
    this.#lasted = [this.#lasted[0] + 1, this.#lasted[1] + Math.min(DAY_MS, ms)];
  }

  refused(epoch: number, { serial, retryAfterMs, inFlight, isRate }: Refusal): void {
    this.isEmpty = false;
    const heard = this.#heard.find((one) => one.serial === serial);
    if (heard) heard.isRefused = true;
    const key = `${epoch} ${isRate}`;
    const known = this.#refused.get(key) ?? { epoch, count: 0, retryMs: 0, inFlight, isRate };
    known.count += 1;
    known.retryMs = Math.max(known.retryMs, pauseOf(retryAfterMs));
    known.inFlight = Math.min(known.inFlight, inFlight);
    this.#refused.set(key, known);
  }

  failed(epoch: number): void {
    this.isEmpty = false;
    this.#failed += 1;
    this.#failedInRow += 1;
    this.#failedEpoch = Math.max(this.#failedEpoch, epoch);
  }

  stopped(reason: StopReason): void {
    this.isEmpty = false;
    this.#stopped = reason;
  }

  used(tokens: number): void {
    if (!(tokens >= 0 && tokens <= MAX_TOKENS)) return;
    this.isEmpty = false;
    this.#tokens += tokens;
    this.#calls += 1;
  }

  heard(limits: ProviderLimits, serial: number, startedAt: number): void {
    this.isEmpty = false;
    if (this.#heard.length === MAX_HEARD) this.#heard.shift();
    this.#heard.push({ limits, serial, startedAt, isRefused: false });
  }

  /** Returns the reports as JSON, and clears them. */
  take(): string {
    if (this.isEmpty) return '';
    const now = performance.now();
    const report = {
      proven: [...this.#proven],
      accepted: this.#accepted,
      refused: Array.from(this.#refused.values(), (one) => [
        one.epoch,
        one.count,
        one.retryMs,
        one.inFlight,
        one.isRate,
      ]),
      failed: this.#failed,
      failedInRow: this.#failedInRow,
      failedEpoch: this.#failedEpoch,
      ...(this.#stopped === null ? {} : { stopped: this.#stopped }),
      tokens: this.#tokens,
      calls: this.#calls,
      ...(this.#began.size > 0 && { began: Array.from(this.#began, ([level, sums]) => [level, ...sums]) }),
      ...(this.#lasted[0] > 0 && { lasted: this.#lasted }),
      heard: this.#heard.map(({ limits, serial, startedAt, isRefused }) => {
        const [requests, tokens] = [heardLimit(limits.requests), heardLimit(limits.tokens)];
        return {
          ...(requests ? { requests } : {}),
          ...(tokens ? { tokens } : {}),
          retry: pauseOf(limits.retryAfterMs),
          serial,
          refused: isRefused,
          age: now - startedAt,
        };
      }),
    };
    this.#clear();
    return JSON.stringify(report);
  }

  #clear(): void {
    this.#proven = new Map();
    this.#refused = new Map();
    this.#accepted = 0;
    this.#failed = 0;
    this.#failedInRow = 0;
    this.#failedEpoch = 0;
    this.#stopped = null;
    this.#tokens = 0;
    this.#calls = 0;
    this.#heard = [];
    this.#began = new Map();
    this.#lasted = [0, 0];
    this.isEmpty = true;
  }
}
