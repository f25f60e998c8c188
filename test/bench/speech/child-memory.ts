import { readdirSync, readFileSync } from 'node:fs';

/** Megabytes that this process's children hold now, by the names of their programs; empty where the system does not tell. */
export function childMemory(): Map<string, number> {
  const memory = new Map<string, number>();
  for (const pid of processes()) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      if (Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]) !== process.pid) continue;
      const program = /([\w-]+)-main\.ts/.exec(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.[1] ?? pid;
      memory.set(program, Number(/^VmHWM:\s*(\d+)/m.exec(status)?.[1]) / 1_024);
    } catch {} // it has just ended
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
