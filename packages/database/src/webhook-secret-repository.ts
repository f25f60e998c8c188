import type { SecretBox } from '@chorus/secrets';
import { type Connection, type mongo, Schema } from 'mongoose';
import { sealContext } from './sealed-fields.ts';
import { fromStore, isDuplicate } from './store-errors.ts';
import { requireText } from './stored-fields.ts';
import type { WebhookSecretRecord, WebhookSecretRepository } from './webhook-records.ts';

/** Its secrets are sealed. */
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
  box: () => SecretBox,
): WebhookSecretRepository {
  const find = (scopeKey: string) => fromStore(collection.findOne({ _id: requireText(scopeKey) }));
  const contextOf = (scopeKey: string) => sealContext('webhook_secrets', scopeKey, 'secret');
  const secretOf = ({ _id, secret, previous, created_at }: StoredWebhookSecret): WebhookSecretRecord => {
    const open = (sealed: string) => box().open(contextOf(_id), sealed);
    return {
      secret: open(secret),
      created_at,
      previous: previous.map((one) => ({ ...one, secret: open(one.secret) })),
    };
  };
  return {
    getOrCreate: async (scopeKey, candidate) => {
      const existing = await find(scopeKey);
      if (existing !== null) return secretOf(existing);
      const secret = box().seal(contextOf(scopeKey), candidate);
      const fresh: StoredWebhookSecret = { _id: scopeKey, secret, created_at: new Date(), previous: [] };
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
      const stored = await find(scopeKey);
      if (stored === null || secretOf(stored).secret !== current) return null;
      const change = {
        $set: { secret: box().seal(contextOf(scopeKey), fresh), created_at: new Date() },
        $push: { previous: { $each: [{ secret: stored.secret, until }], $slice: -KEPT_PREVIOUS } },
      };
      const filter = { _id: requireText(scopeKey), secret: stored.secret };
      const changed = await fromStore(collection.findOneAndUpdate(filter, change, { returnDocument: 'after' }));
      return changed === null ? null : secretOf(changed);
    },
  };
}
