import {
  type ErrorBody,
  type IngestionStage,
  type KnowledgeQuery,
  type KnowledgeStatus,
  MAX_SESSION_DOCUMENTS,
  type Owner,
} from '@chorus/contract';
import type { Db, Filter, UpdateFilter } from 'mongodb';
import {
  allInScope,
  defined,
  fromStored,
  inScope,
  type MadeBy,
  madeBy,
  requireString,
  storedOwner,
  storedPairs,
} from '../collection.ts';
import { listNewest, readAll, readIds, readOne, titleConditions } from '../reading.ts';
import { fromStore, unlessDuplicate } from '../store-errors.ts';
import {
  type KnowledgeRecord,
  knowledgeCollection,
  knowledgeOf,
  type StoredKnowledge,
  storedKnowledge,
} from './schema.ts';

type EntryFilter = Filter<StoredKnowledge>;
type EntryUpdate = UpdateFilter<StoredKnowledge>;

type NewRevision = Pick<KnowledgeRecord, 'source' | 'text_name' | 'size_bytes' | 'sha256' | 'former_asset_ids'> & {
  execution_id: string;
};

/** Properties of a document that were found while processing it. */
export interface IngestionFindings {
  title?: string;
  size_bytes?: number;
  sha256?: string;
  page_count?: number | null;
  mime_type?: string;
  warnings?: string[];
}

/** A searchable revision, in all these vector spaces. */
export interface Publication extends Pick<KnowledgeRecord, 'revision' | 'chunk_count' | 'embedding_model' | 'spaces'> {
  execution_id: string;
  found?: Pick<KnowledgeRecord, 'page_count' | 'warnings'>;
}

/** An ingestion in progress. */
export interface Processing extends Pick<KnowledgeRecord, 'id' | 'owner' | 'execution_id'> {
  processing_since: Date;
}

interface PageById {
  limit: number;
  after?: string | undefined;
}

const ALL_ENTRIES_MS = 60_000;

const SHOWN: EntryFilter = { status: { $ne: 'deleting' } };
const PROCESSING = { scope_key: 1, user_id: 1, execution_id: 1, processing_since: 1 } as const;

/**
 * Entries belong to a scope: members of a workspace share them, except those for other members' conversations.
 * Entries that are being deleted are invisible.
 */
