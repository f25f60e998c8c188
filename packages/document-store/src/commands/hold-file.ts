import type { Document } from 'bson';
import { illegalOperation } from '../errors.ts';
import { type CommandContext, checkTime } from './command.ts';

/**
 * `holdFile`, of this server alone: from its answer until its connection ends the store's file is a whole snapshot, and still. Writes go on,
 * into the log. Another process may copy the file meanwhile (this one could not: closing a file lets go of its locks).
 */
export function* holdFile(context: CommandContext): Generator<undefined, Document> {
  const { store, client } = context;
  if (!client.isLocal)
    throw illegalOperation('backups are for clients of the Unix socket: start the server with --socket');
  const hold = store.engine.holdFile();
  client.onceClosed(hold.release);
  while (!hold.still) {
    yield;
    if (hold.error) {
      hold.release();
      throw hold.error;
    }
    checkTime(context);
  }
  return {};
}
