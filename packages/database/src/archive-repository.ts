import { type ArchiveQuery, ChorusError, isId, type Owner, type Page, scopeKey } from '@chorus/contract';
import type { mongo } from 'mongoose';
import { archiveUnitOf, type StoredArchiveUnit, storedArchiveUnit } from './archive-model.ts';
import type { ArchiveChange, ArchiveRecord, ArchiveRepository } from './archive-records.ts';
import { invalidCursor } from './page.ts';
import { fromStore, isDuplicate } from './store-errors.ts';
import { inScope, requireText, storedOwner, storedPairs } from './stored-fields.ts';
import { takeWithin } from './take-within.ts';
import { noteRemoval, type StoredTextRemoval } from './text-removals.ts';
import { newMark } from './unindexed-mark.ts';

type Filter = mongo.Filter<StoredArchiveUnit>;

/** Units that come at once; long ones fill a batch of the store's alone. */
const BATCH = 21;

const bytesOf = ({ content }: StoredArchiveUnit) => Buffer.byteLength(content);

export function createArchiveRepository(
  collection: mongo.Collection<StoredArchiveUnit>,
  removals: mongo.Collection<StoredTextRemoval>,
): ArchiveRepository {
  /** A page in the order of ids, which begin with their time. */
  const pageOf = async (filter: Filter, order: 1 | -1, limit: number): Promise<Page<ArchiveRecord>> => {
    const found = collection
      .find(filter)
      .sort({ _id: order })
      .limit(limit + 1)
      .batchSize(Math.min(limit + 1, BATCH));
    const { taken, more } = await takeWithin(found, limit, bytesOf);
    return { data: taken.map(archiveUnitOf), has_more: more, next_cursor: more ? (taken.at(-1)?._id ?? null) : null };
  };

  return {
    insert: async (record) => {
      try {
        await fromStore(collection.insertOne(storedArchiveUnit(record)));
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        throw new ChorusError('conflict', 'A unit with this id exists.', { cause: error });
      }
    },
    get: async (owner, id) => {
      const stored = await fromStore(collection.findOne(inScope(owner, id)));
      return stored === null ? null : archiveUnitOf(stored);
    },
    matching: async (owner, ids, filters) => {
      const wanted = { ...listFilter(owner, filters), _id: { $in: ids.map(requireText) } };
      const found = collection.find(wanted).project<{ _id: string }>({ _id: 1 });
      return new Set((await fromStore(found.toArray())).map(({ _id }) => _id));
    },
    list: async (owner, { limit, after, ...filters }) =>
      pageOf({ ...listFilter(owner, filters), ...beyond('$lt', after) }, -1, limit),
    listOldest: async (owner, { limit, after, ...filters }) =>
      pageOf({ ...listFilter(owner, filters), ...beyond('$gt', after) }, 1, limit),
    revise: async (owner, id, fromRevision, change) => {
      const stored = await fromStore(
        collection.findOneAndUpdate(
          { ...inScope(owner, id), revision: fromRevision },
          { $set: { ...changedFields(change), ...newMark(storedOwner(owner)) }, $inc: { revision: 1 } },
          { returnDocument: 'after' },
        ),
      );
      return stored === null ? null : archiveUnitOf(stored);
    },
    remove: async (owner, id, expected) => {
      const filter = { ...inScope(owner, id), ...(expected === null ? {} : { revision: expected }) };
      await noteRemoval(removals, 'archive', [id]);
      return (await fromStore(collection.deleteOne(filter))).deletedCount > 0;
    },
  };
}

function listFilter(
  owner: Owner,
  { tag, source, source_id }: Pick<ArchiveQuery, 'tag' | 'source' | 'source_id'>,
): Filter {
  return {
    scope_key: scopeKey(owner),
    ...(tag === undefined ? {} : { tags: requireText(tag) }),
    ...(source === undefined ? {} : { source_type: source }),
    ...(source_id === undefined ? {} : { source_id: requireText(source_id) }),
  };
}

function beyond(operator: '$lt' | '$gt', after: string | undefined): Filter {
  if (after === undefined) return {};
  if (!isId('archive', after)) throw invalidCursor();
  return { _id: { [operator]: after } };
}

function changedFields({ title, content, tags, metadata, revised_by }: ArchiveChange): Partial<StoredArchiveUnit> {
  return {
    ...(title === undefined ? {} : { title }),
    ...(content === undefined ? {} : { content }),
    ...(tags === undefined ? {} : { tags }),
    ...(metadata === undefined ? {} : { metadata: storedPairs(metadata) }),
    revised_by,
    updated_at: new Date(),
  };
}
