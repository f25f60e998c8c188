import { chmodSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Process ids are unique in a namespace. */
function findNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0'; // not Linux
  }
}

const PREFIX = `chorus-lent-${findNamespace()}-`;

let folder: string | null = null;

/** Returns the folder of lent files. It can be entered but not listed, so files can only be found by their path. */
export function lendingFolder(): string {
  if (folder === null) {
    const made = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
    chmodSync(made, 0o711);
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  return folder;
}

/** Removes the folders of processes that were killed. */
export async function removeAbandoned(within = tmpdir()): Promise<void> {
  for (const name of await readdir(within)) {
    if (!name.startsWith(PREFIX)) continue;
    const pid = Number(/^\d+/.exec(name.slice(PREFIX.length))?.[0]);
    // Those of other users cannot be removed.
    if (hasEnded(pid)) await rm(join(within, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function hasEnded(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
