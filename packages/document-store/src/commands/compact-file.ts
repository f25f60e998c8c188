import type { Document } from 'bson';
import { type CommandContext, checkTime } from './command.ts';

/** `compactFile`, of this server alone: rewrites the store's file, so that nothing on the disk has what was deleted before. Others wait for it. */
export function* compactFile(context: CommandContext): Generator<undefined, Document> {
  const compaction = context.store.engine.compact();
  while (!compaction.done) {
    yield;
    checkTime(context);
  }
  if (compaction.error !== undefined) throw compaction.error;
  return {};
}
