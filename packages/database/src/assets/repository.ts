import { type AssetFacts, type AssetsQuery, isId, type Owner, scopeKey } from '@chorus/contract';
import type { Db, Filter } from 'mongodb';
import {
  defineCollection,
  defined,
  fromStored,
  inScope,
  type MadeBy,
  madeBy,
  type RecordOf,
  requireString,
  type Stored,
  toStored,
} from '../collection.ts';
import { invalidCursor, listNewest, readAll, readIds, readOne, readPage } from '../reading.ts';
import { fromStore, orConflict } from '../store-errors.ts';

/** Properties of stored bytes. The bytes are in object storage, under names derived from the id. */
export interface AssetRecord extends RecordOf<AssetFacts> {
  /** The batch that wrote it; null for all other assets. */
  batch_id: string | null;
  /** Position in the output of its execution or batch, unique there; null for uploads. */
  output_index: number | null;
  /** How OpenAI's API lists it. Null: not at all. */
  file: OpenAiFile | null;
  /** For decoded images: 64 bits in hexadecimal. Similar images differ in few bits. */
  perceptual_hash: string | null;
  /** `stored`: next to the content; `possible`: created on demand; `none`: cannot be created. */
  thumbnail: 'stored' | 'possible' | 'none';
}

/** A file of OpenAI's API. */
export interface OpenAiFile {
  purpose: string;
  /** Null: it never expires. */
  expires_at: Date | null;
}

interface StoredAsset extends Stored<AssetRecord, 'execution_id' | 'batch_id' | 'output_index' | 'file'> {
  /** Absent for uploads. */
  execution_id?: string;
  batch_id?: string;
  output_index?: number;
  /** Execution or batch, and position. Unique, so that a repeated attempt finds the asset. */
  made_at?: string;
  file?: OpenAiFile;
  /** For a file of OpenAI's API: its scope, then its id. */
  file_key?: string;
  /** Whether only its creator sees it, for example the file of a document for a conversation. */
  private?: true;
}

export const assetCollection = defineCollection<StoredAsset>('assets', {
  erasedWith: 'maker',
  indexes: [
    { key: { scope_key: 1, _id: -1 } },
    { key: { scope_key: 1, kind: 1, _id: -1 } },
    { key: { execution_id: 1, _id: -1 }, sparse: true },
    { key: { made_at: 1 }, unique: true, sparse: true },
    { key: { file_key: 1 }, sparse: true },
    { key: { 'file.expires_at': 1 }, sparse: true },
  ],
});

const MAX_OF_EXECUTION = 10_000;

export type AssetRepository = ReturnType<typeof createAssetRepository>;

