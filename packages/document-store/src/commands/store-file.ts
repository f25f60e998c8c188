import type { Document } from 'bson';
import { illegalOperation } from '../errors.ts';
import type { Steps } from '../storage/scheduler.ts';
import { type CommandContext, checkTime } from './command.ts';

/** Rewrites the store's file, so that nothing deleted remains on the disk. Blocks other commands. */
export function* compactFile(context: CommandContext): Steps<Document> {
  const { store } = context;
  while (store.catalog.garbage.size > 0) {
    store.collectGarbage();
    yield;
    checkTime(context);
    if (store.garbageError !== undefined) throw store.garbageError;
  }
  const compaction = store.engine.compact();
  while (!compaction.done) {
    yield;
    checkTime(context);
  }
  if (compaction.error !== undefined) throw compaction.error;
  return {};
}

/**
 * Keeps the store's file unchanged from the reply until the connection ends. Writes go to the log.
 * Another process may copy the file meanwhile. This process could not, since closing a file drops its locks.
 */
export function* holdFile(context: CommandContext): Steps<Document> {
  const { store, client } = context;
  if (!client.isLocal) throw illegalOperation('backups need the Unix socket: start the server with --socket');
  const hold = store.engine.holdFile();
  client.onClose(hold.release);
  while (!hold.ready) {
    yield;
    if (hold.error) {
      hold.release();
      throw hold.error;
    }
    checkTime(context);
  }
  return {};
}
