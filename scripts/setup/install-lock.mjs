import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root, say } from './project.mjs';

/**
 * Runs `work` while no other process on this machine does so for the same repository. The lock is a folder
 * that holds its owner's pid; one whose owner is gone is taken over.
 * @template T
 * @param {() => Promise<T>} work
 * @param {string} [folder] where the lock stands
 * @returns {Promise<T>}
 */
export async function withInstallLock(work, folder = lockFolder()) {
  let told = false;
  while (!acquire(folder)) {
    const owner = ownerOf(folder);
    if (owner !== undefined && !isAlive(owner)) takeAside(folder, owner);
    else {
      if (!told && owner) say(`Another set-up of this folder is running (process ${owner}); waiting for it …`);
      told = true;
      await delay(200);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function lockFolder() {
  const digest = createHash('sha256').update(root).digest('hex').slice(0, 12);
  return join(tmpdir(), `chorus-setup-${process.getuid?.() ?? 0}-${digest}.lock`);
}

/** @param {string} folder */
function acquire(folder) {
  // Made aside and moved into place, so that a lock is never seen without its owner.
  const prepared = `${folder}.${process.pid}`;
  mkdirSync(prepared, { recursive: true });
  writeFileSync(join(prepared, 'pid'), String(process.pid));
  try {
    renameSync(prepared, folder); // fails where the target is a folder that isn't empty
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
 * Moves a dead owner's lock away. Another waiter may have done so and locked anew in between: then it is put back.
 * @param {string} folder @param {number} deadOwner
 */
function takeAside(folder, deadOwner) {
  const aside = `${folder}.stale.${process.pid}`;
  try {
    renameSync(folder, aside);
    if (ownerOf(aside) === deadOwner) rmSync(aside, { recursive: true, force: true });
    else renameSync(aside, folder);
  } catch {
    // Someone else was quicker; the caller looks again.
  }
}
