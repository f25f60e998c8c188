import { ChorusError } from '@chorus/contract';

/** How long a worker goes on trying to reach the store before it gives its job up to the sweep, in milliseconds. */
const GIVE_UP_AFTER_MS = 60_000;

const MAX_DELAY_MS = 2_000;

/**
 * Repeats a step that can be repeated while the store is away: work that was done and paid for must not be lost to a restart.
 *
 * @param mayRepeat asked before each repetition
 */
export async function persist<T>(step: () => Promise<T>, mayRepeat: () => boolean = () => true): Promise<T> {
  const until = performance.now() + GIVE_UP_AFTER_MS;
  for (let delay = 50; ; delay = Math.min(delay * 2, MAX_DELAY_MS)) {
    try {
      return await step();
    } catch (error) {
      const away = error instanceof ChorusError && error.code === 'store_unavailable';
      if (!away || !mayRepeat() || performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
}
