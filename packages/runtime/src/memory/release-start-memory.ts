import { performance } from 'node:perf_hooks';
import { collectGarbage } from './collect-garbage.ts';

const LOOK_EVERY_MS = 2_000;
const IDLE_UTILIZATION = 0.1;

/**
 * Frees memory from the start once the process is idle. V8 does not do this by itself, since it only collects while
 * memory is being allocated.
 */
export function releaseStartMemory(
  collect: () => Promise<void> | undefined = collectGarbage,
  lookEveryMs = LOOK_EVERY_MS,
): void {
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    if (utilization > IDLE_UTILIZATION) return;
    clearInterval(timer);
    collect()?.catch(() => undefined); // then the memory stays in use
  }, lookEveryMs);
  timer.unref();
}
