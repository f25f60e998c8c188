import type { AuditAction, AuditQuery } from '@chorus/contract';
import type { Db } from 'mongodb';
import { defineCollection, requireString } from '../collection.ts';
import { listNewest } from '../reading.ts';
import { fromStore } from '../store-errors.ts';

export interface AuditRecord {
  id: string;
  scope_key: string;
  action: AuditAction;
  actor: { user_id: string | null; key_id: string | null; address: string | null };
  target: { type: string; id: string } | null;
  details: Record<string, string | number | boolean | null>;
  request_id: string | null;
  created_at: Date;
  expires_at: Date;
}

type StoredAuditEntry = Omit<AuditRecord, 'id'> & { _id: string };

export const auditCollection = defineCollection<StoredAuditEntry>('audit_log', {
  erasedWith: 'scope',
  indexes: [
    { key: { scope_key: 1, _id: -1 } },
    { key: { scope_key: 1, action: 1, _id: -1 } },
    { key: { scope_key: 1, 'actor.user_id': 1, _id: -1 } },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ],
});

export type AuditRepository = ReturnType<typeof createAuditRepository>;

/** The audit log of each scope. Entries are only added, and expire. */
export function createAuditRepository(db: Db) {
  const entries = auditCollection.in(db);

  return {
    append: async (added: AuditRecord[]) => {
      await fromStore(entries.insertMany(added.map(({ id, ...entry }) => ({ _id: id, ...entry }))));
    },
    /** Newest first. */
    list: async (scopeKey: string, { action, user_id, ...page }: AuditQuery) => {
      const filter = {
        scope_key: requireString(scopeKey),
        ...(action === undefined ? {} : { action }),
        ...(user_id === undefined ? {} : { 'actor.user_id': user_id }),
      };
      return listNewest(entries, 'audit', page, filter, ({ _id, ...entry }): AuditRecord => ({ id: _id, ...entry }));
    },
  };
}
