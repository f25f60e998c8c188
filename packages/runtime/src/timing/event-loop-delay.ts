import perfHooks from 'node:perf_hooks';

/**
 * Runs `collect`, and makes its event loop monitors sample each turn of the loop.
 *
 * By default, Node samples with a timer, and prom-client's timer wakes the process a hundred times a second.
 */
export function sampleLoopWithoutTimer<T>(collect: () => T): T {
  const { monitorEventLoopDelay } = perfHooks;
  perfHooks.monitorEventLoopDelay = (options) => monitorEventLoopDelay({ ...options, samplePerIteration: true });
  try {
    return collect();
  } finally {
    perfHooks.monitorEventLoopDelay = monitorEventLoopDelay;
  }
}
