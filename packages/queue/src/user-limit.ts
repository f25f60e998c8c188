import { ChorusError, isTerminal } from '@chorus/contract';
import type { Database } from '@chorus/database';
import type { RedisConnection } from '@chorus/events';
import { createRunningExecutions } from '@chorus/executions';

/** An execution that is not stored after this time never will be. */
const STORED_WITHIN_MS = 30_000;

const PAGE = 500;

/** Minimum time between two comparisons with a user's records. */
const RECONCILE_INTERVAL_MS = 1_000;

/**
 * Limits a user's queued and running executions over all scopes and processes. Batches are limited elsewhere. Ends
 * that were not reported are found when the limit is reached.
 */
export function createUserLimit(
  { redis, database }: { redis: RedisConnection; database: Pick<Database, 'executions'> },
  limit: () => number = () => Number.MAX_SAFE_INTEGER,
) {
  const running = createRunningExecutions(redis);
  const reconciledAt = new Map<string, number>();

  /** Removes executions that have ended. */
  const reconcile = async (userId: string): Promise<void> => {
    const now = Date.now();
    if (now - (reconciledAt.get(userId) ?? 0) < RECONCILE_INTERVAL_MS) return;
    if (reconciledAt.size > 10_000) reconciledAt.clear();
    reconciledAt.set(userId, now);
    const ids = await running.begunBefore(userId, now);
    const recent = new Set(ids).difference(new Set(await running.begunBefore(userId, now - STORED_WITHIN_MS)));
    for (let from = 0; from < ids.length; from += PAGE) {
      const page = ids.slice(from, from + PAGE);
      const states = await database.executions.listStates(page);
      const stored = new Set(states.map(({ id }) => id));
      const ended = states.filter(({ status }) => isTerminal(status)).map(({ id }) => id);
      const lost = page.filter((id) => !stored.has(id) && !recent.has(id));
      await running.end(userId, ...ended, ...lost);
    }
  };

  return {
    /** @throws {ChorusError} limit_reached */
    async begin(userId: string, id: string): Promise<void> {
      const max = limit();
      if (await running.begin(userId, id, max)) return;
      await reconcile(userId);
      if (await running.begin(userId, id, max)) return;
      throw new ChorusError(
        'limit_reached',
        `You have reached the limit of ${max} queued or running executions per user (EXECUTIONS_PER_USER). Wait for some to end, cancel some, or send them as a batch.`,
        { retryAfterS: 5 },
      );
    },
    end: (userId: string, id: string) => running.end(userId, id),
    forget: (userId: string) => running.forget(userId),
  };
}
