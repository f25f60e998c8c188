import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second. */
const MS_PER_TICK = 10;

export interface FamilyProcess {
  pid: number;
  /** Folder of its program, such as `apps/api`; `redis` for the Redis server. */
  name: string;
}

/** Lists a process and all its descendants. */
export function processFamily(root: number): FamilyProcess[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = readIfAlive(`/proc/${entry}/stat`)?.split(') ').at(-1)?.split(' ')[1];
    if (parent !== undefined) parents.set(Number(entry), Number(parent));
  }
  const family = new Set([root]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const [pid, parent] of parents) {
      if (!family.has(parent) || family.has(pid)) continue;
      family.add(pid);
      grown = true;
    }
  }
  return [...family].flatMap((pid) => {
    const command = readIfAlive(`/proc/${pid}/cmdline`)?.split('\0').join(' ');
    return command ? [{ pid, name: nameOf(command) }] : [];
  });
}

function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readIfAlive(`/proc/${pid}/status`) ?? '')?.[1] ?? 0) / 1024;
}

/** Returns the resident memory of a program in MB; NaN if it does not run. */
export function residentOf(root: number, name: string): number {
  const found = processFamily(root).find((one) => one.name === name);
  return found ? residentMb(found.pid) : Number.NaN;
}

/** Returns the memory of a process in MB, with each shared page split equally among its users. */
export function proportionalMb(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readIfAlive(`/proc/${pid}/smaps_rollup`) ?? '')?.[1] ?? 0) / 1024;
}

/** Returns the CPU time in milliseconds that each program of a family has used, by name. */
export function cpuByName(root: number): Map<string, number> {
  const used = new Map<string, number>();
  for (const { pid, name } of processFamily(root)) {
    const fields = readIfAlive(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ') ?? [];
    const ms = (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * MS_PER_TICK;
    used.set(name, (used.get(name) ?? 0) + ms);
  }
  return used;
}

/** Returns the CPU time used between two readings of `cpuByName`, highest first. */
export function cpuBetween(before: Map<string, number>, after: Map<string, number>): [name: string, ms: number][] {
  return [...after]
    .map(([name, ms]): [string, number] => [name, ms - (before.get(name) ?? 0)])
    .sort(([, one], [, other]) => other - one);
}

function readIfAlive(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null; // has just ended
  }
}

function nameOf(command: string): string {
  if (command.includes('redis-server')) return 'redis';
  const floor = /bench\/floor\/([\w-]+)/.exec(command)?.[1];
  if (floor) return floor;
  return /((?:apps|workers|packages|scripts)\/[\w-]+)/.exec(command)?.[1] ?? command.slice(0, 40);
}
