import type { Logger } from '@chorus/runtime/log';
import type { LaneState } from './lane-state.ts';

export type StateListener = (lane: string, state: LaneState) => void;

/** The shortest time between two calls of a listener for the same lane. */
const EVERY_MS = 50;

/** Calls listeners after changes of lanes, up to 20 times a second per lane. */
export class StateListeners {
  readonly #listeners = new Set<StateListener>();
  /** Lanes that were reported a moment ago, with the change that has come since, if any. */
  readonly #recent = new Map<string, { next: LaneState | null; timer: NodeJS.Timeout }>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  add(listener: StateListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(lane: string, state: LaneState): void {
    if (this.#listeners.size === 0) return;
    const recent = this.#recent.get(lane);
    if (recent) {
      recent.next = state;
      return;
    }
    const timer = setTimeout(() => this.#continue(lane), EVERY_MS);
    this.#recent.set(lane, { next: null, timer });
    this.#call(lane, state);
  }

  /** Returns a function that passes on the states of a lane that differ from the one before. */
  tellerOf(lane: string): (state: LaneState) => void {
    let last = '';
    return (state) => {
      const { at, closedMs, since, accepted, refused, failed, ...rest } = state;
      const opensAt = closedMs ? Math.round((at / 1000 + closedMs) / 100) : closedMs;
      const shown = JSON.stringify([rest, opensAt]);
      if (shown === last) return;
      last = shown;
      this.tell(lane, state);
    };
  }

  close(): void {
    for (const { timer } of this.#recent.values()) clearTimeout(timer);
    this.#recent.clear();
    this.#listeners.clear();
  }

  #continue(lane: string): void {
    const next = this.#recent.get(lane)?.next;
    this.#recent.delete(lane);
    if (next) this.tell(lane, next);
  }

  #call(lane: string, state: LaneState): void {
    for (const listener of this.#listeners) {
      try {
        listener(lane, state);
      } catch (err) {
        this.#log.error({ err, lane }, 'a listener of lanes failed');
      }
    }
  }
}
