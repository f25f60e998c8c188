import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { identityOf } from './process-identity.ts';

interface RecordedProcess {
  name: string;
  pid: number;
  identity: string;
  /** Stop order; the guard has none. */
  stopStage: number | 'guard';
}

/** Records running processes in a file, so that the next start finds leftovers. */
export class RunRecord {
  readonly #file: string;
  readonly #processes = new Map<number, RecordedProcess>();

  constructor(file: string) {
    this.#file = file;
  }

  add(name: string, pid: number, stopStage: number | 'guard'): void {
    const identity = identityOf(pid);
    if (identity === undefined) return;
    this.#processes.set(pid, { name, pid, identity, stopStage });
    this.#write();
  }

  remove(pid: number): void {
    if (this.#processes.delete(pid)) this.#write();
  }

  clear(): void {
    this.#processes.clear();
    rmSync(this.#file, { force: true });
  }

  #write(): void {
    const temporary = `${this.#file}.new`;
    try {
      writeFileSync(temporary, JSON.stringify([...this.#processes.values()]), { mode: 0o600 });
      renameSync(temporary, this.#file);
    } catch {
      // A full disk must not stop the platform; the guard knows the processes too.
    }
  }
}

/**
 * Ends leftovers of an earlier supervisor. Waits for its guard, replaces a dead guard, and finally kills the
 * rest.
 * @param graceMs time to end
 * @param onFound called once with their names if there are any
 */
export async function endLeftovers(file: string, graceMs: number, onFound: (names: string[]) => void): Promise<void> {
  const recorded = readRecord(file);
  const guards = recorded.filter((one) => one.stopStage === 'guard');
  const leftovers = recorded.filter((one) => one.stopStage !== 'guard' && isRunning(one));
  if (leftovers.length > 0) {
    onFound(leftovers.map((one) => one.name));
    const deadline = performance.now() + graceMs;
    const stages = Map.groupBy(leftovers, (one) => Number(one.stopStage));
    for (const [, stage] of [...stages].sort(([a], [b]) => a - b)) {
      if (!guards.some(isRunning)) for (const one of stage) signal(one.pid, 'SIGTERM');
      while (stage.some(isRunning) && performance.now() < deadline) await delay(50);
    }
    for (const one of leftovers.filter(isRunning)) signal(-one.pid, 'SIGKILL');
    while (leftovers.some(isRunning) && performance.now() < deadline + 2000) await delay(20);
  }
  rmSync(file, { force: true });
}

function isRunning(one: RecordedProcess): boolean {
  return identityOf(one.pid) === one.identity;
}

function signal(target: number, name: NodeJS.Signals): void {
  try {
    process.kill(target, name);
  } catch {}
}

function readRecord(file: string): RecordedProcess[] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(value) ? value.filter((one) => Number.isInteger(one?.pid) && one.pid > 1 && one.identity) : [];
  } catch {
    return [];
  }
}
