import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root, say } from './project.mjs';

/**
 * Runs `work` while no other process on this machine does so for the same repository. The lock is a folder that
 * holds its owner's pid; one whose owner is gone is taken over.
 * @template T
 * @param {() => Promise<T>} work
 * @param {string} [folder] path of the lock
 * @returns {Promise<T>}
 */
export async function withInstallLock(work, folder = lockFolder()) {
  let hasAnnounced = false;
  while (!acquire(folder)) {
    const owner = ownerOf(folder);
    if (owner !== undefined && !isAlive(owner)) takeAside(folder, owner);
    else {
      if (!hasAnnounced && owner) say(`Another setup of this folder is running (process ${owner}); waiting for it …`);
      hasAnnounced = true;
      await delay(200);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} [name] what is being set up; different setups may run at once */
export function lockFolder(name = 'setup') {
  const digest = createHash('sha256').update(root).digest('hex').slice(0, 12);
  return join(tmpdir(), `chorus-${name}-${process.getuid?.() ?? 0}-${digest}.lock`);
}

/** @param {string} folder */
function acquire(folder) {
  // Prepared elsewhere and then moved, so that a lock always has an owner.
  const prepared = `${folder}.${process.pid}`;
  mkdirSync(prepared, { recursive: true });
  writeFileSync(join(prepared, 'pid'), String(process.pid));
  try {
    renameSync(prepared, folder); // fails if the target is a folder that is not empty
    return true;
  } catch {
    rmSync(prepared, { recursive: true, force: true });
    return false;
  }
}

/** @param {string} folder */
function ownerOf(folder) {
  try {
    return Number(readFileSync(join(folder, 'pid'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Moves the lock of a dead owner away. If another waiter has taken over in the meantime, puts it back.
 * @param {string} folder @param {number} deadOwner
 */
function takeAside(folder, deadOwner) {
  const aside = `${folder}.stale.${process.pid}`;
  try {
    renameSync(folder, aside);
    if (ownerOf(aside) === deadOwner) rmSync(aside, { recursive: true, force: true });
    else renameSync(aside, folder);
  } catch {}
}
