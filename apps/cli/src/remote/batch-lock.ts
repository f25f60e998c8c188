import { readFile, rm, writeFile } from 'node:fs/promises';
import { UsageError } from '../command.ts';

const lockFile = (file: string) => `${file}.chorus.lock`;

/**
 * Does something that one command at a time may do with a file: two that follow its batch would write each result twice.
 *
 * @throws {UsageError} while another one does it; a process that is gone holds nothing
 */
export async function lockBatch<T>(file: string, work: () => Promise<T>): Promise<T> {
  const path = lockFile(file);
  const take = () => writeFile(path, String(process.pid), { flag: 'wx' });
  await take().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    const holder = await readFile(path, 'utf8').catch(() => '');
    if (isRunning(Number(holder)))
      throw new UsageError(
        `Process ${holder} follows the batch of this file. Where that is something else, remove ${path}.`,
      );
    await rm(path, { force: true });
    await take();
  });
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

function isRunning(pid: number): boolean {
  // In a container the one that is gone may have had our number.
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, and is another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
