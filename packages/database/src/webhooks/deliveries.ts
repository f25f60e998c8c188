import {
  type Owner,
  scopeKey,
  type WebhookDeliveriesQuery,
  type WebhookEvent,
  type WebhookStatus,
} from '@chorus/contract';
import type { Db, Filter } from 'mongodb';
import {
  defineCollection,
  defined,
  fromStored,
  inScope,
  requireString,
  type Stored,
  toStored,
  visibleTo,
} from '../collection.ts';
import { listNewest, readAll, readOne } from '../reading.ts';
import { fromStore, unlessDuplicate } from '../store-errors.ts';

export interface WebhookAttempt {
  started_at: Date;
  duration_ms: number;
  /** The HTTP status; null: no response. */
  status: number | null;
  error: string | null;
}

/** The state of a budget when it was nearly or completely used up. */
export interface BudgetAlert {
  subject: string;
  at: Date;
  data: Record<string, unknown>;
}

/** An event of the platform, for its operators. */
export interface OperatorEvent {
  at: Date;
  data: Record<string, unknown>;
}

/** The delivery of an event to a URL set by a user, or by the platform's operator. */
export interface WebhookDeliveryRecord {
  id: string;
  owner: Owner;
  event: WebhookEvent;
  /** The subject: an execution or a batch. */
  execution_id: string | null;
  batch_id: string | null;
  /** Absent: the event has another subject. */
  budget?: BudgetAlert;
  /** Absent: the event belongs to a scope. */
  operator?: OperatorEvent;
  /** The execution's session. Only its creator sees the delivery. */
  session_id: string | null;
  url: string;
  /** The URL's host and port, which limit concurrent attempts. */
  host: string;
  status: WebhookStatus;
  /** The last ones, oldest first. */
  attempts: WebhookAttempt[];
  attempt_count: number;
  /** When the delivery was created or last restarted, and the attempts since. */
  due_since: Date;
  tries: number;
  /** Time of the next attempt, or the deadline of the current one. Null: no attempt follows. */
  next_attempt_at: Date | null;
  created_at: Date;
  ended_at: Date | null;
  expires_at: Date;
}

interface StoredWebhookDelivery extends Stored<WebhookDeliveryRecord, 'next_attempt_at'> {
  /** Absent when no attempt follows. */
  next_attempt_at?: Date;
}

export const webhookDeliveryCollection = defineCollection<StoredWebhookDelivery>('webhook_deliveries', {
  erasedWith: 'maker',
  indexes: [
    { key: { scope_key: 1, _id: -1 } },
    { key: { scope_key: 1, status: 1, _id: -1 } },
    { key: { execution_id: 1, _id: -1 } },
    { key: { batch_id: 1, _id: -1 } },
    { key: { next_attempt_at: 1 }, sparse: true },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ],
});

const KEPT_ATTEMPTS = 20;

/** Deliveries belong to a scope. Members of a workspace share them, except those of a session. */
export function createWebhookDeliveryRepository(db: Db) {
  const deliveries = webhookDeliveryCollection.in(db);
  const visible = (owner: Owner, id: string) => ({ ...inScope(owner, id), ...visibleTo(owner) });
  const claimed = (id: string, until: Date) => ({ _id: requireString(id), next_attempt_at: until });

  return {
    /** Returns whether it was stored. False: the id exists. */
    insert: async (record: WebhookDeliveryRecord) => unlessDuplicate(deliveries.insertOne(storedDelivery(record))),
    get: async (owner: Owner, id: string) => readOne(deliveries.findOne(visible(owner, id)), deliveryOf),
    /** Newest first. */
    list: async (owner: Owner, { execution_id, batch_id, status, ...page }: WebhookDeliveriesQuery) => {
      const filters = defined({ execution_id, batch_id, status });
      const filter = { scope_key: scopeKey(owner), ...visibleTo(owner), ...filters };
      return listNewest(deliveries, 'webhookDelivery', page, filter, deliveryOf);
    },
    /** Lists due deliveries of all owners, longest due first, except for some hosts and scopes. */
    listDue: async (query: {
      now: Date;
      limit: number;
      exceptHosts: readonly string[];
      exceptScopes: readonly string[];
    }) => {
      const { now, limit, exceptHosts, exceptScopes } = query;
      const filter: Filter<StoredWebhookDelivery> = {
        next_attempt_at: { $lte: now },
        ...(exceptHosts.length === 0 ? {} : { host: { $nin: [...exceptHosts] } }),
        ...(exceptScopes.length === 0 ? {} : { scope_key: { $nin: [...exceptScopes] } }),
      };
      return readAll(deliveries.find(filter).sort({ next_attempt_at: 1 }).limit(limit), deliveryOf);
    },
    /** Counts deliveries of all owners that have not ended. @param limit more are not counted */
    countPending: async (limit: number) =>
      fromStore(deliveries.countDocuments({ next_attempt_at: { $gt: new Date(0) } }, { limit })),
    /** Claims a delivery for an attempt that ends by `until`. Returns false if another process has it. */
    claim: async ({ id, next_attempt_at }: WebhookDeliveryRecord, until: Date) => {
      if (next_attempt_at === null) return false;
      const taken = deliveries.updateOne(claimed(id, next_attempt_at), { $set: { next_attempt_at: until } });
      return (await fromStore(taken)).modifiedCount === 1;
    },
    /** Returns a claimed delivery without an attempt. */
    release: async (id: string, claimedUntil: Date, next: Date) => {
      await fromStore(deliveries.updateOne(claimed(id, claimedUntil), { $set: { next_attempt_at: next } }));
    },
    /** Stores an attempt, and the resulting state unless the delivery was restarted meanwhile. */
    recordAttempt: async (
      id: string,
      claimedUntil: Date,
      attempt: WebhookAttempt,
      { next_attempt_at, ...state }: Pick<WebhookDeliveryRecord, 'status' | 'next_attempt_at' | 'ended_at'>,
    ) => {
      const noted = {
        $push: { attempts: { $each: [attempt], $slice: -KEPT_ATTEMPTS } },
        $inc: { attempt_count: 1, tries: 1 },
      };
      const settled = deliveries.updateOne(claimed(id, claimedUntil), {
        ...noted,
        $set: { ...state, ...(next_attempt_at === null ? {} : { next_attempt_at }) },
        ...(next_attempt_at === null ? { $unset: { next_attempt_at: '' } } : {}),
      });
      if ((await fromStore(settled)).matchedCount === 1) return;
      await fromStore(deliveries.updateOne({ _id: requireString(id) }, noted));
    },
    /** Makes a delivery due again, whatever its status. */
    restart: async (owner: Owner, id: string, now: Date, expiresAt: Date) => {
      const restarted = {
        status: 'pending' as const,
        due_since: now,
        tries: 0,
        next_attempt_at: now,
        ended_at: null,
        expires_at: expiresAt,
      };
      const change = deliveries.findOneAndUpdate(visible(owner, id), { $set: restarted }, { returnDocument: 'after' });
      return readOne(change, deliveryOf);
    },
  };
}

function storedDelivery({ next_attempt_at, ...delivery }: WebhookDeliveryRecord): StoredWebhookDelivery {
  return { ...toStored(delivery), ...(next_attempt_at === null ? {} : { next_attempt_at }) };
}

function deliveryOf(stored: StoredWebhookDelivery): WebhookDeliveryRecord {
  return { ...fromStored(stored), next_attempt_at: stored.next_attempt_at ?? null };
}
