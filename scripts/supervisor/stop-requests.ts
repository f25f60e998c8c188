import { whenOrphaned } from '../setup/orphaned.mjs';

/**
 * npm passes a Ctrl-C on to its child, which the terminal has told already: signals this close together, in
 * milliseconds, are one request.
 */
const sameRequestMs = 500;

/**
 * Turns SIGINT, SIGTERM, SIGHUP (the terminal was closed) and the end of npm, if that is the parent, into requests to stop.
 * @returns resolves at the first request; `onImpatience` is called at each later one
 */
export function untilStopIsRequested(onImpatience: () => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let firstAt: number | undefined;
  const take = () => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      resolve();
    } else if (performance.now() - firstAt > sameRequestMs) onImpatience();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, take);
  whenOrphaned(take);
  return promise;
}
