/** Waits so many milliseconds; throws the signal's reason when that comes first. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Waits that grow: 200 ms, 400 ms, … up to `maxMs`, each shortened by chance to spread those who wait for the same. */
export function growingWait(attempt: number, maxMs: number): number {
  const full = Math.min(maxMs, 200 * 2 ** Math.min(attempt, 20));
  return full * (0.5 + Math.random() / 2);
}
