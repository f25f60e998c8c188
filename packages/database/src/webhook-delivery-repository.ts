import { type Owner, scopeKey } from '@chorus/contract';
import { type Connection, type mongo, Schema } from 'mongoose';
import { listNewest } from './list-newest.ts';
import { fromStore, isDuplicate } from './store-errors.ts';
import { inScope, ownerOf, requireText, type StoredOwner, storedOwner } from './stored-fields.ts';
import type { WebhookDeliveryRecord, WebhookDeliveryRepository } from './webhook-records.ts';

export interface StoredWebhookDelivery
  extends StoredOwner,
    Omit<WebhookDeliveryRecord, 'id' | 'owner' | 'next_attempt_at'> {
  _id: string;
  /** Absent once it is not tried any more: a sparse index of what is due. */
  next_attempt_at?: Date;
}

type Filter = mongo.Filter<StoredWebhookDelivery>;

const KEPT_ATTEMPTS = 20;

export function defineWebhookDeliveryModel(connection: Connection) {
  const schema = new Schema<StoredWebhookDelivery>(
    {
      _id: { type: String, required: true },
      scope_key: { type: String, required: true },
      user_id: { type: String, required: true },
      event: { type: String, required: true },
      execution_id: String,
      batch_id: String,
      session_id: String,
      url: { type: String, required: true },
      host: { type: String, required: true },
      status: { type: String, required: true },
      attempts: [Schema.Types.Mixed],
      attempt_count: { type: Number, required: true },
      due_since: { type: Date, required: true },
      tries: { type: Number, required: true },
      next_attempt_at: Date,
      created_at: { type: Date, required: true },
      ended_at: Date,
      expires_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'webhook_deliveries' },
  );
  schema.index({ scope_key: 1, _id: -1 });
  schema.index({ scope_key: 1, status: 1, _id: -1 });
  schema.index({ execution_id: 1, _id: -1 });
  schema.index({ batch_id: 1, _id: -1 });
  schema.index({ next_attempt_at: 1 }, { sparse: true });
  schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
  return connection.model('WebhookDelivery', schema);
}

export function createWebhookDeliveryRepository(
  collection: mongo.Collection<StoredWebhookDelivery>,
): WebhookDeliveryRepository {
  const claimed = (id: string, until: Date): Filter => ({ _id: requireText(id), next_attempt_at: until });

  return {
    insert: async (record) => {
      try {
        await fromStore(collection.insertOne(storedDelivery(record)));
        return true;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
    get: async (owner, id) => {
      const stored = await fromStore(collection.findOne({ ...inScope(owner, id), ...visibleTo(owner) }));
      return stored === null ? null : deliveryOf(stored);
    },
    list: (owner, { execution_id, batch_id, status, ...page }) => {
      const filter = {
        scope_key: scopeKey(owner),
        ...visibleTo(owner),
        ...(execution_id === undefined ? {} : { execution_id }),
        ...(batch_id === undefined ? {} : { batch_id }),
        ...(status === undefined ? {} : { status }),
      };
      return listNewest(collection, 'webhookDelivery', page, filter, deliveryOf);
    },
    listDue: async ({ now, limit, exceptHosts, exceptScopes }) => {
      const filter: Filter = {
        next_attempt_at: { $lte: now },
        ...(exceptHosts.length === 0 ? {} : { host: { $nin: [...exceptHosts] } }),
        ...(exceptScopes.length === 0 ? {} : { scope_key: { $nin: [...exceptScopes] } }),
      };
      const found = collection.find(filter).sort({ next_attempt_at: 1 }).limit(limit);
      return (await fromStore(found.toArray())).map(deliveryOf);
    },
    claim: async ({ id, next_attempt_at }, until) => {
      if (next_attempt_at === null) return false;
      const taken = collection.updateOne(claimed(id, next_attempt_at), { $set: { next_attempt_at: until } });
      return (await fromStore(taken)).modifiedCount === 1;
    },
    release: async (id, claimedUntil, next) => {
      await fromStore(collection.updateOne(claimed(id, claimedUntil), { $set: { next_attempt_at: next } }));
    },
    settle: async (id, claimedUntil, attempt, { next_attempt_at, ...state }) => {
      const noted = {
        $push: { attempts: { $each: [attempt], $slice: -KEPT_ATTEMPTS } },
        $inc: { attempt_count: 1, tries: 1 },
      };
      const settled = collection.updateOne(claimed(id, claimedUntil), {
        ...noted,
        $set: { ...state, ...(next_attempt_at === null ? {} : { next_attempt_at }) },
        ...(next_attempt_at === null ? { $unset: { next_attempt_at: '' } } : {}),
      });
      if ((await fromStore(settled)).matchedCount === 1) return;
      await fromStore(collection.updateOne({ _id: requireText(id) }, noted));
    },
    restart: async (owner, id, now, expiresAt) => {
      const change = {
        $set: {
          status: 'pending' as const,
          due_since: now,
          tries: 0,
          next_attempt_at: now,
          ended_at: null,
          expires_at: expiresAt,
        },
      };
      const filter: Filter = { ...inScope(owner, id), ...visibleTo(owner) };
      const changed = collection.findOneAndUpdate(filter, change, { returnDocument: 'after' });
      const stored = await fromStore(changed);
      return stored === null ? null : deliveryOf(stored);
    },
  };
}

function visibleTo(owner: Owner): Filter {
  return owner.scope === 'personal' ? {} : { $or: [{ session_id: null }, { user_id: owner.user_id }] };
}

function storedDelivery({ id, owner, next_attempt_at, ...rest }: WebhookDeliveryRecord): StoredWebhookDelivery {
  return { _id: id, ...storedOwner(owner), ...rest, ...(next_attempt_at === null ? {} : { next_attempt_at }) };
}

function deliveryOf(stored: StoredWebhookDelivery): WebhookDeliveryRecord {
  const { _id, scope_key, user_id, next_attempt_at, ...rest } = stored;
  return { id: _id, owner: ownerOf({ scope_key, user_id }), next_attempt_at: next_attempt_at ?? null, ...rest };
}
