import type { Services } from './services.ts';
import { within } from './within.ts';

/** How long a store may take to answer before it counts as away, in milliseconds. */
const ANSWER_WITHIN_MS = 2_000;

export interface StoreHealth {
  status: 'ok' | 'failing';
  /** Null while it does not answer. */
  latency_ms: number | null;
}

/** Asks the document store and Redis whether they answer. */
export async function checkStores({
  database,
  redis,
}: Pick<Services, 'database' | 'redis'>): Promise<{ store: StoreHealth; redis: StoreHealth }> {
  const [store, redisHealth] = await Promise.all([time(() => database.ping()), time(() => redis.ping())]);
  return { store, redis: redisHealth };
}

/** Returns whether the first user exists. Until then, no one can log in. */
export async function checkFirstUser({ accounts }: Pick<Services, 'accounts'>): Promise<'ok' | 'failing'> {
  return (await within(ANSWER_WITHIN_MS, accounts.users.any())) === true ? 'ok' : 'failing';
}

/** Asks the object storage, about something that need not be there. */
export const checkObjects = ({ blobs }: Pick<Services, 'blobs'>): Promise<StoreHealth> =>
  time(() => blobs.stat('ready'));

async function time(ask: () => Promise<unknown>): Promise<StoreHealth> {
  const start = performance.now();
  const answered = await within(
    ANSWER_WITHIN_MS,
    ask().then(() => true),
  );
  if (!answered) return { status: 'failing', latency_ms: null };
  return { status: 'ok', latency_ms: Math.round((performance.now() - start) * 10) / 10 };
}
