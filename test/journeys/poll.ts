import { setTimeout as delay } from 'node:timers/promises';

/** A short wait must not be missed; in a long one, frequent questions only cost CPU. */
const FIRST_PAUSE_MS = 20;
const LAST_PAUSE_MS = 250;
const GROWTH = 1.2;

export async function poll<T>(
  what: string,
  ask: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  withinMs = 40_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * GROWTH, LAST_PAUSE_MS)) {
    const found = await ask();
    if (found !== undefined && found !== null && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(pauseMs);
  }
}