export function createKnowledgeRepository(db: Db) {
  const entries = knowledgeCollection.in(db);
  const update = (filter: EntryFilter, change: EntryUpdate) =>
    readOne(entries.findOneAndUpdate(filter, change, { returnDocument: 'after' }), knowledgeOf);
  const shown = (owner: Owner, id: string): EntryFilter => ({ ...inScope(owner, id), ...SHOWN, ...seenBy(owner) });
  const held = (owner: Owner, id: string, executionId: string): EntryFilter => ({
    ...inScope(owner, id),
    status: 'processing',
    execution_id: requireString(executionId),
  });

  return {
    /**
     * Returns false if the id exists, or another entry of the user in this scope claims this content.
     *
     * @param claimsContent Whether no other claiming entry may have the same content.
     */
    insert: async (record: KnowledgeRecord, claimsContent: boolean) => {
      const stored = storedKnowledge(record);
      if (claimsContent && record.sha256 !== null)
        stored.claimed_content = `${stored.scope_key}/${stored.user_id}/${record.sha256}`;
      return unlessDuplicate(entries.insertOne(stored));
    },
    get: async (owner: Owner, id: string) => readOne(entries.findOne(shown(owner, id)), knowledgeOf),
    /** Returns the titles of existing entries, by id. */
    titles: async (owner: Owner, ids: readonly string[]): Promise<Map<string, string>> => {
      const found = entries
        .find({ ...allInScope(owner, ids), ...SHOWN, ...seenBy(owner) })
        .project<Pick<StoredKnowledge, '_id' | 'title'>>({ title: 1 });
      return new Map(await readAll(found, ({ _id, title }) => [_id, title] as const));
    },
    /** Returns the user's newest shared entry with this content. Only admins may change those of other members. */
    findContent: async (owner: Owner, sha256: string) => {
      const { scope_key, user_id } = storedOwner(owner);
      const content: EntryFilter = { scope_key, user_id, sha256: requireString(sha256) };
      const same: EntryFilter = { ...content, session_ids: null, ...SHOWN } as EntryFilter;
      return readOne(entries.findOne(same, { sort: { _id: -1 } }), knowledgeOf);
    },
    /** Newest first. */
    list: async (owner: Owner, { status, mine, ...query }: KnowledgeQuery & MadeBy) => {
      const filter = { ...listFilter(owner, query), ...madeBy(owner, { mine }), ...defined({ status }) };
      return listNewest(entries, 'knowledge', query, filter, knowledgeOf);
    },
    /** Counts the entries that match the query, by status. */
    counts: async (owner: Owner, query: Pick<KnowledgeQuery, 'tag' | 'source' | 'q' | 'session_id'>) => {
      const grouped = entries.aggregate<{ _id: KnowledgeStatus; count: number }>([
        { $match: listFilter(owner, query) },
        { $group: { _id: '$status', count: { $sum: 1 } } },
      ]);
      const counts = { total: 0, processing: 0, ready: 0, failed: 0 };
      for (const { _id, count } of await fromStore(grouped.toArray())) {
        counts[_id] = count;
        counts.total += count;
      }
      return counts;
    },
    patch: async (
      owner: Owner,
      id: string,
      patch: { title?: string | undefined; tags?: string[] | undefined; metadata?: Record<string, string> | undefined },
    ) => {
      const { title, tags, metadata } = patch;
      return update(shown(owner, id), {
        $set: {
          ...(title === undefined ? {} : { title, title_given: true }),
          ...defined({ tags, metadata: metadata && storedPairs(metadata) }),
          updated_at: new Date(),
        },
        $inc: { facts_revision: title === undefined && tags === undefined ? 0 : 1 },
      });
    },
    /** Replaces the content of revision `from` and starts processing. Returns null if it has another revision. */
    revise: async (owner: Owner, id: string, from: number, { former_asset_ids, ...revision }: NewRevision) =>
      update(
        { ...shown(owner, id), revision: from },
        {
          $set: { ...revision, revision: from + 1, page_count: null, ...processing(id) },
          $push: { former_asset_ids: { $each: former_asset_ids } },
          $unset: { claimed_content: '' },
        },
      ),
    /** Processes a failed revision again. Returns null if it has not failed. */
    begin: async (owner: Owner, id: string, executionId: string) =>
      update({ ...inScope(owner, id), status: 'failed' }, { $set: { execution_id: executionId, ...processing(id) } }),
    /** Undoes `insert` when its execution could not start. */
    abandon: async (owner: Owner, id: string, executionId: string) => {
      const unused = { ...held(owner, id, executionId), revision: 1, searchable_revision: null };
      await fromStore(entries.deleteOne(unused));
    },

    /** For the ingestion: stores its stage and findings. Returns false if it has lost the entry. */
    saveProgress: async (
      owner: Owner,
      id: string,
      executionId: string,
      { stage, title, ...found }: { stage: IngestionStage } & IngestionFindings,
    ) => {
      const { size_bytes, sha256, page_count, warnings, mime_type } = found;
      const fields = defined({ size_bytes, sha256, page_count, warnings, 'source.mime_type': mime_type });
      const change = { $set: { stage, ...fields, updated_at: new Date() } } as EntryUpdate;
      const noted = await fromStore(entries.updateOne(held(owner, id, executionId), change));
      if (noted.matchedCount === 0) return false;
      if (title !== undefined) {
        const untitled: EntryFilter = { ...held(owner, id, executionId), title_given: false, title: { $ne: title } };
        await fromStore(entries.updateOne(untitled, { $set: { title }, $inc: { facts_revision: 1 } }));
      }
      return true;
    },
    /** For the ingestion: sets a processing entry to ready. Returns null if it has lost the entry. */
    publish: async (owner: Owner, id: string, { execution_id, revision, found, ...published }: Publication) =>
      update(
        { ...inScope(owner, id), status: { $in: ['processing', 'ready'] }, execution_id, revision },
        {
          $set: {
            ...published,
            ...found,
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
    /**
     * For an ingestion that lost the entry to newer content: publishes its revision if a lower one is searchable.
     * Returns false otherwise.
     */
    publishEarlier: async (
      owner: Owner,
      id: string,
      { execution_id: _, found: __, revision, ...published }: Publication,
    ) => {
      const older: EntryFilter = { $or: [{ searchable_revision: null }, { searchable_revision: { $lt: revision } }] };
      const filter: EntryFilter = { ...shown(owner, id), revision: { $gt: revision }, ...older };
      const change = { $set: { ...published, searchable_revision: revision } };
      return (await fromStore(entries.updateOne(filter, change))).modifiedCount > 0;
    },
    /** Sets a processing entry to failed. A null execution matches any. Can be repeated. */
    fail: async (owner: Owner, id: string, executionId: string | null, error: ErrorBody) => {
      const filter: EntryFilter =
        executionId === null ? { ...inScope(owner, id), status: 'processing' } : held(owner, id, executionId);
      const change: EntryUpdate = {
        $set: { status: 'failed', error, updated_at: new Date() },
        $unset: { processing: '', processing_since: '' },
      };
      return (await fromStore(entries.updateOne(filter, change))).modifiedCount > 0;
    },
    /** For sweeps: ingestions of all owners that started before `since`, by id. */
    listProcessing: async ({ since, limit, after }: PageById & { since: Date }): Promise<Processing[]> => {
      const found = entries
        .find({ processing: { $gt: after ?? '' }, processing_since: { $lt: since } })
        .sort({ processing: 1 })
        .limit(limit)
        .project<Pick<StoredKnowledge, '_id' | keyof typeof PROCESSING> & { processing_since: Date }>(PROCESSING);
      return readAll(found, fromStored);
    },

    /** Adds a vector space that contains the searchable revision. Returns false if another one is searchable. */
    addSpace: async (owner: Owner, id: string, revision: number, space: string) => {
      const filter: EntryFilter = { ...shown(owner, id), searchable_revision: revision };
      return (await fromStore(entries.updateOne(filter, { $addToSet: { spaces: space } }))).matchedCount > 0;
    },
    /** Removes a vector space from all entries. */
    dropSpace: async (space: string) => {
      await fromStore(entries.updateMany({ spaces: space }, { $pull: { spaces: space } }), ALL_ENTRIES_MS);
    },
    /** Sets the embedding model of all entries in a vector space. */
    setModel: async (space: string, model: string) => {
      const change = { $set: { embedding_model: model } };
      await fromStore(entries.updateMany({ spaces: space }, change), ALL_ENTRIES_MS);
    },
    /** Lists searchable entries of all owners that are not in a vector space, by id. */
    listOutside: async (space: string, { limit, after }: PageById) => {
      const outside: EntryFilter = {
        searchable_revision: { $gte: 1 },
        spaces: { $ne: requireString(space) },
        ...SHOWN,
      };
      const found = entries.find({ _id: { $gt: after ?? '' }, ...outside });
      return readAll(found.sort({ _id: 1 }).limit(limit), knowledgeOf, ALL_ENTRIES_MS);
    },

    /** Returns the documents of a conversation, oldest first. */
    listOfSession: async (owner: Owner, sessionId: string) => {
      const found = entries.find(ofSession(owner, sessionId)).sort({ _id: 1 });
      return readAll(found.limit(MAX_SESSION_DOCUMENTS), knowledgeOf);
    },
    /** Adds documents to a conversation. Returns how many of them exist. */
    attach: async (owner: Owner, ids: readonly string[], sessionId: string) => {
      if (ids.length === 0) return 0;
      const change: EntryUpdate = {
        $addToSet: { session_ids: requireString(sessionId) },
        $unset: { unused_since: '' },
      };
      return (await fromStore(entries.updateMany(attachable(owner, ids), change))).matchedCount;
    },
    /** Removes documents from a conversation. Without `ids`, all. */
    detach: async (owner: Owner, sessionId: string, ids?: readonly string[]) => {
      const which = ids === undefined ? {} : { _id: { $in: ids.map(requireString) } };
      const filter = { ...ofSession(owner, sessionId), ...which } as EntryFilter;
      await fromStore(entries.updateMany(filter, { $pull: { session_ids: sessionId } }));
      const unused = { ...storedOwner(owner), session_ids: { $size: 0 }, unused_since: { $exists: false } };
      await fromStore(
        entries.updateMany({ ...unused, ...which } as EntryFilter, { $set: { unused_since: new Date() } }),
      );
    },
    /** For sweeps: documents of all owners that no conversation has used since `before`. */
    listUnused: async ({ before, limit }: { before: Date; limit: number }) => {
      const found = entries.find({ unused_since: { $lt: before }, ...SHOWN }).sort({ unused_since: 1 });
      return readAll(found.limit(limit), knowledgeOf);
    },
    /** Hides a document that no conversation uses. Returns null if one does, or it is being deleted. */
    hideUnused: async (owner: Owner, id: string) =>
      update({ ...shown(owner, id), unused_since: { $exists: true } }, hiding(id)),

    /** Hides an entry for its deletion. Returns its last state. */
    hide: async (owner: Owner, id: string) => update(shown(owner, id), hiding(id)),
    /** For sweeps: hidden entries of all owners, by id. */
    listHidden: async ({ limit, after }: PageById) => {
      const found = entries.find({ hidden: { $gt: after ?? '' } });
      return readAll(found.sort({ hidden: 1 }).limit(limit), knowledgeOf);
    },
    remove: async (owner: Owner, id: string) => {
      await fromStore(entries.deleteOne(inScope(owner, id)));
    },
    /** For sweeps: returns which of these entries of any owner exist, hidden or not. */
    existing: async (ids: readonly string[]) =>
      new Set(await readIds(entries.find({ _id: { $in: ids.map(requireString) } }))),
  };
}

/** The fields of an entry when its processing starts. */
function processing(id: string) {
  const now = new Date();
  return {
    status: 'processing' as const,
    stage: null,
    error: null,
    warnings: [],
    processing: id,
    processing_since: now,
    updated_at: now,
  };
}

function hiding(id: string): EntryUpdate {
  return {
    $set: { status: 'deleting', hidden: id, sha256: null },
    $unset: { claimed_content: '', processing: '', processing_since: '', unused_since: '' },
  };
}

function ofSession(owner: Owner, sessionId: string): EntryFilter {
  return { session_ids: requireString(sessionId), ...storedOwner(owner), ...SHOWN } as EntryFilter;
}

/** Matches documents for the user's conversations. */
function attachable(owner: Owner, ids: readonly string[]): EntryFilter {
  const made = { _id: { $in: ids.map(requireString) }, ...storedOwner(owner), ...SHOWN };
  return { ...made, session_ids: { $exists: true } } as EntryFilter;
}

/** Matches shared entries, and documents for the user's conversations. */
function seenBy(owner: Owner): EntryFilter {
  if (owner.scope === 'personal') return {};
  return { $or: [{ session_ids: null }, { user_id: owner.user_id }] } as unknown as EntryFilter;
}

function listFilter(
  owner: Owner,
  { tag, source, q, session_id }: Pick<KnowledgeQuery, 'tag' | 'source' | 'q' | 'session_id'>,
): EntryFilter {
  const words: EntryFilter[] = titleConditions(q);
  const place =
    session_id === undefined
      ? { scope_key: storedOwner(owner).scope_key, session_ids: null }
      : ofSession(owner, session_id);
  return {
    ...(place as EntryFilter),
    ...SHOWN,
    ...defined({ tags: tag, 'source.type': source }),
    ...(words.length === 0 ? {} : { $and: words }),
  };
}
