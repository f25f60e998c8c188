import { ChorusError } from '@chorus/contract';

/** How long a start waits for a store that goes away meanwhile, and how often it looks, in milliseconds. */
const WAIT_MS = 10_000;
const LOOK_MS = 200;

/** Repeats a step of the start while the store is away: it may be restarting beside us. */
export async function patiently<T>(step: () => Promise<T>): Promise<T> {
  const until = performance.now() + WAIT_MS;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      const away = error instanceof ChorusError && error.code === 'store_unavailable';
      if (!away || performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}
