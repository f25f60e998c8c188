import { setTimeout as delay } from 'node:timers/promises';

export async function poll<T>(
  what: string,
  ask: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  withinMs = 40_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await ask();
    if (found !== undefined && found !== null && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(20);
  }
}
