import { randomUUID } from 'node:crypto';
import { type Connection, type mongo, Schema } from 'mongoose';
import { fromStore } from './store-errors.ts';
import type { TextKind } from './text-records.ts';

export interface StoredTextRemoval {
  _id: string;
  kind: TextKind;
  record_ids: string[];
  due: Date;
  seen: boolean;
}

/** Ids in one document. */
const IDS = 1_000;

export function defineTextRemovalModel(connection: Connection) {
  const schema = new Schema<StoredTextRemoval>(
    {
      _id: { type: String, required: true },
      kind: { type: String, required: true },
      record_ids: [String],
      due: { type: Date, required: true },
      seen: { type: Boolean, required: true },
    },
    { versionKey: false, collection: 'text_removals' },
  );
  schema.index({ due: 1 });
  return connection.model('TextRemoval', schema);
}

/** Ids that are in memory at once. */
const PAGE = 10_000;

/** Notes that all records of a filter are about to be deleted, however many there are. */
export async function noteRemovalOf(
  { records, removals }: { records: mongo.Collection<{ _id: string }>; removals: mongo.Collection<StoredTextRemoval> },
  kind: TextKind,
  filter: Record<string, unknown>,
  deadlineMs: number,
): Promise<void> {
  for (let after = ''; ; ) {
    const found = records
      .find({ ...filter, _id: { $gt: after } })
      .sort({ _id: 1 })
      .limit(PAGE)
      .project<{ _id: string }>({ _id: 1 });
    const ids = (await fromStore(found.toArray(), deadlineMs)).map(({ _id }) => _id);
    await noteRemoval(removals, kind, ids);
    if (ids.length < PAGE) return;
    after = ids.at(-1) as string;
  }
}

/** Notes that records are about to be deleted. To be done before that: what is noted and stays is left in the index. */
export async function noteRemoval(
  removals: mongo.Collection<StoredTextRemoval>,
  kind: TextKind,
  ids: readonly string[],
): Promise<void> {
  const due = new Date();
  const rows: StoredTextRemoval[] = [];
  for (let at = 0; at < ids.length; at += IDS)
    rows.push({ _id: randomUUID(), kind, record_ids: ids.slice(at, at + IDS), due, seen: false });
  if (rows.length > 0) await fromStore(removals.insertMany(rows));
}
