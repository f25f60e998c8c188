import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts computing in hundredths of a second. */
const TICKS_PER_S = 100;

/** Seconds of computing of this process's children that live, and of theirs that have ended; null where the system does not tell so. */
export function childrenCpuS(): number | null {
  let ticks = 0;
  try {
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      try {
        // After the name in brackets: state, parent, … and from the twelfth on user, system, and both of its ended children.
        const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
        if (Number(fields[1]) === process.pid)
          ticks += fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      } catch {} // it has just ended
    }
    return ticks / TICKS_PER_S;
  } catch {
    return null;
  }
}
