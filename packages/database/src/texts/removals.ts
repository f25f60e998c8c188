import { randomUUID } from 'node:crypto';
import type { Db } from 'mongodb';
import { type CollectionSpec, defineCollection } from '../collection.ts';
import { readIds } from '../reading.ts';
import { fromStore } from '../store-errors.ts';
import type { TextKind } from './marks.ts';

interface StoredTextRemoval {
  _id: string;
  kind: TextKind;
  record_ids: string[];
  due: Date;
  /** Whether an earlier pass has processed it. */
  seen: boolean;
}

export const textRemovalCollection = defineCollection<StoredTextRemoval>('text_removals', {
  indexes: [{ key: { due: 1 } }],
});

const IDS_PER_DOCUMENT = 1_000;
const IDS_PER_PAGE = 10_000;

/** Notifies the text index of records that are about to be deleted. Call it before the deletion. */
export async function noteRemoval(db: Db, kind: TextKind, ids: readonly string[]): Promise<void> {
  const due = new Date();
  const rows: StoredTextRemoval[] = [];
  for (let at = 0; at < ids.length; at += IDS_PER_DOCUMENT)
    rows.push({ _id: randomUUID(), kind, record_ids: ids.slice(at, at + IDS_PER_DOCUMENT), due, seen: false });
  if (rows.length > 0) await fromStore(textRemovalCollection.in(db).insertMany(rows));
}

/** Like `noteRemoval`, for all records that match a filter. */
export async function noteRemovalOf(
  db: Db,
  collection: CollectionSpec,
  kind: TextKind,
  filter: Record<string, unknown>,
  deadlineMs: number,
): Promise<void> {
  for (let after = ''; ; ) {
    const found = collection.in(db).find({ ...filter, _id: { $gt: after } });
    const ids = await readIds(found.sort({ _id: 1 }).limit(IDS_PER_PAGE), deadlineMs);
    await noteRemoval(db, kind, ids);
    if (ids.length < IDS_PER_PAGE) return;
    after = ids.at(-1) as string;
  }
}
