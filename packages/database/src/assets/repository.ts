import { type AssetFacts, type AssetsQuery, type Owner, scopeKey } from '@chorus/contract';
import type { Db } from 'mongodb';
import {
  defineCollection,
  defined,
  fromStored,
  inScope,
  type RecordOf,
  requireString,
  type Stored,
  toStored,
} from '../collection.ts';
import { listNewest, readAll, readIds, readOne } from '../reading.ts';
import { fromStore, orConflict } from '../store-errors.ts';

/** The properties of stored bytes. Object storage holds the bytes, under names derived from the id. */
export interface AssetRecord extends RecordOf<AssetFacts> {
  /** Position in its execution's output, unique there; null for uploads. */
  output_index: number | null;
  /** For decoded images: 64 bits in hexadecimal. Similar images differ in few bits. */
  perceptual_hash: string | null;
  /** `stored`: beside the content; `possible`: created on demand; `none`: cannot be created. */
  thumbnail: 'stored' | 'possible' | 'none';
}

interface StoredAsset extends Stored<AssetRecord, 'execution_id' | 'output_index'> {
  /** Absent for uploads. */
  execution_id?: string;
  output_index?: number;
  /** Execution and position: unique, so that a repeated attempt finds the asset. */
  made_at?: string;
}

export const assetCollection = defineCollection<StoredAsset>('assets', {
  erasedWith: 'maker',
  indexes: [
    { key: { scope_key: 1, _id: -1 } },
    { key: { scope_key: 1, kind: 1, _id: -1 } },
    { key: { execution_id: 1, _id: -1 }, sparse: true },
    { key: { made_at: 1 }, unique: true, sparse: true },
  ],
});

const MAX_OF_EXECUTION = 10_000;

export type AssetRepository = ReturnType<typeof createAssetRepository>;

/** Assets belong to a scope: members of a workspace share them. */
export function createAssetRepository(db: Db) {
  const assets = assetCollection.in(db);

  return {
    /** Throws `conflict` when the id, or the position in the execution's output, is taken. */
    insert: async (record: AssetRecord) => {
      const stored = storedAsset(record);
      await orConflict(assets.insertOne(stored), 'An asset with this id, or at this output position, exists.');
    },
    get: async (owner: Owner, id: string) => readOne(assets.findOne(inScope(owner, id)), assetOf),
    /** For signed URLs, which carry the owner's permission. */
    getSigned: async (id: string) => readOne(assets.findOne({ _id: requireString(id) }), assetOf),
    /** Returns the asset at a position of an execution's output. */
    getByPosition: async (owner: Owner, executionId: string, outputIndex: number) => {
      const made_at = positionOf(requireString(executionId), outputIndex);
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
    list: async (owner: Owner, { kind, execution_id, ...page }: AssetsQuery) =>
      listNewest(
        assets,
        'asset',
        page,
        { scope_key: scopeKey(owner), ...defined({ kind, execution_id: execution_id && requireString(execution_id) }) },
        assetOf,
      ),
    setThumbnail: async (owner: Owner, id: string, thumbnail: AssetRecord['thumbnail']) => {
      await fromStore(assets.updateOne(inScope(owner, id), { $set: { thumbnail } }));
    },
    /** Returns false when there is no such asset. */
    remove: async (owner: Owner, id: string) =>
      (await fromStore(assets.deleteOne(inScope(owner, id)))).deletedCount > 0,
    /** For sweeps: which of these assets of any owner exist. */
    existing: async (ids: string[]) => new Set(await readIds(assets.find({ _id: { $in: ids.map(requireString) } }))),
  };
}

const positionOf = (executionId: string, outputIndex: number) => `${executionId}/${outputIndex}`;

function storedAsset({ execution_id, output_index, ...asset }: AssetRecord): StoredAsset {
  return {
    ...toStored(asset),
    ...(execution_id === null ? {} : { execution_id }),
    ...(execution_id === null || output_index === null
      ? {}
      : { output_index, made_at: positionOf(execution_id, output_index) }),
  };
}

function assetOf({ made_at, execution_id, output_index, ...stored }: StoredAsset): AssetRecord {
  return { ...fromStored(stored), execution_id: execution_id ?? null, output_index: output_index ?? null };
}
