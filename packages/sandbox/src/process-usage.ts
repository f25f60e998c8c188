import { readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

/** Returns the CPU time that a process and its ended children have used. Null: the system does not report it. */
export function cpuTimeOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The process name in parentheses may contain spaces. User and system time, and those of children, are fields
    // 14 to 17.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
  } catch {
    return null;
  }
}

/**
 * Returns the bytes of writable memory that a process has reserved, which count toward its limit. Null: the system
 * does not report it.
 */
export function dataBytesOf(pid: number): number | null {
  try {
    const [, kilobytes] = /^VmData:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return kilobytes === undefined ? null : Number(kilobytes) * 1_024;
  } catch {
    return null;
  }
}

const BASE_MS = 5_000;
const PER_MEGABYTE_MS = 10_000;
const MAX_MS = 300_000;

/** Returns the CPU time to allow for a file whose cost is unknown, such as a PDF. */
export const cpuMsFor = (sizeBytes: number): number =>
  Math.min(MAX_MS, BASE_MS + Math.ceil((sizeBytes / 1_000_000) * PER_MEGABYTE_MS));
