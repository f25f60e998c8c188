import type { Pool } from '@chorus/contract';
import type { Dispatcher } from '@chorus/queue';
import type { BatchRunner } from './batch-runner.ts';
import { sideBySide } from './side-by-side.ts';

/** Items handed over for a batch before another has its turn. */
const MOUTHFUL = 100;

export interface FeedLimits {
  /** Jobs that may wait for a pool; batches fill half of it at most. */
  maxDepth: number;
  /** Items of one user that are queued or running at once, over all scopes. */
  window: number;
}

/** Hands over what batches have: users in turn, each within their window, all below the queues' limits. */
export class FeedInTurn {
  readonly #dispatcher: Pick<Dispatcher, 'pressure'>;
  readonly #limits: FeedLimits;
  /** Which user begins, so that each is the first in its turn. */
  #turn = 0;

  constructor(dispatcher: Pick<Dispatcher, 'pressure'>, limits: FeedLimits) {
    this.#dispatcher = dispatcher;
    this.#limits = limits;
  }

  /**
   * One round.
   *
   * @param guarded does a step for one batch
   * @returns how many items were handed over
   */
  async feed(
    runners: readonly BatchRunner[],
    guarded: (runner: BatchRunner, step: () => Promise<void>) => Promise<void>,
  ): Promise<number> {
    const hungry = runners.filter((runner) => runner.hungry);
    if (hungry.length === 0) return 0;
    const rooms = await this.#rooms(hungry);
    const users = [...Map.groupBy(hungry, ({ batch }) => batch.owner.user_id)];
    this.#turn = (this.#turn + 1) % users.length;
    const inTurn = [...users.slice(this.#turn), ...users.slice(0, this.#turn)];
    let fed = 0;
    await sideBySide(inTurn, async ([user, its]) => {
      let free = this.#limits.window - outstandingOf(runners, user);
      const share = Math.max(1, Math.floor(free / its.length));
      for (const runner of its) {
        const room = Math.min(...runner.pools.map((pool) => rooms.get(pool) ?? 0));
        const ofRoom = Math.max(1, Math.floor(room / users.length));
        const count = Math.min(MOUTHFUL, share, free, ofRoom, room);
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

  /** Places that batches may fill now, in each queue that they go to. */
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
