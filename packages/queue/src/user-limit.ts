import { ChorusError, isTerminal } from '@chorus/contract';
import type { Database } from '@chorus/database';
import type { RedisConnection } from '@chorus/events';
import { createRunningExecutions } from '@chorus/executions';

/** An execution that began this long ago and is not stored never will be. */
const STORED_WITHIN_MS = 30_000;

/** Records looked at in one round trip. */
const PAGE = 500;

/** How often what a user has running is compared with the records. */
const COMPARE_EVERY_MS = 1_000;

/**
 * Keeps what one user has queued and running below a limit, over all scopes and processes; batches have a window of their own. Ends that
 * a process did not tell are found when the limit is met, so nothing is held for good.
 */
export function createUserLimit(
  { redis, database }: { redis: RedisConnection; database: Pick<Database, 'executions'> },
  limit: number | null,
) {
  const running = createRunningExecutions(redis);
  const comparedAt = new Map<string, number>();

  /** Forgets those that have ended. */
  const compare = async (userId: string): Promise<void> => {
    const now = Date.now();
    if (now - (comparedAt.get(userId) ?? 0) < COMPARE_EVERY_MS) return;
    if (comparedAt.size > 10_000) comparedAt.clear();
    comparedAt.set(userId, now);
    const ids = await running.begunBefore(userId, now);
    const young = new Set(ids).difference(new Set(await running.begunBefore(userId, now - STORED_WITHIN_MS)));
    for (let from = 0; from < ids.length; from += PAGE) {
      const page = ids.slice(from, from + PAGE);
      const standings = await database.executions.standings(page);
      const stored = new Set(standings.map(({ id }) => id));
      const ended = standings.filter(({ status }) => isTerminal(status)).map(({ id }) => id);
      const lost = page.filter((id) => !stored.has(id) && !young.has(id));
      await running.end(userId, ...ended, ...lost);
    }
  };

  return {
    /** @throws {ChorusError} limit_reached */
    async begin(userId: string, id: string): Promise<void> {
      const most = limit ?? Number.MAX_SAFE_INTEGER;
      if (await running.begin(userId, id, most)) return;
      await compare(userId);
      if (await running.begin(userId, id, most)) return;
      throw new ChorusError(
        'limit_reached',
        `You have ${most} executions queued or running, as many as one user may (EXECUTIONS_PER_USER). Wait for some to end, cancel some, or send them as a batch.`,
        { retryAfterS: 5 },
      );
    },
    end: (userId: string, id: string) => running.end(userId, id),
    forget: (userId: string) => running.forget(userId),
  };
}
