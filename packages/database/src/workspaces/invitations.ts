import type { ListQuery, Role } from '@chorus/contract';
import type { Db } from 'mongodb';
import { defineCollection, requireString } from '../collection.ts';
import { listNewest, readOne } from '../reading.ts';
import { fromStore } from '../store-errors.ts';

export interface InvitationRecord {
  id: string;
  /** Null: to the platform only. */
  workspace_id: string | null;
  /** Lower case. */
  email: string;
  /** Null without a workspace. */
  role: Role | null;
  token_hash: string;
  invited_by: string;
  /** Absent in documents of early versions. */
  by_operator?: boolean;
  created_at: Date;
  expires_at: Date;
}

type StoredInvitation = Omit<InvitationRecord, 'id'> & { _id: string };

export const invitationCollection = defineCollection<StoredInvitation>('invitations', {
  indexes: [
    { key: { token_hash: 1 }, unique: true },
    { key: { workspace_id: 1, _id: -1 } },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ],
});

/** Open invitations. Accepted, revoked and expired ones are deleted. */
export function createInvitationRepository(db: Db) {
  const invitations = invitationCollection.in(db);
  const of = (workspaceId: string | null) => (workspaceId === null ? null : requireString(workspaceId));
  const inWorkspace = (workspaceId: string | null, id: string) => ({
    _id: requireString(id),
    workspace_id: of(workspaceId),
  });

  return {
    insert: async ({ id, ...invitation }: InvitationRecord) => {
      await fromStore(invitations.insertOne({ _id: id, ...invitation }));
    },
    findByToken: async (tokenHash: string) =>
      readOne(invitations.findOne({ token_hash: requireString(tokenHash) }), invitationOf),
    get: async (workspaceId: string | null, id: string) =>
      readOne(invitations.findOne(inWorkspace(workspaceId, id)), invitationOf),
    /** Counts up to a limit. */
    count: async (workspaceId: string | null, limit: number) =>
      fromStore(invitations.countDocuments({ workspace_id: of(workspaceId) }, { limit })),
    list: async (workspaceId: string | null, query: ListQuery) =>
      listNewest(invitations, 'invitation', query, { workspace_id: of(workspaceId) }, invitationOf),
    /** Returns true to one of several concurrent calls. */
    remove: async (workspaceId: string | null, id: string) =>
      (await fromStore(invitations.deleteOne(inWorkspace(workspaceId, id)))).deletedCount > 0,
    removeByWorkspace: async (workspaceId: string) => {
      await fromStore(invitations.deleteMany({ workspace_id: requireString(workspaceId) }));
    },
  };
}

function invitationOf({ _id, ...invitation }: StoredInvitation): InvitationRecord {
  return { id: _id, ...invitation };
}
