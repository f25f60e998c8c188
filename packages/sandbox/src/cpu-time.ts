import { readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

/** CPU time that a process and its ended children have used, in milliseconds; null where the system does not tell. */
export function cpuTimeOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in brackets may hold blanks: user, system, and the same of ended children are fields 14 to 17.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
  } catch {
    return null;
  }
}
