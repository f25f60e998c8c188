/**
 * Runs a task, and again when it is done and `everyMs` have passed: a slow one never overlaps with the next. The task is to catch its own errors.
 *
 * @returns stops it, after one that runs
 */
export function repeatedly(everyMs: number, task: () => Promise<void>): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const run = (): void => {
    running = task().finally(() => {
      if (!stopped) timer = setTimeout(run, everyMs);
    });
  };
  run();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
