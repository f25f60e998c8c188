import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Names the scope in which process ids are unique: a namespace of a machine since its last start. */
function findMachine(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname(); // not Linux
  }
}

const machine = findMachine();

/** Returns a new id for the lease of this process, from which its neighbors can tell what has become of it. */
export const createLeaseId = (): string => `${randomUUID()}@${machine}@${process.pid}`;

/** Says why a process does not renew its lease. The fate of a process on another machine is `unknown`. */
export type Fate = 'ended' | 'paused' | 'unknown';

export function fateOf(leaseId: string): Fate {
  const [, place, pid] = leaseId.split('@');
  if (place !== machine || pid === undefined) return 'unknown';
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return 'ended';
  }
  return isZombie(pid) ? 'ended' : 'paused';
}

/** A process that has ended keeps its id until its parent has noticed. */
function isZombie(pid: string): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
