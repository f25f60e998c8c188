import type { SecretBox } from '@chorus/secrets';
import type { Db } from 'mongodb';
import { defineCollection, requireString } from '../collection.ts';
import { readOne } from '../reading.ts';
import { sealContext } from '../secrets/sealed-fields.ts';
import { fromStore, insertOrGet } from '../store-errors.ts';

/** The secret that signs the webhooks of a scope. */
export interface WebhookSecretRecord {
  secret: string;
  created_at: Date;
  /** Previous secrets that also sign for a while, oldest first. */
  previous: { secret: string; until: Date }[];
}

interface StoredWebhookSecret extends WebhookSecretRecord {
  /** The scope. */
  _id: string;
}

export const webhookSecretCollection = defineCollection<StoredWebhookSecret>('webhook_secrets');

/** Limits the signatures in a header. */
const KEPT_PREVIOUS = 3;

export function createWebhookSecretRepository(db: Db, box: () => SecretBox) {
  const secrets = webhookSecretCollection.in(db);
  const find = (scopeKey: string) => fromStore(secrets.findOne({ _id: requireString(scopeKey) }));
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
    /** Returns a scope's secret. `candidate` becomes it if there is none; all processes get the same one. */
    getOrCreate: async (scopeKey: string, candidate: string) => {
      const existing = await find(scopeKey);
      if (existing !== null) return secretOf(existing);
      const secret = box().seal(contextOf(scopeKey), candidate);
      return secretOf(await insertOrGet(secrets, { _id: scopeKey, secret, created_at: new Date(), previous: [] }));
    },
    /** Replaces `current`, which also signs until `until`. Returns null if it was already replaced. */
    replace: async (scopeKey: string, current: string, fresh: string, until: Date) => {
      const stored = await find(scopeKey);
      if (stored === null || secretOf(stored).secret !== current) return null;
      const change = {
        $set: { secret: box().seal(contextOf(scopeKey), fresh), created_at: new Date() },
        $push: { previous: { $each: [{ secret: stored.secret, until }], $slice: -KEPT_PREVIOUS } },
      };
      const unchanged = { _id: requireString(scopeKey), secret: stored.secret };
      return readOne(secrets.findOneAndUpdate(unchanged, change, { returnDocument: 'after' }), secretOf);
    },
  };
}
