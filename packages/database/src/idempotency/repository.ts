import { createHash } from 'node:crypto';
import { ID_PREFIXES, type Owner, scopeKey } from '@chorus/contract';
import type { Db } from 'mongodb';
import { defineCollection, requireString, type StoredOwner, storedOwner } from '../collection.ts';
import { fromStore, unlessDuplicate } from '../store-errors.ts';

/** A request with an `Idempotency-Key`. */
export interface IdempotencyRecord {
  /** Hash of method, path and body. Only the same request may reuse the key. */
  fingerprint: string;
  /** The execution that the request starts. Null: none. */
  execution_id: string | null;
  /** The response body as JSON, if the request starts no execution; null until it ends. */
  answer: string | null;
  /** Whether the created record was deleted, together with the answer. */
  gone?: boolean;
  started_at: Date;
  expires_at: Date;
}

interface StoredIdempotency extends IdempotencyRecord, StoredOwner {
  /** Hash of owner and key. */
  _id: string;
  /** Ids in the answer, by which deletions find it. */
  about?: string[];
}

export const idempotencyCollection = defineCollection<StoredIdempotency>('idempotency_keys', {
  erasedWith: 'maker',
  indexes: [
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
    { key: { about: 1 }, sparse: true },
  ],
});

const MANY_DEADLINE_MS = 30_000;
const MAX_ABOUT = 500;

const IDS = new RegExp(`\\b(?:${Object.values(ID_PREFIXES).join('|')})_[0-9a-hjkmnp-tv-z]{26}\\b`, 'g');

const aboutExecution = (id: string | null) => (id === null ? {} : { about: [id] });

/** Requests that must not run twice, by owner and key. */
export function createIdempotencyRepository(db: Db) {
  const requests = idempotencyCollection.in(db);

  return {
    /** Claims the key, or returns the request that has it, in two round trips. */
    begin: async (owner: Owner, key: string, record: IdempotencyRecord): Promise<IdempotencyRecord | null> => {
      const _id = idOf(owner, key);
      for (;;) {
        const stored = { _id, ...storedOwner(owner), ...record, ...aboutExecution(record.execution_id) };
        if (await unlessDuplicate(requests.insertOne(stored))) return null;
        const found = await fromStore(requests.findOne({ _id }));
        // The store deletes expired documents only once a minute.
        if (found !== null && found.expires_at > new Date()) return recordOf(found);
        if (found !== null) await fromStore(requests.deleteOne({ _id, expires_at: found.expires_at }));
      }
    },
    /** Takes over the key of a request that started at `startedAt` and never ended. Returns false if another did. */
    reclaim: async (
      owner: Owner,
      key: string,
      startedAt: Date,
      again: Pick<IdempotencyRecord, 'execution_id' | 'started_at'>,
    ) => {
      const unanswered = { _id: idOf(owner, key), started_at: startedAt, answer: null };
      const change = { $set: { ...again, ...aboutExecution(again.execution_id) } };
      return (await fromStore(requests.updateOne(unanswered, change))).modifiedCount > 0;
    },
    /** Replaces the planned execution with the existing one that the request joined. */
    join: async (owner: Owner, key: string, planned: string, executionId: string) => {
      const mine = { _id: idOf(owner, key), execution_id: planned };
      await fromStore(requests.updateOne(mine, { $set: { execution_id: executionId } }));
    },
    /** Stores the answer. */
    complete: async (owner: Owner, key: string, answer: string) => {
      const about = [...new Set(answer.match(IDS))].slice(0, MAX_ABOUT);
      const kept = { $set: { answer }, $addToSet: { about: { $each: about } } };
      await fromStore(requests.updateOne({ _id: idOf(owner, key) }, kept));
    },
    /** Blanks answers that contain one of these ids. Their keys then return 404. */
    clearAnswers: async (ids: readonly string[]) => {
      const naming = { about: { $in: ids.map(requireString) } };
      await fromStore(requests.updateMany(naming, { $set: { answer: null, gone: true } }), MANY_DEADLINE_MS);
    },
    /** Frees the key of a request without effect. */
    release: async (owner: Owner, key: string) => {
      await fromStore(requests.deleteOne({ _id: idOf(owner, key) }));
    },
  };
}

function idOf(owner: Owner, key: string): string {
  return createHash('sha256')
    .update(`${scopeKey(owner)}\n${owner.user_id}\n${key}`)
    .digest('base64url');
}

function recordOf({ _id, scope_key, user_id, about, ...record }: StoredIdempotency): IdempotencyRecord {
  return record;
}
