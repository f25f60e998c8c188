import type { ApiKeyStatus, ListQuery, Permission } from '@chorus/contract';
import type { Db } from 'mongodb';
import { defineCollection, requireString } from '../collection.ts';
import { listNewest, readOne } from '../reading.ts';
import { fromStore } from '../store-errors.ts';

export interface ApiKeyRecord {
  id: string;
  user_id: string;
  name: string;
  /** The first characters of the key, which identify it. Unique. */
  prefix: string;
  secret_hash: string;
  status: ApiKeyStatus;
  permissions: Permission[];
  /** The only workspace it is valid for. Null: all scopes of its user. */
  workspace_id: string | null;
  /** Requests per minute. Null: its user's limit. */
  rate_limit: number | null;
  expires_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
}

type StoredApiKey = Omit<ApiKeyRecord, 'id'> & { _id: string };

export const apiKeyCollection = defineCollection<StoredApiKey>('api_keys', {
  indexes: [{ key: { prefix: 1 }, unique: true }, { key: { user_id: 1, _id: -1 } }],
});

export type ApiKeyRepository = ReturnType<typeof createApiKeyRepository>;

/** API keys belong to their user in all scopes. */
export function createApiKeyRepository(db: Db) {
  const keys = apiKeyCollection.in(db);
  const ofUser = (userId: string, id: string) => ({ _id: requireString(id), user_id: requireString(userId) });

  return {
    insert: async ({ id, ...key }: ApiKeyRecord) => {
      await fromStore(keys.insertOne({ _id: id, ...key }));
    },
    /** Finds a key of any user, for authentication. */
    findByPrefix: async (prefix: string) => readOne(keys.findOne({ prefix: requireString(prefix) }), apiKeyOf),
    get: async (userId: string, id: string) => readOne(keys.findOne(ofUser(userId, id)), apiKeyOf),
    /** Counts the keys that are not revoked, up to a limit. */
    countActive: async (userId: string, limit: number) =>
      fromStore(keys.countDocuments({ user_id: requireString(userId), status: { $ne: 'revoked' } }, { limit })),
    /** Newest first. `workspaceId` limits it to keys of that workspace. */
    list: async (userId: string, query: ListQuery, workspaceId: string | null = null) => {
      const bound = workspaceId === null ? {} : { workspace_id: requireString(workspaceId) };
      return listNewest(keys, 'apiKey', query, { user_id: requireString(userId), ...bound }, apiKeyOf);
    },
    /** Changes the status of a key. Returns null if it is revoked. */
    setStatus: async (userId: string, id: string, status: ApiKeyStatus) => {
      const live = { ...ofUser(userId, id), status: { $ne: 'revoked' as const } };
      return readOne(keys.findOneAndUpdate(live, { $set: { status } }, { returnDocument: 'after' }), apiKeyOf);
    },
    /** Stores when keys were last used, except for keys used after `unlessSince`. */
    recordUse: async (uses: { id: string; at: Date }[], unlessSince: Date) => {
      const writes = uses.map(({ id, at }) => ({
        updateOne: {
          // `$lt` does not match null.
          filter: { _id: id, $or: [{ last_used_at: null }, { last_used_at: { $lt: unlessSince } }] },
          update: { $set: { last_used_at: at } },
        },
      }));
      await fromStore(keys.bulkWrite(writes, { ordered: false }));
    },
  };
}

function apiKeyOf({ _id, ...key }: StoredApiKey): ApiKeyRecord {
  return { id: _id, ...key };
}
