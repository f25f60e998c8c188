/** Tasks that wait for the same time, by that time in units of their grid. */
const waiting = new Map<string, Set<() => void>>();

/**
 * Calls `task` after about `ms`, at the next time that is a multiple of `gridMs`; soon if `ms` is negative. Tasks of
 * the same time run together, so that what they send shares system calls and wakes its readers once.
 * @returns cancels it
 */
export function setSharedTimeout(task: () => void, ms: number, gridMs: number): () => void {
  const now = performance.now();
  const at = Math.ceil((now + ms) / gridMs);
  const key = `${gridMs} ${at}`;
  let tasks = waiting.get(key);
  if (!tasks) {
    const all = new Set<() => void>();
    tasks = all;
    waiting.set(key, all);
    setTimeout(
      () => {
        waiting.delete(key);
        for (const one of all) one();
      },
      Math.max(0, at * gridMs - now),
    );
  }
  const mine = tasks;
  mine.add(task);
  return () => mine.delete(task);
}
