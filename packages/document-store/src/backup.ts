import { once } from 'node:events';
import { constants, copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { Document } from 'bson';
import { DataDirectoryError } from './errors.ts';
import { MemoryBudget } from './memory.ts';
import { Catalog } from './storage/catalog.ts';
import { syncToDisk } from './storage/commit-record.ts';
import { DirectoryInUseError, DirectoryLock } from './storage/directory-lock.ts';
import { Engine } from './storage/engine.ts';
import { checkIntegrity, type IntegrityReport } from './storage/integrity.ts';
import { resetCommitRecord } from './storage/store-file.ts';
import { STORE_FILE } from './store.ts';
import { encode } from './values/codec.ts';
import { decode } from './values/decode.ts';
import { FrameReader, messageBody, messageFrame } from './wire.ts';

const withSidecars = (file: string) => [file, `${file}-wal`, `${file}-journal`];

/**
 * Copies a snapshot to a new file while the server, if there is one, keeps serving. The file
 * appears only when it is synced and verified. Throws `DataDirectoryError`.
 */
export async function backUp(directory: string, target: string): Promise<IntegrityReport> {
  const source = join(directory, STORE_FILE);
  if (!existsSync(source)) throw new DataDirectoryError(`Nothing to back up: ${source} does not exist.`);
  if (existsSync(target)) throw new DataDirectoryError(`${target} already exists. Choose another file for the backup.`);
  if (!existsSync(dirname(resolve(target))))
    throw new DataDirectoryError(`The directory ${dirname(resolve(target))} does not exist.`);
  const unfinished = `${target}.${process.pid}.unfinished`;
  try {
    await withFrozenFile(directory, source, () => copyFile(source, unfinished, constants.COPYFILE_FICLONE));
    const { report } = verifyCopy(unfinished, 'the copy');
    syncToDisk(unfinished);
    renameSync(unfinished, target);
    syncToDisk(dirname(resolve(target)));
    return report;
  } finally {
    for (const file of withSidecars(unfinished)) rmSync(file, { force: true });
  }
}

/**
 * Replaces a store's data with a backup, atomically. Keeps the old data in the file `aside`. Throws
 * `DataDirectoryError` while a server uses the directory, and for a damaged backup.
 */
export function restore(directory: string, backup: string): IntegrityReport & { aside: string | undefined } {
  if (!existsSync(backup)) throw new DataDirectoryError(`${backup} does not exist.`);
  const lock = new DirectoryLock(directory);
  const file = join(directory, STORE_FILE);
  const incoming = `${file}.incoming`;
  try {
    for (const [at, part] of withSidecars(backup).entries()) {
      if (existsSync(part)) copyFileSync(part, withSidecars(incoming)[at] as string, constants.COPYFILE_FICLONE);
    }
    const { report, mark } = verifyCopy(incoming, backup);
    syncToDisk(incoming);
    const aside = setAside(directory, file);
    rmSync(`${file}-journal`, { force: true }); // SQLite would apply it to the restored file
    renameSync(incoming, file);
    // After a crash here, the next start rejects the old log and record, and the restore can be repeated.
    rmSync(`${file}-wal`, { force: true });
    resetCommitRecord(file, mark);
    syncToDisk(directory);
    return { ...report, aside };
  } finally {
    for (const part of withSidecars(incoming)) rmSync(part, { force: true });
    lock.release();
  }
}

/** Verifies a store file and gives it a new lineage, so that it rejects the original's log. */
function verifyCopy(file: string, name: string): { report: IntegrityReport; mark: Uint8Array } {
  const engine = new Engine(file, { standalone: true });
  try {
    const report = checkIntegrity(engine, new Catalog(engine));
    if (report.problems.length > 0) throw new DataDirectoryError(`${name} is damaged: ${report.problems.join('; ')}`);
    return { report, mark: engine.renewLineage() };
  } finally {
    engine.close();
  }
}

function setAside(directory: string, file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const aside = join(directory, `before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.sqlite`);
  for (const [at, part] of withSidecars(file).entries()) {
    if (existsSync(part)) linkSync(part, withSidecars(aside)[at] as string);
  }
  return aside;
}

/** Calls `use` while the store's file is a consistent snapshot. A running server keeps serving. */
async function withFrozenFile(directory: string, file: string, use: () => Promise<void>): Promise<void> {
  let lock: DirectoryLock;
  try {
    lock = new DirectoryLock(directory);
  } catch (error) {
    if (!(error instanceof DirectoryInUseError)) throw error;
    return withServerHold(error, use);
  }
  try {
    new Engine(file).close(); // checkpoints the log of a crashed server
    await use();
  } finally {
    lock.release();
  }
}

async function withServerHold(inUse: DirectoryInUseError, use: () => Promise<void>): Promise<void> {
  const path = inUse.holder?.socket;
  if (!path)
    throw new DataDirectoryError(`${inUse.message} It does not listen on a Unix socket, which a backup requires.`);
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    await sendCommand(socket, { holdFile: 1, $db: 'admin' });
    await use();
    await sendCommand(socket, { ping: 1, $db: 'admin' }); // confirms that the server held the file until now
  } catch (cause) {
    if (cause instanceof DataDirectoryError) throw cause;
    throw new DataDirectoryError(`The document store does not respond: ${(cause as Error).message}`, { cause });
  } finally {
    socket.destroy(); // ends the hold
  }
}

async function sendCommand(socket: Socket, command: Document): Promise<void> {
  socket.write(messageFrame(encode(command)));
  const reader = new FrameReader(new MemoryBudget());
  for (;;) {
    const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [])]);
    if (!chunk) throw new Error('it closed the connection');
    const [frame] = reader.push(chunk);
    if (!frame) continue;
    const reply = decode(messageBody(frame.bytes));
    if (Number(reply.ok) !== 1) throw new DataDirectoryError(String(reply.errmsg));
    return;
  }
}
