import { ChorusError } from '@chorus/contract/errors';
import { retryWhile, withTimeout } from '@chorus/runtime/timing';

/** The engine's calls have no timeout. */
const STEP_MS = 60_000;

const PAUSES_MS = [10, 20, 50, 100, 200, 400, 800, 1_600, 1_600, 1_600];

/** Messages of the engine for a commit that lost to another one and changed nothing. */
const CONFLICT = /commit conflict|concurrent transaction|concurrent writers|retryable/i;

/**
 * Runs a step of the engine with a timeout. Retries it when another process committed first.
 *
 * @throws {ChorusError} store_unavailable with the engine's error as its cause; a ChorusError of the step
 * unchanged
 */
export async function withRetries<T>(step: () => Promise<T>, stepMs = STEP_MS): Promise<T> {
  const giveUp = () => {
    throw unavailable(new Error(`no answer within ${stepMs} ms`));
  };
  const mayRetry = (error: unknown) => !(error instanceof ChorusError) && CONFLICT.test(String(error));
  const pausesMs = PAUSES_MS.values().map((ms) => ms * (0.5 + Math.random()));
  try {
    return await retryWhile(mayRetry, () => withTimeout(step(), stepMs, giveUp), { pausesMs });
  } catch (error) {
    throw error instanceof ChorusError ? error : unavailable(error);
  }
}

const unavailable = (cause: unknown): ChorusError =>
  new ChorusError('store_unavailable', 'The search index is not available.', { retryAfterS: 2, cause });
