import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_S = 100;

/** Returns the CPU seconds of all child processes, including ended descendants; null if unavailable. */
export function childrenCpuS(): number | null {
  let ticks = 0;
  try {
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      try {
        // Fields after the name in parentheses: state, parent, …; from the twelfth on user, system, and both
        // for ended children.
        const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
        if (Number(fields[1]) === process.pid)
          ticks += fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      } catch {} // has just ended
    }
    return ticks / TICKS_PER_S;
  } catch {
    return null;
  }
}

/** Returns the CPU seconds of child processes that have ended; 0 if unavailable. */
export function endedChildrenCpuS(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_S;
  } catch {
    return 0;
  }
}

/** Returns the memory of child processes in MB by program name; empty if unavailable. */
export function childMemory(): Map<string, number> {
  const memory = new Map<string, number>();
  for (const pid of processes()) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      if (Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]) !== process.pid) continue;
      const program = /([\w-]+)-main\.ts/.exec(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.[1] ?? pid;
      const peak = Number(/^VmHWM:\s*(\d+)/m.exec(status)?.[1]) / 1_024;
      memory.set(program, Math.max(memory.get(program) ?? 0, peak));
    } catch {} // has just ended
  }
  return memory;
}

function processes(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
