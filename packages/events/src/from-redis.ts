import { ChorusError } from '@chorus/contract';
import { isRedisAway } from './is-redis-away.ts';

/**
 * What Redis answers. A Redis that is away, or does not answer within `limitMs`, becomes `store_unavailable`; anything else is thrown as
 * it is.
 *
 * @param limitMs for what waits for a connection without a limit of its own
 */
export async function fromRedis<T>(answer: Promise<T>, limitMs?: number): Promise<T> {
  try {
    return await (limitMs === undefined ? answer : within(limitMs, answer));
  } catch (error) {
    throw isRedisAway(error) ? unavailable(error) : error;
  }
}

function unavailable(cause?: unknown): ChorusError {
  return new ChorusError('store_unavailable', 'Redis does not answer; try again shortly.', { retryAfterS: 2, cause });
}

async function within<T>(limitMs: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // An answer that lies in the socket, since this process was busy, is read before that: only Redis's own silence counts.
    timer = setTimeout(() => setImmediate(() => reject(unavailable())), limitMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
