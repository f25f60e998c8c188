import { type Connection, type mongo, Schema } from 'mongoose';
import type { InvitationRecord } from './account-records.ts';
import type { InvitationRepository } from './account-repositories.ts';
import { listNewest } from './list-newest.ts';
import { fromStore } from './store-errors.ts';
import { requireText } from './stored-fields.ts';

export interface StoredInvitation extends Omit<InvitationRecord, 'id'> {
  _id: string;
}

export function defineInvitationModel(connection: Connection) {
  const schema = new Schema<StoredInvitation>(
    {
      _id: { type: String, required: true },
      workspace_id: { type: String, required: true },
      email: { type: String, required: true },
      role: { type: String, required: true },
      token_hash: { type: String, required: true },
      invited_by: { type: String, required: true },
      by_operator: Boolean,
      created_at: { type: Date, required: true },
      expires_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'invitations' },
  );
  schema.index({ token_hash: 1 }, { unique: true });
  schema.index({ workspace_id: 1, _id: -1 });
  schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
  return connection.model('Invitation', schema);
}

export function createInvitationRepository(collection: mongo.Collection<StoredInvitation>): InvitationRepository {
  const inWorkspace = (workspaceId: string, id: string) => ({
    _id: requireText(id),
    workspace_id: requireText(workspaceId),
  });

  return {
    insert: async ({ id, ...invitation }) => {
      await fromStore(collection.insertOne({ _id: id, ...invitation }));
    },
    findByToken: async (tokenHash) =>
      invitationOf(await fromStore(collection.findOne({ token_hash: requireText(tokenHash) }))),
    get: async (workspaceId, id) => invitationOf(await fromStore(collection.findOne(inWorkspace(workspaceId, id)))),
    count: (workspaceId, limit) =>
      fromStore(collection.countDocuments({ workspace_id: requireText(workspaceId) }, { limit })),
    list: (workspaceId, query) =>
      listNewest(collection, 'invitation', query, { workspace_id: requireText(workspaceId) }, invitationOf),
    remove: async (workspaceId, id) =>
      (await fromStore(collection.deleteOne(inWorkspace(workspaceId, id)))).deletedCount > 0,
    removeByWorkspace: async (workspaceId) => {
      await fromStore(collection.deleteMany({ workspace_id: requireText(workspaceId) }));
    },
  };
}

function invitationOf<S extends StoredInvitation | null>(stored: S): S extends null ? null : InvitationRecord;
function invitationOf(stored: StoredInvitation | null): InvitationRecord | null {
  if (stored === null) return null;
  const { _id, ...invitation } = stored;
  return { id: _id, ...invitation };
}
