/** Time that others are owed before the next heavy step. */
let owedMs = 0;
let earlier: Promise<void> = Promise.resolve();

/**
 * Waits for a turn to do something heavy: a piece of a large body, or parsing it. All such steps of the process stand in one line, and together take half of the
 * event loop's time at most. What is done in the same tick counts.
 */
export function heavyTurn(): Promise<void> {
  const before = earlier;
  const { promise, resolve } = Promise.withResolvers<void>();
  earlier = promise;
  return before.then(() => {
    const began = performance.now();
    setImmediate(() => {
      owedMs += performance.now() - began;
      if (owedMs < 1) return resolve();
      setTimeout(resolve, owedMs);
      owedMs = 0;
    });
  });
}
