import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Document } from 'bson';
import { MemoryBudget } from './memory.ts';
import { DataDirectoryError } from './storage/data-directory-error.ts';
import { DirectoryInUseError, DirectoryLock } from './storage/directory-lock.ts';
import { Engine } from './storage/engine.ts';
import { encode } from './values/codec.ts';
import { decode } from './values/decode.ts';
import { FrameReader, messageBody, messageFrame } from './wire.ts';

/**
 * Calls `use` while a store's file is a whole snapshot that nobody changes, whether a server runs on it (then writes go on meanwhile) or not.
 * `file` is the store's; it is another process that holds it, for whom opening and closing it here is without effect.
 */
export async function withHeldFile(directory: string, file: string, use: () => Promise<void>): Promise<void> {
  let lock: DirectoryLock;
  try {
    lock = new DirectoryLock(directory);
  } catch (error) {
    if (!(error instanceof DirectoryInUseError)) throw error;
    return withServerHolding(error, use);
  }
  try {
    new Engine(file).close(); // folds in the log that a killed server has left
    await use();
  } finally {
    lock.release();
  }
}

async function withServerHolding(inUse: DirectoryInUseError, use: () => Promise<void>): Promise<void> {
  const path = inUse.holder?.socket;
  if (!path) throw new DataDirectoryError(`${inUse.message} It listens on no Unix socket, which a backup needs.`);
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    await ask(socket, { holdFile: 1, $db: 'admin' });
    await use();
    await ask(socket, { ping: 1, $db: 'admin' }); // it is there still, so nothing has moved
  } catch (cause) {
    if (cause instanceof DataDirectoryError) throw cause;
    throw new DataDirectoryError(`the document store does not answer: ${(cause as Error).message}`, { cause });
  } finally {
    socket.destroy(); // which ends the hold
  }
}

async function ask(socket: Socket, command: Document): Promise<void> {
  socket.write(messageFrame(encode(command)));
  const reader = new FrameReader(new MemoryBudget());
  for (;;) {
    const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [])]);
    if (!chunk) throw new Error('it has closed the connection');
    const [frame] = reader.push(chunk);
    if (!frame) continue;
    const answer = decode(messageBody(frame.bytes));
    if (Number(answer.ok) !== 1) throw new DataDirectoryError(String(answer.errmsg));
    return;
  }
}
