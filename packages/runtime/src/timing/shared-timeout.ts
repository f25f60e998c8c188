/** Tasks that are due at the same time, by that time in units of their grid. */
const waiting = new Map<string, Set<() => void>>();

/**
 * Calls `task` after about `ms`, at the next multiple of `gridMs`, or soon if `ms` is negative. Tasks that are due at
 * the same time run together, so that their messages share system calls and wake their readers once.
 * @returns A function that cancels it.
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
