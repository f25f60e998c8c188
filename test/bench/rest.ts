import type { BenchPlatform } from './platform.ts';
import { cpuBetween, cpuByName, processFamily, proportionalMb } from './process-family.ts';
import { heading, report } from './report.ts';

const SETTLE_MS = 15_000;
const WATCH_MS = 20_000;

/** Measures the cost of an idle platform. */
export async function rest(platform: BenchPlatform): Promise<void> {
  heading('At rest');
  report('startup when installed (ms)', platform.startMs.toFixed(0), 'aim 2,000');
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const processes = processFamily(platform.pid).map(({ pid, name }) => ({ name, megabytes: proportionalMb(pid) }));
  for (const { name, megabytes } of processes)
    report(`memory of ${name} (MB, shared pages in parts)`, megabytes.toFixed(0));
  const ours = processes.filter(({ name }) => name !== 'redis');
  report('memory of all but Redis (MB)', ours.reduce((sum, one) => sum + one.megabytes, 0).toFixed(0), 'aim 400');

  const before = cpuByName(platform.pid);
  await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
  const used = cpuBetween(before, cpuByName(platform.pid));
  const percent = (ms: number) => ((ms / WATCH_MS) * 100).toFixed(1);
  for (const [name, ms] of used) if (ms > 0) report(`CPU of ${name} (% of a core)`, percent(ms));
  report('CPU of all (% of a core)', percent(used.reduce((sum, [, ms]) => sum + ms, 0)), 'aim 2');
}
