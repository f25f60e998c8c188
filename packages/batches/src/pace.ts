import type { BatchPace } from '@chorus/database';

/** Length of the window that is measured. */
const WINDOW_MS = 20_000;
/** Minimum length of the window: shorter ones are meaningless. */
const MIN_MS = 500;

/** Measures how many items end per second. */
export class Pace {
  #seen: { ended: number; atMs: number }[] = [];

  /** @param ended how many have ended so far */
  measure(ended: number, nowMs = Date.now()): BatchPace | null {
    this.#seen.push({ ended, atMs: nowMs });
    const from = this.#seen.findLastIndex(({ atMs }) => nowMs - atMs >= WINDOW_MS);
    if (from > 0) this.#seen = this.#seen.slice(from);
    const [first] = this.#seen;
    const passedMs = nowMs - (first?.atMs ?? nowMs);
    if (first === undefined || passedMs < MIN_MS) return null;
    return { per_second: Math.max(0, (1_000 * (ended - first.ended)) / passedMs), at: new Date(nowMs) };
  }
}
