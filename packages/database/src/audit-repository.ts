import { type Connection, type mongo, Schema } from 'mongoose';
import type { AuditRecord } from './account-records.ts';
import type { AuditRepository } from './account-repositories.ts';
import { listNewest } from './list-newest.ts';
import { fromStore } from './store-errors.ts';
import { requireText } from './stored-fields.ts';

export interface StoredAuditEntry extends Omit<AuditRecord, 'id'> {
  _id: string;
}

export function defineAuditModel(connection: Connection) {
  const schema = new Schema<StoredAuditEntry>(
    {
      _id: { type: String, required: true },
      scope_key: { type: String, required: true },
      action: { type: String, required: true },
      actor: { type: Schema.Types.Mixed, required: true },
      target: Schema.Types.Mixed,
      details: Schema.Types.Mixed,
      request_id: String,
      created_at: { type: Date, required: true },
      expires_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'audit_log' },
  );
  schema.index({ scope_key: 1, _id: -1 });
  schema.index({ scope_key: 1, action: 1, _id: -1 });
  schema.index({ scope_key: 1, 'actor.user_id': 1, _id: -1 });
  schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
  return connection.model('AuditEntry', schema);
}

export function createAuditRepository(collection: mongo.Collection<StoredAuditEntry>): AuditRepository {
  return {
    append: async (entries) => {
      await fromStore(collection.insertMany(entries.map(({ id, ...entry }) => ({ _id: id, ...entry }))));
    },
    list: (scopeKey, query) => {
      const filter = {
        scope_key: requireText(scopeKey),
        ...(query.action === undefined ? {} : { action: query.action }),
        ...(query.user_id === undefined ? {} : { 'actor.user_id': query.user_id }),
      };
      return listNewest(collection, 'audit', query, filter, ({ _id, ...entry }) => ({ id: _id, ...entry }));
    },
  };
}
