import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UsageError } from '../command.ts';

const SQLITE_BUSY = 5;

/**
 * Does something that one command at a time may do with a file: two that follow its batch would write each result twice.
 *
 * The lock is the system's, on an empty database: it ends with its process, however that ends.
 *
 * @throws {UsageError} while another command of the same user does it
 */
export async function lockBatch<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = new DatabaseSync(lockFile(await realpath(file)));
  try {
    try {
      lock.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
      throw new UsageError('Another command follows the batch of this file.');
    }
    return await work();
  } finally {
    lock.close();
  }
}

/** It stays: whoever removed it might remove another one's. */
function lockFile(file: string): string {
  const name = createHash('sha256').update(`${userInfo().username} ${file}`).digest('hex').slice(0, 32);
  return join(tmpdir(), `chorus-batch-${name}.lock`);
}
