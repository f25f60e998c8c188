import { type Connection, type mongo, Schema } from 'mongoose';
import { fromStore, isDuplicate } from './store-errors.ts';
import { requireText } from './stored-fields.ts';
import type { WebhookSecretRecord, WebhookSecretRepository } from './webhook-records.ts';

export interface StoredWebhookSecret extends WebhookSecretRecord {
  /** The scope's key. */
  _id: string;
}

/** However often it is rotated, no header carries more signatures than one and these. */
const KEPT_PREVIOUS = 3;

export function defineWebhookSecretModel(connection: Connection) {
  const schema = new Schema<StoredWebhookSecret>(
    {
      _id: { type: String, required: true },
      secret: { type: String, required: true },
      created_at: { type: Date, required: true },
      previous: [Schema.Types.Mixed],
    },
    { versionKey: false, collection: 'webhook_secrets' },
  );
  return connection.model('WebhookSecret', schema);
}

export function createWebhookSecretRepository(
  collection: mongo.Collection<StoredWebhookSecret>,
): WebhookSecretRepository {
  const find = (scopeKey: string) => fromStore(collection.findOne({ _id: requireText(scopeKey) }));
  return {
    getOrCreate: async (scopeKey, candidate) => {
      const existing = await find(scopeKey);
      if (existing !== null) return secretOf(existing);
      const fresh: StoredWebhookSecret = { _id: scopeKey, secret: candidate, created_at: new Date(), previous: [] };
      try {
        await fromStore(collection.insertOne(fresh));
        return secretOf(fresh);
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        // Another process was quicker: its secret counts.
        const theirs = await find(scopeKey);
        if (theirs === null) throw error;
        return secretOf(theirs);
      }
    },
    replace: async (scopeKey, current, fresh, until) => {
      const change = {
        $set: { secret: fresh, created_at: new Date() },
        $push: { previous: { $each: [{ secret: current, until }], $slice: -KEPT_PREVIOUS } },
      };
      const filter = { _id: requireText(scopeKey), secret: requireText(current) };
      const changed = await fromStore(collection.findOneAndUpdate(filter, change, { returnDocument: 'after' }));
      return changed === null ? null : secretOf(changed);
    },
  };
}

function secretOf({ _id, ...record }: StoredWebhookSecret): WebhookSecretRecord {
  return record;
}
