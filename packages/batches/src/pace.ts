import type { BatchPace } from '@chorus/database';

/** Length of the window that is measured. */
const WINDOW_MS = 20_000;
/** Minimum length of the window: shorter ones are meaningless. */
const MIN_MS = 500;

/** Measures how many items end per second, without the time in which all of them waited for a provider. */
export class Pace {
  #seen: { ended: number; atMs: number }[] = [];
  #waitedMs = 0;
  #waitsSince: number | null = null;

  /** Notes whether all items wait, from now on. */
  note(isWaiting: boolean, nowMs = Date.now()): void {
    if (this.#waitsSince !== null) this.#waitedMs += nowMs - this.#waitsSince;
    this.#waitsSince = isWaiting ? nowMs : null;
  }

  /** @param ended the number of items that have ended */
  measure(ended: number, nowMs = Date.now()): BatchPace | null {
    const atMs = (this.#waitsSince ?? nowMs) - this.#waitedMs;
    this.#seen.push({ ended, atMs });
    const from = this.#seen.findLastIndex((seen) => atMs - seen.atMs >= WINDOW_MS);
    if (from > 0) this.#seen = this.#seen.slice(from);
    const [first] = this.#seen;
    const passedMs = atMs - (first?.atMs ?? atMs);
    if (first === undefined || passedMs < MIN_MS) return null;
    return { per_second: Math.max(0, (1_000 * (ended - first.ended)) / passedMs), at: new Date(nowMs) };
  }
}
