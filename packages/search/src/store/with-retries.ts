import { setTimeout as sleep } from 'node:timers/promises';
import { ChorusError } from '@chorus/contract';

/** How long the engine may take for one step, in milliseconds. Its own waits have no end. */
const STEP_MS = 60_000;

/** Pauses between the tries of a step that another process's commit forestalled, in milliseconds. */
const PAUSES = [10, 20, 50, 100, 200, 400, 800, 1_600, 1_600, 1_600];

/** What the engine says when another commit came first and this one changed nothing. */
const FORESTALLED = /commit conflict|concurrent transaction|concurrent writers|retryable/i;

/**
 * Runs a step of the engine: again when a commit of another process forestalled it, and never for longer than it may take.
 *
 * @throws ChorusError store_unavailable with the engine's own error as its cause; a ChorusError of the step as it is
 */
export async function withRetries<T>(step: () => Promise<T>, stepMs = STEP_MS): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await withEnd(step(), stepMs);
    } catch (error) {
      if (error instanceof ChorusError) throw error;
      const pause = PAUSES[tries];
      if (pause === undefined || !FORESTALLED.test(String(error))) throw unavailable(error);
      await sleep(pause * (0.5 + Math.random()));
    }
  }
}

const unavailable = (cause: unknown): ChorusError =>
  new ChorusError('store_unavailable', 'The search index is not available.', { retryAfterS: 2, cause });

async function withEnd<T>(step: Promise<T>, ms: number): Promise<T> {
  const timer = Promise.withResolvers<never>();
  const timeout = setTimeout(() => timer.reject(unavailable(new Error(`no answer within ${ms} ms`))), ms);
  try {
    return await Promise.race([step, timer.promise]);
  } finally {
    clearTimeout(timeout);
  }
}
