const EVERY_MS = 500;

/**
 * Calls `stop` once when npm, which started this process, has died. npm forwards Ctrl-C, but neither SIGTERM
 * nor SIGKILL. Without npm, nothing is watched: a process in the background may outlive its parent.
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
