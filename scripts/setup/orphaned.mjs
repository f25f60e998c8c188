/** How often the parent is looked for, in milliseconds. */
const EVERY_MS = 500;

/**
 * Calls `stop` once when npm, which started this process, has gone: npm passes a Ctrl-C on, but not a SIGTERM, nor can it a SIGKILL.
 * Not under npm, nothing is watched: who starts a process in the background may leave it there.
 * @param {() => void} stop
 */
export function whenOrphaned(stop) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, EVERY_MS);
  timer.unref();
}