/** Assets belong to a scope: members of a workspace share them, except private ones. */
export function createAssetRepository(db: Db) {
  const assets = assetCollection.in(db);

  return {
    /** Throws `conflict` if the id, or the position in the execution's output, is taken. */
    insert: async (record: AssetRecord) => {
      const stored = storedAsset(record);
      await orConflict(assets.insertOne(stored), 'An asset with this id, or at this output position, exists.');
    },
    get: async (owner: Owner, id: string) =>
      readOne(assets.findOne({ ...inScope(owner, id), ...seenBy(owner) }), assetOf),
    /** Finds an asset of any owner, for signed URLs, which imply the owner's permission. */
    getSigned: async (id: string) => readOne(assets.findOne({ _id: requireString(id) }), assetOf),
    /** Returns the asset at a position of the output of an execution or a batch. */
    getByPosition: async (owner: Owner, makerId: string, outputIndex: number) => {
      const made_at = positionOf(requireString(makerId), outputIndex);
      return readOne(assets.findOne({ made_at, scope_key: scopeKey(owner) }), assetOf);
    },
    /** By position, then by id. */
    listByExecution: async (owner: Owner, executionId: string) => {
      const found = assets.find({ execution_id: requireString(executionId), scope_key: scopeKey(owner) });
      const position = ({ output_index }: AssetRecord) => output_index ?? Number.POSITIVE_INFINITY;
      return (await readAll(found.limit(MAX_OF_EXECUTION), assetOf)).sort(
        (one, other) => position(one) - position(other) || (one.id < other.id ? -1 : 1),
      );
    },
    /** Newest first. */
    list: async (owner: Owner, { kind, execution_id, mine, ...page }: AssetsQuery & MadeBy) =>
      listNewest(
        assets,
        'asset',
        page,
        {
          scope_key: scopeKey(owner),
          ...seenBy(owner),
          ...madeBy(owner, { mine }),
          ...defined({ kind, execution_id: execution_id && requireString(execution_id) }),
        },
        assetOf,
      ),
    /** Lists an asset as a file of OpenAI's API. Returns null if there is no such asset. */
    setFile: async (owner: Owner, id: string, file: OpenAiFile) => {
      const change = { $set: { file, file_key: fileKey(owner, id) } };
      return readOne(assets.findOneAndUpdate(inScope(owner, id), change, { returnDocument: 'after' }), assetOf);
    },
    /** Lists files of OpenAI's API that have not expired, by age. The cursor is the last one's id. */
    listFiles: async (owner: Owner, { limit, after, order, purpose }: FilesQuery) => {
      if (after !== undefined && !isId('asset', after)) throw invalidCursor();
      const [first, last] = [fileKey(owner, ''), fileKey(owner, '~')];
      const file_key =
        order === 'asc'
          ? { $gt: after === undefined ? first : fileKey(owner, after), $lt: last }
          : { $gt: first, $lt: after === undefined ? last : fileKey(owner, after) };
      const current = { 'file.expires_at': { $not: { $lte: new Date() } } };
      const filter = { file_key, ...current, ...(purpose !== undefined && { 'file.purpose': purpose }) };
      const found = assets.find(filter as Filter<StoredAsset>).sort({ file_key: order === 'asc' ? 1 : -1 });
      return readPage(found.limit(limit + 1), limit, assetOf, ({ _id }) => _id);
    },
    /** For the sweep: expired files of all owners, oldest first. */
    listExpired: async ({ before, limit }: { before: Date; limit: number }) => {
      const found = assets.find({ 'file.expires_at': { $lt: before } }).sort({ 'file.expires_at': 1 });
      return readAll(found.limit(limit), assetOf);
    },
    /** Hides an asset from the other members of its workspace. */
    makePrivate: async (owner: Owner, id: string) => {
      await fromStore(assets.updateOne(inScope(owner, id), { $set: { private: true } }));
    },
    setThumbnail: async (owner: Owner, id: string, thumbnail: AssetRecord['thumbnail']) => {
      await fromStore(assets.updateOne(inScope(owner, id), { $set: { thumbnail } }));
    },
    /** Returns false if there is no such asset. */
    remove: async (owner: Owner, id: string) =>
      (await fromStore(assets.deleteOne(inScope(owner, id)))).deletedCount > 0,
    /** Returns the file names of assets, by id. */
    filenames: async (owner: Owner, ids: readonly string[]): Promise<Map<string, string>> => {
      const named = { scope_key: scopeKey(owner), ...seenBy(owner), _id: { $in: ids.map(requireString) } };
      const found = assets.find(named).project<Pick<StoredAsset, '_id' | 'filename'>>({ filename: 1 });
      const pairs = await readAll(found, ({ _id, filename }) => [_id, filename] as const);
      return new Map(pairs.flatMap(([id, filename]) => (filename === null ? [] : [[id, filename] as const])));
    },
    /** For sweeps: returns which of these assets exist, for any owner. */
    existing: async (ids: string[]) => new Set(await readIds(assets.find({ _id: { $in: ids.map(requireString) } }))),
  };
}

export interface FilesQuery {
  limit: number;
  after?: string | undefined;
  order: 'asc' | 'desc';
  purpose?: string | undefined;
}

function seenBy(owner: Owner): Filter<StoredAsset> {
  return owner.scope === 'personal' ? {} : { $or: [{ private: { $exists: false } }, { user_id: owner.user_id }] };
}

const positionOf = (makerId: string, outputIndex: number) => `${makerId}/${outputIndex}`;

const fileKey = (owner: Owner, id: string) => `${scopeKey(owner)}/${requireString(id)}`;

function storedAsset({ execution_id, batch_id, output_index, file, ...asset }: AssetRecord): StoredAsset {
  const maker = execution_id ?? batch_id;
  return {
    ...toStored(asset),
    ...(execution_id !== null && { execution_id }),
    ...(batch_id !== null && { batch_id }),
    ...(maker !== null && output_index !== null && { output_index, made_at: positionOf(maker, output_index) }),
    ...(file !== null && { file, file_key: fileKey(asset.owner, asset.id) }),
  };
}

function assetOf(stored: StoredAsset): AssetRecord {
  const {
    made_at,
    file_key,
    execution_id = null,
    batch_id = null,
    output_index = null,
    file = null,
    private: _,
    ...asset
  } = stored;
  return { ...fromStored(asset), execution_id, batch_id, output_index, file };
}
