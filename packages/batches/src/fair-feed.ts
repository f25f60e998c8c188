import type { Pool } from '@chorus/contract';
import { FIRST_LANE_SIZE } from '@chorus/executions';
import type { LaneState } from '@chorus/lanes';
import type { Dispatcher } from '@chorus/queue';
import type { BatchRunner } from './batch-runner.ts';
import { forEachConcurrently } from './for-each-concurrently.ts';

/** Number of items dispatched for a batch before it is the next batch's turn. */
const ITEMS_PER_TURN = 100;

/** Number of items to dispatch first, to learn the lane of a batch. */
const FIRST_ITEMS = 10;

/** Minimum number of a user's items in the queues, for those without a known lane and those that wait for places. */
const MIN_WINDOW = 200;

/** How many items of a user to queue for a lane, as a multiple of its size. */
const LANE_FACTOR = 3;

/** Maximum age of what is known about the lanes. */
const LANES_MS = 200;

export interface FeedLimits {
  /** Limit of waiting jobs for a pool's places, or for a lane. Batches fill at most half of it. */
  maxDepth: number;
  /** Limit of queued and running items of one user, over all scopes. */
  window: number;
}

export interface FeedParts {
  dispatcher: Pick<Dispatcher, 'pressure'>;
  limits: FeedLimits;
  readLanes: (lanes: readonly string[]) => Promise<(LaneState & { lane: string })[]>;
}

/**
 * Dispatches items of all batches: users in turn, each as many as the lanes of the providers take soon, below the
 * limits of the queues.
 */
export class FairFeed {
  readonly #parts: FeedParts;
  /** Index of the user who is first in the next round. */
  #turn = 0;
  #sizes = new Map<string, number>();
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /**
   * Runs one round.
   *
   * @param guarded runs a step for one batch
   * @returns the number of items dispatched
   */
  async feed(
    runners: readonly BatchRunner[],
    guarded: (runner: BatchRunner, step: () => Promise<void>) => Promise<void>,
  ): Promise<number> {
    const hungry = runners.filter((runner) => runner.hasReadyItems);
    if (hungry.length === 0) return 0;
    const rooms = await this.#rooms(hungry);
    await this.readLanes(runners);
    const laneRooms = this.#laneRooms(runners);
    const users = [...Map.groupBy(hungry, ({ batch }) => batch.owner.user_id)];
    this.#turn = (this.#turn + 1) % users.length;
    const inTurn = [...users.slice(this.#turn), ...users.slice(0, this.#turn)];
    let fed = 0;
    await forEachConcurrently(inTurn, async ([user, its]) => {
      let free = this.#freeOf(runners.filter(({ batch }) => batch.owner.user_id === user));
      const share = Math.max(1, Math.floor(free / its.length));
      for (const runner of its) {
        const { pools, lastLane } = runner;
        const laneRoom = lastLane === undefined ? FIRST_ITEMS : (laneRooms.get(lastLane) ?? this.#half);
        const room = Math.min(...pools.map((pool) => rooms.get(pool) ?? 0), laneRoom);
        const ofRoom = Math.max(1, Math.floor(room / users.length));
        const count = Math.min(ITEMS_PER_TURN, share, free, lastLane === undefined ? room : ofRoom, room);
        if (count <= 0) continue;
        free -= count;
        for (const pool of pools) rooms.set(pool, (rooms.get(pool) ?? 0) - count);
        if (lastLane !== undefined) laneRooms.set(lastLane, laneRoom - count);
        await guarded(runner, async () => {
          fed += await runner.feed(count);
        });
      }
    });
    return fed;
  }

  /** Returns how many more items of a user may be dispatched. Items of closed lanes hold back no others. */
  #freeOf(runners: readonly BatchRunner[]): number {
    let [all, open] = [0, 0];
    const lanes = countLanes(runners);
    for (const [lane, count] of lanes) {
      all += count;
      if (lane === null || this.#sizeOf(lane) > 0) open += count;
    }
    const sizes = [...lanes.keys()].map((lane) => (lane === null ? 0 : this.#sizeOf(lane)));
    const wanted = LANE_FACTOR * sizes.reduce((sum, size) => sum + size, 0);
    const { window } = this.#parts.limits;
    return Math.min(window - all, Math.max(MIN_WINDOW, wanted) - open);
  }

  /** Returns how many more items fit into each lane. */
  #laneRooms(runners: readonly BatchRunner[]): Map<string | null, number> {
    const rooms = new Map<string | null, number>();
    for (const [lane, count] of countLanes(runners)) if (lane !== null) rooms.set(lane, this.#half - count);
    return rooms;
  }

  get #half(): number {
    return Math.max(1, Math.floor(this.#parts.limits.maxDepth / 2));
  }

  #sizeOf(lane: string): number {
    return this.#sizes.get(lane) ?? FIRST_LANE_SIZE;
  }

  /** Whether a lane takes no calls for now. */
  isClosed(lane: string): boolean {
    return this.#sizeOf(lane) === 0;
  }

  async readLanes(runners: readonly BatchRunner[]): Promise<void> {
    const now = performance.now();
    if (now - this.#readAt < LANES_MS) return;
    this.#readAt = now;
    const lanes = [...countLanes(runners).keys()].filter((lane) => lane !== null);
    const states = lanes.length === 0 ? [] : await this.#parts.readLanes(lanes);
    this.#sizes = new Map(states.map(({ lane, size }) => [lane, size]));
  }

  /** Returns the free places for batches in the queues of the pools' places. */
  async #rooms(runners: readonly BatchRunner[]): Promise<Map<Pool, number>> {
    const pools = [...new Set(runners.flatMap((runner) => runner.pools))];
    const { dispatcher } = this.#parts;
    const rooms = pools.map(
      async (pool) => [pool, this.#half - (await dispatcher.pressure(pool, null)).depth] as const,
    );
    return new Map(await Promise.all(rooms));
  }
}

/** Counts queued and running items by lane. Null: those that wait for places. */
function countLanes(runners: readonly BatchRunner[]): Map<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const runner of runners)
    for (const [lane, count] of runner.progress.outstandingByLane()) counts.set(lane, (counts.get(lane) ?? 0) + count);
  return counts;
}
