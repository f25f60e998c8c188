import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UsageError } from '../command.ts';

const SQLITE_BUSY = 5;

/**
 * Runs `work` with an exclusive lock on a file's batch. Two commands would write each result twice.
 * The lock is a transaction on an empty database, which the system releases when the process ends.
 *
 * @throws {UsageError} while another command of the same user holds the lock
 */
export async function lockBatch<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = new DatabaseSync(lockFile(await realpath(file)));
  try {
    try {
      lock.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
      throw new UsageError('Another command is already following the batch of this file.');
    }
    return await work();
  } finally {
    lock.close();
  }
}

/** Never removed, because another process could hold a lock on it. */
function lockFile(file: string): string {
  const name = createHash('sha256').update(`${userInfo().username} ${file}`).digest('hex').slice(0, 32);
  return join(tmpdir(), `chorus-batch-${name}.lock`);
}
