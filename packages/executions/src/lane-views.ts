import type { WaitingFor } from '@chorus/contract';
import type { RedisConnection } from '@chorus/events';
import { type LaneState, LaneWait, readLanes } from '@chorus/lanes';
import { valueWithin } from '@chorus/runtime/timing';

/** A lane as users see it. */
export interface LaneView {
  /** Null: it is open and has room. */
  waiting: WaitingFor | null;
  /** When its next call may start, in epoch ms. Null: when an operator acts. */
  opensAt: number | null;
}

export type LaneViews = ReadonlyMap<string, LaneView>;

/** How long a state is shown. */
const KEEP_MS = 1_000;

/** Lanes that are read at once. Others are not shown. */
const MAX_LANES = 500;

/** How long Redis may take. */
const WITHIN_MS = 500;

/** Reads lanes that are shown. Remembers each for a second, whether it could be read or not. */
export class LaneReader {
  readonly #redis: RedisConnection;
  readonly #known = new Map<string, { at: number; view: Promise<LaneView | undefined> }>();

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  /** Returns the lanes that can be read. */
  async read(lanes: readonly (string | null)[]): Promise<LaneViews> {
    const asked = [...new Set(lanes)].filter((lane) => lane !== null);
    this.#refresh(asked);
    const views = new Map<string, LaneView>();
    for (const lane of asked) {
      const view = await this.#known.get(lane)?.view;
      if (view) views.set(lane, view);
    }
    return views;
  }

  #refresh(lanes: readonly string[]): void {
    const now = performance.now();
    for (const [lane, { at }] of this.#known) {
      if (now - at < KEEP_MS) break; // oldest first
      this.#known.delete(lane);
    }
    const missing = lanes.filter((lane) => !this.#known.has(lane)).slice(0, MAX_LANES);
    if (missing.length === 0) return;
    const reading = valueWithin(readLanes(this.#redis, missing), WITHIN_MS).then(
      (states = []) => new Map(states.map(({ lane, ...state }) => [lane, viewOf(lane, state)])),
    );
    for (const lane of missing) this.#known.set(lane, { at: now, view: reading.then((views) => views.get(lane)) });
  }
}

function viewOf(lane: string, state: LaneState): LaneView {
  const { closedMs, reason, halfOpen, inUse, size } = state;
  const isOpen = closedMs === 0 && reason === null && !halfOpen && inUse < size;
  return {
    waiting: isOpen ? null : LaneWait.of(lane, state).waiting,
    opensAt: closedMs === null ? null : Date.now() + closedMs,
  };
}
