/** Over HTTP/1.1 a browser has six connections to a server, for all its tabs: so many streams of one tab leave room for what else is asked. */
const SLOTS = 2;

let free = SLOTS;
const waiting: (() => void)[] = [];

/** Waits until a stream may be opened. @returns what gives its place to the next; null: the signal came first */
export async function takeStreamSlot(signal: AbortSignal): Promise<(() => void) | null> {
  while (free === 0) {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    if (signal.aborted) {
      waiting.shift()?.(); // it may have been told in place of another
      return null;
    }
  }
  free -= 1;
  let isTaken = true;
  return () => {
    if (!isTaken) return;
    isTaken = false;
    free += 1;
    waiting.shift()?.();
  };
}
