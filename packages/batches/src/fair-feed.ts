import type { Pool } from '@chorus/contract';
import type { Dispatcher } from '@chorus/queue';
import type { BatchRunner } from './batch-runner.ts';
import { forEachConcurrently } from './for-each-concurrently.ts';

/** Number of items dispatched for a batch before it is the next batch's turn. */
const ITEMS_PER_TURN = 100;

export interface FeedLimits {
  /** Limit of waiting jobs for a pool. Batches fill at most half of it. */
  maxDepth: number;
  /** Limit of queued and running items of one user, over all scopes. */
  window: number;
}

/** Dispatches items of all batches: users in turn, each within their window, below the queues' limits. */
export class FairFeed {
  readonly #dispatcher: Pick<Dispatcher, 'pressure'>;
  readonly #limits: FeedLimits;
  /** Index of the user who is first in the next round. */
  #turn = 0;

  constructor(dispatcher: Pick<Dispatcher, 'pressure'>, limits: FeedLimits) {
    this.#dispatcher = dispatcher;
    this.#limits = limits;
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
    const users = [...Map.groupBy(hungry, ({ batch }) => batch.owner.user_id)];
    this.#turn = (this.#turn + 1) % users.length;
    const inTurn = [...users.slice(this.#turn), ...users.slice(0, this.#turn)];
    let fed = 0;
    await forEachConcurrently(inTurn, async ([user, its]) => {
      let free = this.#limits.window - outstandingOf(runners, user);
      const share = Math.max(1, Math.floor(free / its.length));
      for (const runner of its) {
        const room = Math.min(...runner.pools.map((pool) => rooms.get(pool) ?? 0));
        const ofRoom = Math.max(1, Math.floor(room / users.length));
        const count = Math.min(ITEMS_PER_TURN, share, free, ofRoom, room);
        if (count <= 0) continue;
        free -= count;
        for (const pool of runner.pools) rooms.set(pool, (rooms.get(pool) ?? 0) - count);
        await guarded(runner, async () => {
          fed += await runner.feed(count);
        });
      }
    });
    return fed;
  }

  /** Returns the free places for batches in each queue. */
  async #rooms(runners: readonly BatchRunner[]): Promise<Map<Pool, number>> {
    const limit = Math.max(1, Math.floor(this.#limits.maxDepth / 2));
    const pools = [...new Set(runners.flatMap((runner) => runner.pools))];
    const rooms = pools.map(async (pool) => [pool, limit - (await this.#dispatcher.pressure(pool)).depth] as const);
    return new Map(await Promise.all(rooms));
  }
}

function outstandingOf(runners: readonly BatchRunner[], user: string): number {
  let sum = 0;
  for (const runner of runners) if (runner.batch.owner.user_id === user) sum += runner.outstanding;
  return sum;
}
