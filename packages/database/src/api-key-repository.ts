import { type Connection, type mongo, Schema } from 'mongoose';
import type { ApiKeyRecord } from './account-records.ts';
import type { ApiKeyRepository } from './account-repositories.ts';
import { listNewest } from './list-newest.ts';
import { fromStore } from './store-errors.ts';
import { requireText } from './stored-fields.ts';

export interface StoredApiKey extends Omit<ApiKeyRecord, 'id'> {
  _id: string;
}

export function defineApiKeyModel(connection: Connection) {
  const schema = new Schema<StoredApiKey>(
    {
      _id: { type: String, required: true },
      user_id: { type: String, required: true },
      name: { type: String, required: true },
      prefix: { type: String, required: true },
      secret_hash: { type: String, required: true },
      status: { type: String, required: true },
      permissions: [String],
      workspace_id: { type: String, default: null },
      rate_limit: { type: Number, default: null },
      expires_at: { type: Date, default: null },
      last_used_at: { type: Date, default: null },
      created_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'api_keys' },
  );
  schema.index({ prefix: 1 }, { unique: true });
  schema.index({ user_id: 1, _id: -1 });
  return connection.model('ApiKey', schema);
}

export function createApiKeyRepository(collection: mongo.Collection<StoredApiKey>): ApiKeyRepository {
  const ofUser = (userId: string, id: string) => ({ _id: requireText(id), user_id: requireText(userId) });

  return {
    insert: async ({ id, ...key }) => {
      await fromStore(collection.insertOne({ _id: id, ...key }));
    },
    findByPrefix: async (prefix) => apiKeyOf(await fromStore(collection.findOne({ prefix: requireText(prefix) }))),
    get: async (userId, id) => apiKeyOf(await fromStore(collection.findOne(ofUser(userId, id)))),
    countLive: (userId, limit) =>
      fromStore(collection.countDocuments({ user_id: requireText(userId), status: { $ne: 'revoked' } }, { limit })),
    list: (userId, query, workspaceId = null) => {
      const bound = workspaceId === null ? {} : { workspace_id: requireText(workspaceId) };
      return listNewest(collection, 'apiKey', query, { user_id: requireText(userId), ...bound }, apiKeyOf);
    },
    setStatus: async (userId, id, status) => {
      const filter = { ...ofUser(userId, id), status: { $ne: 'revoked' as const } };
      const changed = collection.findOneAndUpdate(filter, { $set: { status } }, { returnDocument: 'after' });
      return apiKeyOf(await fromStore(changed));
    },
    noteUse: async (uses, unlessSince) => {
      const writes = uses.map(({ id, at }) => ({
        updateOne: {
          // Null counts as earlier than every date only by being named.
          filter: { _id: id, $or: [{ last_used_at: null }, { last_used_at: { $lt: unlessSince } }] },
          update: { $set: { last_used_at: at } },
        },
      }));
      await fromStore(collection.bulkWrite(writes, { ordered: false }));
    },
  };
}

function apiKeyOf<S extends StoredApiKey | null>(stored: S): S extends null ? null : ApiKeyRecord;
function apiKeyOf(stored: StoredApiKey | null): ApiKeyRecord | null {
  if (stored === null) return null;
  const { _id, ...key } = stored;
  return { id: _id, ...key };
}
