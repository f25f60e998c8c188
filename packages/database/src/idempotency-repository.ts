import { createHash } from 'node:crypto';
import { type Owner, scopeKey } from '@chorus/contract';
import { type Connection, type mongo, Schema } from 'mongoose';
import type { IdempotencyRecord } from './records.ts';
import type { IdempotencyRepository } from './repositories.ts';
import { fromStore, isDuplicate } from './store-errors.ts';
import { type StoredOwner, storedOwner } from './stored-fields.ts';

export interface StoredIdempotency extends IdempotencyRecord, StoredOwner {
  /** Hash of owner and key: keys may be anything, and are nobody else's business. */
  _id: string;
}

export function defineIdempotencyModel(connection: Connection) {
  const schema = new Schema<StoredIdempotency>(
    {
      _id: { type: String, required: true },
      scope_key: { type: String, required: true },
      user_id: { type: String, required: true },
      fingerprint: { type: String, required: true },
      execution_id: String,
      answer: String,
      started_at: { type: Date, required: true },
      expires_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'idempotency_keys' },
  );
  schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
  return connection.model('IdempotencyKey', schema);
}

export function createIdempotencyRepository(collection: mongo.Collection<StoredIdempotency>): IdempotencyRepository {
  return {
    begin: async (owner, key, record) => {
      const _id = idOf(owner, key);
      for (;;) {
        try {
          await fromStore(collection.insertOne({ _id, ...storedOwner(owner), ...record }));
          return null;
        } catch (error) {
          if (!isDuplicate(error)) throw error;
        }
        const found = await fromStore(collection.findOne({ _id }));
        // The sweep of old ones comes once a minute.
        if (found !== null && found.expires_at > new Date()) return recordOf(found);
        if (found !== null) await fromStore(collection.deleteOne({ _id, expires_at: found.expires_at }));
      }
    },
    retake: async (owner, key, startedAt, again) => {
      const { modifiedCount } = await fromStore(
        collection.updateOne({ _id: idOf(owner, key), started_at: startedAt, answer: null }, { $set: again }),
      );
      return modifiedCount > 0;
    },
    complete: async (owner, key, answer) => {
      await fromStore(collection.updateOne({ _id: idOf(owner, key) }, { $set: { answer } }));
    },
    forget: async (owner, key) => {
      await fromStore(collection.deleteOne({ _id: idOf(owner, key) }));
    },
  };
}

function idOf(owner: Owner, key: string): string {
  return createHash('sha256')
    .update(`${scopeKey(owner)}\n${owner.user_id}\n${key}`)
    .digest('base64url');
}

function recordOf({ _id, scope_key, user_id, ...record }: StoredIdempotency): IdempotencyRecord {
  return record;
}
