import { randomUUID } from 'node:crypto';
import { ChorusError, type Role } from '@chorus/contract';
import { type Connection, Schema } from 'mongoose';
import type { WorkspaceRepository } from './repositories.ts';
import { fromStore, isDuplicate } from './store-errors.ts';

interface StoredWorkspace {
  _id: string;
  name: string;
  created_at: Date;
}

interface StoredMembership {
  /** `<workspace>:<user>`: a user is once a member, and one look by key answers every request's question. */
  _id: string;
  workspace_id: string;
  user_id: string;
  role: Role;
  created_at: Date;
}

export function defineWorkspaceModels(connection: Connection) {
  const workspaces = new Schema<StoredWorkspace>(
    {
      _id: { type: String, required: true },
      name: { type: String, required: true },
      created_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'workspaces' },
  );
  const memberships = new Schema<StoredMembership>(
    {
      _id: { type: String, required: true },
      workspace_id: { type: String, required: true },
      user_id: { type: String, required: true },
      role: { type: String, required: true },
      created_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'workspace_members' },
  );
  memberships.index({ user_id: 1, workspace_id: 1 });
  return {
    workspaces: connection.model('Workspace', workspaces),
    memberships: connection.model('WorkspaceMember', memberships),
  };
}

export function createWorkspaceRepository(models: ReturnType<typeof defineWorkspaceModels>): WorkspaceRepository {
  const { workspaces, memberships } = models;
  const addMember: WorkspaceRepository['addMember'] = async (workspaceId, userId, role) => {
    const membership = { workspace_id: workspaceId, user_id: userId, role };
    try {
      await fromStore(
        memberships.create({ _id: membershipId(workspaceId, userId), ...membership, created_at: new Date() }),
      );
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      throw new ChorusError('conflict', 'This user is a member already.', { cause: error });
    }
    return membership;
  };

  return {
    create: async ({ name }, ownerUserId) => {
      const workspace = { id: randomUUID(), name, created_at: new Date() };
      // The membership first: a crash in between leaves a membership of nothing, not a workspace of nobody.
      await addMember(workspace.id, ownerUserId, 'owner');
      await fromStore(workspaces.create({ _id: workspace.id, name, created_at: workspace.created_at }));
      return workspace;
    },
    membership: async (workspaceId, userId) => {
      const found = memberships.findOne({ _id: membershipId(workspaceId, userId) }).lean<StoredMembership>();
      return (await fromStore(found.exec()))?.role ?? null;
    },
    addMember,
  };
}

function membershipId(workspaceId: string, userId: string): string {
  return `${workspaceId.toLowerCase()}:${userId}`;
}
