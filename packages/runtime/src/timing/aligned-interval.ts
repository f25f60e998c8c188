/**
 * Calls `task` every `everyMs`, together with all others of this process that have the same interval. They then wake an
 * idle process once.
 *
 * @returns stops it
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
