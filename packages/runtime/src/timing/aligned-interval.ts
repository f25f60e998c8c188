/**
 * Calls `task` every `everyMs`, together with all other tasks of this process with the same interval, so that they wake
 * an idle process only once.
 *
 * @returns A function that stops it.
 */
export function setAlignedInterval(task: () => void, everyMs: number): () => void {
  let timer: NodeJS.Timeout;
  const plan = () => {
    const untilNext = everyMs - (performance.now() % everyMs);
    // A timer may fire a little early.
    timer = setTimeout(run, untilNext < everyMs / 2 ? untilNext + everyMs : untilNext);
  };
  const run = () => {
    plan();
    task();
  };
  timer = setTimeout(run, everyMs - (performance.now() % everyMs));
  return () => clearTimeout(timer);
}
