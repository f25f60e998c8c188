import type { Document } from 'bson';
import { type CommandContext, checkTime } from './command.ts';

/**
 * `compactFile`, of this server alone: rewrites the store's file, so that nothing on the disk keeps what was deleted or dropped before. Others
 * wait for it.
 */
export function* compactFile(context: CommandContext): Generator<undefined, Document> {
  const { store } = context;
  while (store.catalog.garbage.size > 0) {
    store.emptyGarbage();
    yield;
    checkTime(context);
    if (store.emptyingError !== undefined) throw store.emptyingError;
  }
  const compaction = store.engine.compact();
  while (!compaction.done) {
    yield;
    checkTime(context);
  }
  if (compaction.error !== undefined) throw compaction.error;
  return {};
}
