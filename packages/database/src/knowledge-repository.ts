import type { KnowledgeQuery, Owner } from '@chorus/contract';
import type { mongo } from 'mongoose';
import { knowledgeOf, type StoredKnowledge, storedKnowledge } from './knowledge-model.ts';
import type { KnowledgeCounts, KnowledgeRepository, KnownOfDocument } from './knowledge-records.ts';
import { listNewest } from './list-newest.ts';
import { fromStore, isDuplicate } from './store-errors.ts';
import { inScope, ownerOf, requireText, storedOwner, storedPairs } from './stored-fields.ts';
import { wordsOf } from './words-of.ts';

type Filter = mongo.Filter<StoredKnowledge>;
type Update = mongo.UpdateFilter<StoredKnowledge>;

/** Changing or looking through all there are takes its time. */
const ALL_ENTRIES_MS = 60_000;

const SHOWN: Filter = { status: { $ne: 'deleting' } };

export function createKnowledgeRepository(collection: mongo.Collection<StoredKnowledge>): KnowledgeRepository {
  const update = async (filter: Filter, change: Update) =>
    knowledgeOf(await fromStore(collection.findOneAndUpdate(filter, change, { returnDocument: 'after' })));
  const shown = (owner: Owner, id: string): Filter => ({ ...inScope(owner, id), ...SHOWN });
  const held = (owner: Owner, id: string, executionId: string): Filter => ({
    ...inScope(owner, id),
    status: 'processing',
    execution_id: requireText(executionId),
  });

  return {
    insert: async (record, claimsContent) => {
      const stored = storedKnowledge(record);
      if (claimsContent && record.sha256 !== null) stored.claimed_content = `${stored.scope_key}/${record.sha256}`;
      try {
        await fromStore(collection.insertOne(stored));
        return true;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        return false;
      }
    },
    get: async (owner, id) => knowledgeOf(await fromStore(collection.findOne(shown(owner, id)))),
    getMany: async (owner, ids) => {
      const those: Filter = { _id: { $in: ids.map(requireText) }, scope_key: storedOwner(owner).scope_key, ...SHOWN };
      return (await fromStore(collection.find(those).toArray())).map((stored) => knowledgeOf(stored));
    },
    findContent: async (owner, sha256) => {
      const same: Filter = { scope_key: storedOwner(owner).scope_key, sha256: requireText(sha256), ...SHOWN };
      return knowledgeOf(await fromStore(collection.findOne(same, { sort: { _id: -1 } })));
    },
    list: (owner, { status, ...query }) => {
      const filter: Filter = { ...listFilter(owner, query), ...(status === undefined ? {} : { status }) };
      return listNewest(collection, 'knowledge', query, filter, (stored) => knowledgeOf(stored));
    },
    counts: async (owner, query) => {
      const grouped = collection.aggregate<{ _id: string; count: number }>([
        { $match: listFilter(owner, query) },
        { $group: { _id: '$status', count: { $sum: 1 } } },
      ]);
      const counts: KnowledgeCounts = { total: 0, processing: 0, ready: 0, failed: 0 };
      for (const { _id, count } of await fromStore(grouped.toArray())) {
        counts[_id as keyof KnowledgeCounts] = count;
        counts.total += count;
      }
      return counts;
    },
    patch: (owner, id, { title, tags, metadata }) =>
      update(shown(owner, id), {
        $set: {
          ...(title === undefined ? {} : { title, title_given: true }),
          ...(tags === undefined ? {} : { tags }),
          ...(metadata === undefined ? {} : { metadata: storedPairs(metadata) }),
          updated_at: new Date(),
        },
        $inc: { facts_revision: title === undefined && tags === undefined ? 0 : 1 },
      }),
    revise: (owner, id, from, { former_asset_ids, ...revision }) => {
      const now = new Date();
      return update(
        { ...shown(owner, id), revision: from },
        {
          $set: {
            ...revision,
            revision: from + 1,
            page_count: null,
            ...beginning(id, now),
          },
          $push: { former_asset_ids: { $each: former_asset_ids } },
          $unset: { claimed_content: '' },
        },
      );
    },
    begin: (owner, id, executionId) =>
      update(
        { ...inScope(owner, id), status: 'failed' },
        { $set: { execution_id: executionId, ...beginning(id, new Date()) } },
      ),
    abandon: async (owner, id, executionId) => {
      await fromStore(
        collection.deleteOne({ ...held(owner, id, executionId), revision: 1, searchable_revision: null }),
      );
    },
    noteProgress: async (owner, id, executionId, { stage, ...known }) => {
      const change = { $set: { stage, ...foundFields(known), updated_at: new Date() } };
      const noted = await fromStore(collection.updateOne(held(owner, id, executionId), change));
      if (noted.matchedCount === 0) return false;
      if (known.title !== undefined) {
        const untitled: Filter = { ...held(owner, id, executionId), title_given: false, title: { $ne: known.title } };
        await fromStore(collection.updateOne(untitled, { $set: { title: known.title }, $inc: { facts_revision: 1 } }));
      }
      return true;
    },
    publish: (owner, id, { execution_id, revision, ...published }) =>
      update(
        { ...inScope(owner, id), status: { $in: ['processing', 'ready'] }, execution_id, revision },
        {
          $set: {
            ...published,
            searchable_revision: revision,
            status: 'ready',
            stage: null,
            error: null,
            former_asset_ids: [],
            updated_at: new Date(),
          },
          $unset: { processing: '', processing_since: '' },
        },
      ),
    publishEarlier: async (owner, id, { execution_id: _execution, revision, ...published }) => {
      const older: Filter = { $or: [{ searchable_revision: null }, { searchable_revision: { $lt: revision } }] };
      const change = { $set: { ...published, searchable_revision: revision } };
      const filter: Filter = { ...shown(owner, id), revision: { $gt: revision }, ...older };
      return (await fromStore(collection.updateOne(filter, change))).modifiedCount > 0;
    },
    fail: async (owner, id, executionId, error) => {
      const filter: Filter =
        executionId === null ? { ...inScope(owner, id), status: 'processing' } : held(owner, id, executionId);
      const change: Update = {
        $set: { status: 'failed', error, updated_at: new Date() },
        $unset: { processing: '', processing_since: '' },
      };
      return (await fromStore(collection.updateOne(filter, change))).modifiedCount > 0;
    },
    listProcessing: async ({ since, limit, after }) => {
      const found = collection
        .find({ processing: { $gt: after ?? '' }, processing_since: { $lt: since } })
        .sort({ processing: 1 })
        .limit(limit)
        .project<Pick<StoredKnowledge, '_id' | 'scope_key' | 'user_id' | 'execution_id'> & { processing_since: Date }>({
          scope_key: 1,
          user_id: 1,
          execution_id: 1,
          processing_since: 1,
        });
      return (await fromStore(found.toArray())).map(({ _id, scope_key, user_id, ...rest }) => ({
        id: _id,
        owner: ownerOf({ scope_key, user_id }),
        ...rest,
      }));
    },
    addSpace: async (owner, id, revision, space) => {
      const filter: Filter = { ...shown(owner, id), searchable_revision: revision };
      return (await fromStore(collection.updateOne(filter, { $addToSet: { spaces: space } }))).matchedCount > 0;
    },
    dropSpace: async (space) => {
      await fromStore(collection.updateMany({ spaces: space }, { $pull: { spaces: space } }), ALL_ENTRIES_MS);
    },
    noteModel: async (space, model) => {
      const change = { $set: { embedding_model: model } };
      await fromStore(collection.updateMany({ spaces: space }, change), ALL_ENTRIES_MS);
    },
    listOutside: async (space, { limit, after }) => {
      const outside: Filter = { searchable_revision: { $gte: 1 }, spaces: { $ne: requireText(space) }, ...SHOWN };
      const found = collection
        .find({ _id: { $gt: after ?? '' }, ...outside })
        .sort({ _id: 1 })
        .limit(limit);
      return (await fromStore(found.toArray(), ALL_ENTRIES_MS)).map((stored) => knowledgeOf(stored));
    },
    hide: (owner, id) =>
      update(shown(owner, id), {
        $set: { status: 'deleting', hidden: id, sha256: null },
        $unset: { claimed_content: '', processing: '', processing_since: '' },
      }),
    listHidden: async ({ limit, after }) => {
      const found = collection
        .find({ hidden: { $gt: after ?? '' } })
        .sort({ hidden: 1 })
        .limit(limit);
      return (await fromStore(found.toArray())).map((stored) => knowledgeOf(stored));
    },
    remove: async (owner, id) => {
      await fromStore(collection.deleteOne(inScope(owner, id)));
    },
    existing: async (ids) => {
      const found = collection.find({ _id: { $in: ids.map(requireText) } }).project<{ _id: string }>({ _id: 1 });
      return new Set((await fromStore(found.toArray())).map(({ _id }) => _id));
    },
  };
}

/** What is told anew when a revision is processed, first or again. */
const beginning = (id: string, now: Date) => ({
  status: 'processing' as const,
  stage: null,
  error: null,
  warnings: [],
  processing: id,
  processing_since: now,
  updated_at: now,
});

function listFilter(owner: Owner, { tag, source, q }: Pick<KnowledgeQuery, 'tag' | 'source' | 'q'>): Filter {
  const words: Filter[] = wordsOf(q).map((word) => ({ title: { $regex: word, $options: 'i' } }));
  return {
    scope_key: storedOwner(owner).scope_key,
    ...SHOWN,
    ...(tag === undefined ? {} : { tags: tag }),
    ...(source === undefined ? {} : { 'source.type': source }),
    ...(words.length === 0 ? {} : { $and: words }),
  };
}

function foundFields({ size_bytes, sha256, page_count, mime_type, warnings }: KnownOfDocument) {
  return {
    ...(size_bytes === undefined ? {} : { size_bytes }),
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(page_count === undefined ? {} : { page_count }),
    ...(mime_type === undefined ? {} : { 'source.mime_type': mime_type }),
    ...(warnings === undefined ? {} : { warnings }),
  };
}
