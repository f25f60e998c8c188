import {
  type ArchiveExportQuery,
  type ArchiveQuery,
  isId,
  type ListQuery,
  type Owner,
  type Page,
  scopeKey,
} from '@chorus/contract';
import type { Db, Filter, FindCursor } from 'mongodb';
import { defined, inScope, type MadeBy, madeBy, requireString, storedOwner, storedPairs } from '../collection.ts';
import { invalidCursor, numberCursor, pageOf, readIds, readOne, takeWithin } from '../reading.ts';
import { fromStore, orConflict, upsert } from '../store-errors.ts';
import { newMark } from '../texts/marks.ts';
import { noteRemoval } from '../texts/removals.ts';
import {
  type ArchiveRecord,
  type ArchiveRevisionRecord,
  archiveCollection,
  archiveRevisionCollection,
  archiveRevisionOf,
  archiveUnitOf,
  type StoredArchiveUnit,
  storedArchiveUnit,
} from './schema.ts';

type ArchiveFilters = Pick<ArchiveQuery, 'tag' | 'source' | 'source_id'>;

type ArchiveChange = Partial<Pick<ArchiveRecord, 'title' | 'content' | 'tags' | 'metadata'>> &
  Pick<ArchiveRecord, 'revised_by'>;

/** Number of documents that the store sends at once. */
const BATCH_SIZE = 21;

/**
 * Units belong to a scope: members of a workspace share them.
 * Pages are limited to `PAGE_BYTES`, but contain at least one unit.
 */
export function createArchiveRepository(db: Db) {
  const units = archiveCollection.in(db);
  const listById = (filter: Filter<StoredArchiveUnit>, order: 1 | -1, limit: number) =>
    readLongPage(units.find(filter).sort({ _id: order }), limit, archiveUnitOf, (last) => last._id);

  return {
    /** Throws `conflict` if the id exists. */
    insert: async (record: ArchiveRecord) => {
      await orConflict(units.insertOne(storedArchiveUnit(record)), 'A unit with this id exists.');
    },
    get: async (owner: Owner, id: string) => readOne(units.findOne(inScope(owner, id)), archiveUnitOf),
    /** Returns which of these units exist and match the filters. */
    matching: async (owner: Owner, ids: string[], filters: ArchiveFilters) =>
      new Set(await readIds(units.find({ ...listFilter(owner, filters), _id: { $in: ids.map(requireString) } }))),
    /** Newest first. */
    list: async (owner: Owner, { limit, after, mine, ...filters }: Omit<ArchiveQuery, 'q'> & MadeBy) =>
      listById({ ...listFilter(owner, filters), ...madeBy(owner, { mine }), ...beyond('$lt', after) }, -1, limit),
    /** Oldest first. */
    listOldest: async (owner: Owner, { limit, after, ...filters }: ArchiveExportQuery & { limit: number }) =>
      listById({ ...listFilter(owner, filters), ...beyond('$gt', after) }, 1, limit),
    /** Changes a unit if it still has the revision `fromRevision`. Returns null otherwise. */
    revise: async (owner: Owner, id: string, fromRevision: number, change: ArchiveChange) => {
      const { title, content, tags, metadata, revised_by } = change;
      const fields = {
        ...defined({ title, content, tags, metadata: metadata && storedPairs(metadata) }),
        revised_by,
        updated_at: new Date(),
      };
      const revised = units.findOneAndUpdate(
        { ...inScope(owner, id), revision: fromRevision },
        { $set: { ...fields, ...newMark(storedOwner(owner)) }, $inc: { revision: 1 } },
        { returnDocument: 'after' },
      );
      return readOne(revised, archiveUnitOf);
    },
    /** Deletes a unit with the revision `expected` (null: any). Returns false if there is none. */
    remove: async (owner: Owner, id: string, expected: number | null) => {
      const filter = { ...inScope(owner, id), ...(expected === null ? {} : { revision: expected }) };
      await noteRemoval(db, 'archive', [id]);
      return (await fromStore(units.deleteOne(filter))).deletedCount > 0;
    },
  };
}

/** Former revisions of units. A unit that was never changed has none. */
export function createArchiveRevisionRepository(db: Db) {
  const revisions = archiveRevisionCollection.in(db);
  const ofUnit = (owner: Owner, unitId: string) => ({ unit_id: requireString(unitId), scope_key: scopeKey(owner) });

  return {
    /** Stores the current revision of a unit before a change. Can be repeated. */
    keep: async ({ id, owner, metadata, revised_by, updated_at, ...unit }: ArchiveRecord) => {
      const { revision, title, content, tags } = unit;
      const row = {
        ...storedOwner(owner),
        unit_id: id,
        revision,
        title,
        content,
        tags,
        metadata: storedPairs(metadata),
        author_id: revised_by,
        created_at: updated_at,
      };
      const _id = `${requireString(id)}:${revision}`;
      await upsert(() => revisions.updateOne({ _id }, { $setOnInsert: row }, { upsert: true }));
    },
    /** Oldest first. */
    list: async (owner: Owner, unitId: string, { limit, after }: ListQuery): Promise<Page<ArchiveRevisionRecord>> => {
      const from = after === undefined ? {} : { revision: { $gt: numberCursor(after) } };
      const found = revisions.find({ ...ofUnit(owner, unitId), ...from }).sort({ revision: 1 });
      return readLongPage(found, limit, archiveRevisionOf, (last) => String(last.revision));
    },
    removeByUnit: async (owner: Owner, unitId: string) => {
      await fromStore(revisions.deleteMany(ofUnit(owner, unitId)));
    },
  };
}

async function readLongPage<Stored extends { content: string }, T>(
  found: FindCursor<Stored>,
  limit: number,
  toRecord: (stored: Stored) => T,
  toCursor: (last: Stored) => string,
): Promise<Page<T>> {
  const rows = found.limit(limit + 1).batchSize(Math.min(limit + 1, BATCH_SIZE));
  const { taken, more } = await takeWithin(rows, limit, ({ content }) => Buffer.byteLength(content));
  return pageOf(taken, more, toRecord, toCursor);
}

function listFilter(owner: Owner, { tag, source, source_id }: ArchiveFilters): Filter<StoredArchiveUnit> {
  return {
    scope_key: scopeKey(owner),
    ...defined({
      tags: tag && requireString(tag),
      source_type: source,
      source_id: source_id && requireString(source_id),
    }),
  };
}

function beyond(operator: '$lt' | '$gt', after: string | undefined): Filter<StoredArchiveUnit> {
  if (after === undefined) return {};
  if (!isId('archive', after)) throw invalidCursor();
  return { _id: { [operator]: after } };
}
