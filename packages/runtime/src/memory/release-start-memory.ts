import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_EVERY_MS = 2_000;
const IDLE_UTILIZATION = 0.1;

const COLLECTED_FOR_MS = 60_000;

type Collect = (options: { type: 'major'; flavor: 'last-resort' }) => void;

/**
 * Frees memory from the start once the process is idle. V8 does not do this by itself, since it only collects while
 * memory is being allocated.
 */
export function releaseStartMemory(collect = collectAll, lookEveryMs = LOOK_EVERY_MS): void {
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    if (utilization > IDLE_UTILIZATION) return;
    clearInterval(timer);
    collect();
  }, lookEveryMs);
  timer.unref();
}

/** Also drops code that has not run for a while. */
function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  collect({ type: 'major', flavor: 'last-resort' });
  // V8 has scheduled two more collections, which would find nothing.
  setFlagsFromString('--memory-reducer-gc-count=0');
  setTimeout(() => setFlagsFromString('--memory-reducer-gc-count=2'), COLLECTED_FOR_MS).unref();
}
