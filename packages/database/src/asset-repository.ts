import { ChorusError, type Owner, scopeKey } from '@chorus/contract';
import { type Connection, type mongo, Schema } from 'mongoose';
import type { AssetRecord, AssetRepository } from './asset-records.ts';
import { listNewest } from './list-newest.ts';
import { fromStore, isDuplicate } from './store-errors.ts';
import { inScope, ownerOf, requireText, type StoredOwner, storedOwner } from './stored-fields.ts';

export interface StoredAsset extends StoredOwner, Omit<AssetRecord, 'id' | 'owner' | 'execution_id' | 'output_index'> {
  _id: string;
  /** Absent for uploads. */
  execution_id?: string;
  output_index?: number;
  /** Execution and place again, where it has one: the unique index that lets an attempt that comes again find what is there. */
  made_at?: string;
}

/** An execution makes some hundreds of assets at most; a page of them is never unbounded. */
const MAX_OF_EXECUTION = 10_000;

export function defineAssetModel(connection: Connection) {
  const schema = new Schema<StoredAsset>(
    {
      _id: { type: String, required: true },
      scope_key: { type: String, required: true },
      user_id: { type: String, required: true },
      kind: { type: String, required: true },
      mime_type: { type: String, required: true },
      size_bytes: { type: Number, required: true },
      sha256: { type: String, required: true },
      filename: String,
      width: Number,
      height: Number,
      duration_ms: Number,
      execution_id: String,
      output_index: Number,
      made_at: String,
      perceptual_hash: String,
      thumbnail: { type: String, required: true },
      created_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'assets' },
  );
  schema.index({ scope_key: 1, _id: -1 });
  schema.index({ scope_key: 1, kind: 1, _id: -1 });
  schema.index({ execution_id: 1, _id: -1 }, { sparse: true });
  schema.index({ made_at: 1 }, { unique: true, sparse: true });
  return connection.model('Asset', schema);
}

export function createAssetRepository(collection: mongo.Collection<StoredAsset>): AssetRepository {
  return {
    insert: async (record) => {
      try {
        await fromStore(collection.insertOne(storedAsset(record)));
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        throw new ChorusError('conflict', 'An asset with this id, or at this place, exists.', { cause: error });
      }
    },
    get: async (owner, id) => assetOf(await fromStore(collection.findOne(inScope(owner, id)))),
    getSigned: async (id) => assetOf(await fromStore(collection.findOne({ _id: requireText(id) }))),
    getMade: async (owner, executionId, outputIndex) => {
      const made_at = placeOf(requireText(executionId), outputIndex);
      return assetOf(await fromStore(collection.findOne({ made_at, scope_key: scopeKey(owner) })));
    },
    ofExecution: async (owner, executionId) => {
      const filter = { execution_id: requireText(executionId), scope_key: scopeKey(owner) };
      const found = await fromStore(collection.find(filter).limit(MAX_OF_EXECUTION).toArray());
      const place = ({ output_index }: AssetRecord) => output_index ?? Number.POSITIVE_INFINITY;
      return found.map(assetOf).sort((one, other) => place(one) - place(other) || (one.id < other.id ? -1 : 1));
    },
    list: (owner, { kind, execution_id, ...page }) =>
      listNewest(collection, 'asset', page, { ...listFilter(owner, kind, execution_id) }, assetOf),
    setThumbnail: async (owner, id, thumbnail) => {
      await fromStore(collection.updateOne(inScope(owner, id), { $set: { thumbnail } }));
    },
    remove: async (owner, id) => (await fromStore(collection.deleteOne(inScope(owner, id)))).deletedCount > 0,
    existing: async (ids) => {
      const found = collection.find({ _id: { $in: ids.map(requireText) } }).project<{ _id: string }>({ _id: 1 });
      return new Set((await fromStore(found.toArray())).map(({ _id }) => _id));
    },
  };
}

const placeOf = (executionId: string, outputIndex: number) => `${executionId}/${outputIndex}`;

function listFilter(owner: Owner, kind: AssetRecord['kind'] | undefined, executionId: string | undefined) {
  return {
    scope_key: scopeKey(owner),
    ...(kind === undefined ? {} : { kind }),
    ...(executionId === undefined ? {} : { execution_id: requireText(executionId) }),
  };
}

function storedAsset({ id, owner, execution_id, output_index, ...facts }: AssetRecord): StoredAsset {
  return {
    _id: id,
    ...storedOwner(owner),
    ...facts,
    ...(execution_id === null ? {} : { execution_id }),
    ...(execution_id === null || output_index === null
      ? {}
      : { output_index, made_at: placeOf(execution_id, output_index) }),
  };
}

function assetOf<S extends StoredAsset | null>(stored: S): S extends null ? null : AssetRecord;
function assetOf(stored: StoredAsset | null): AssetRecord | null {
  if (stored === null) return null;
  const { _id, scope_key, user_id, made_at, execution_id, output_index, ...facts } = stored;
  return {
    id: _id,
    owner: ownerOf({ scope_key, user_id }),
    ...facts,
    execution_id: execution_id ?? null,
    output_index: output_index ?? null,
  };
}
