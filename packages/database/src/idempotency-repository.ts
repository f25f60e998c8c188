import { createHash } from 'node:crypto';
import { ID_PREFIXES, type Owner, scopeKey } from '@chorus/contract';
import { type Connection, type mongo, Schema } from 'mongoose';
import type { IdempotencyRecord } from './records.ts';
import type { IdempotencyRepository } from './repositories.ts';
import { fromStore, isDuplicate } from './store-errors.ts';
import { requireText, type StoredOwner, storedOwner } from './stored-fields.ts';

export interface StoredIdempotency extends IdempotencyRecord, StoredOwner {
  /** Hash of owner and key: keys may be anything, and are nobody else's business. */
  _id: string;
  /** Ids of the records that the answer names, so that their deletion finds it. */
  about?: string[];
}

const MANY_DEADLINE_MS = 30_000;

/** A longer list of ids makes an answer no easier to find. */
const MAX_ABOUT = 500;

const IDS = new RegExp(`\\b(?:${Object.values(ID_PREFIXES).join('|')})_[0-9a-hjkmnp-tv-z]{26}\\b`, 'g');

export function defineIdempotencyModel(connection: Connection) {
  const schema = new Schema<StoredIdempotency>(
    {
      _id: { type: String, required: true },
      scope_key: { type: String, required: true },
      user_id: { type: String, required: true },
      fingerprint: { type: String, required: true },
      execution_id: String,
      answer: String,
      gone: Boolean,
      about: { type: [String], default: undefined },
      started_at: { type: Date, required: true },
      expires_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'idempotency_keys' },
  );
  schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
  schema.index({ about: 1 }, { sparse: true });
  return connection.model('IdempotencyKey', schema);
}

export function createIdempotencyRepository(collection: mongo.Collection<StoredIdempotency>): IdempotencyRepository {
  return {
    begin: async (owner, key, record) => {
      const _id = idOf(owner, key);
      for (;;) {
        try {
          const about = record.execution_id === null ? {} : { about: [record.execution_id] };
          await fromStore(collection.insertOne({ _id, ...storedOwner(owner), ...record, ...about }));
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
        collection.updateOne(
          { _id: idOf(owner, key), started_at: startedAt, answer: null },
          {
            $set: { ...again, ...(again.execution_id === null ? {} : { about: [again.execution_id] }) },
          },
        ),
      );
      return modifiedCount > 0;
    },
    join: async (owner, key, planned, executionId) => {
      const mine = { _id: idOf(owner, key), execution_id: planned };
      await fromStore(collection.updateOne(mine, { $set: { execution_id: executionId } }));
    },
    complete: async (owner, key, answer) => {
      const about = [...new Set(answer.match(IDS))].slice(0, MAX_ABOUT);
      const kept = { $set: { answer }, $addToSet: { about: { $each: about } } };
      await fromStore(collection.updateOne({ _id: idOf(owner, key) }, kept));
    },
    forgetAnswers: async (ids) => {
      const naming = { about: { $in: ids.map(requireText) } };
      await fromStore(collection.updateMany(naming, { $set: { answer: null, gone: true } }), MANY_DEADLINE_MS);
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

function recordOf({ _id, scope_key, user_id, about: _about, ...record }: StoredIdempotency): IdempotencyRecord {
  return record;
}
