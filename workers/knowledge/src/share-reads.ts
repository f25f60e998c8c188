/** Joins calls that arrive while a read runs to the next one, so that each gets a state no older than its call. */
export function shareReads<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = null;
        const reading = read();
        running = reading;
        return reading;
      });
    return next;
  };
}
