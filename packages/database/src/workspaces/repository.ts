import { randomUUID } from 'node:crypto';
import { isId, isUuid, type Role } from '@chorus/contract';
import type { Db } from 'mongodb';
import { defineCollection, requireString } from '../collection.ts';
import { readAll, readOne, readPage, startAfter } from '../reading.ts';
import { fromStore, orConflict } from '../store-errors.ts';

export interface WorkspaceRecord {
  /** A UUID without a prefix. */
  id: string;
  name: string;
  created_at: Date;
}

interface StoredWorkspace extends Omit<WorkspaceRecord, 'id'> {
  _id: string;
  /** A copy of the owners' ids, so that the last one can be protected in one atomic step. */
  owners: string[];
  /** Set while its records wait for their erasure. */
  deleted_at: Date | null;
}

export interface MemberRecord {
  workspace_id: string;
  user_id: string;
  role: Role;
  created_at: Date;
}

interface StoredMembership extends MemberRecord {
  /** `<workspace>:<user>`: every request checks its membership by key. */
  _id: string;
}

interface PageById {
  limit: number;
  after?: string | undefined;
}

export const workspaceCollection = defineCollection<StoredWorkspace>('workspaces');
export const membershipCollection = defineCollection<StoredMembership>('workspace_members', {
  indexes: [{ key: { user_id: 1, workspace_id: 1 } }, { key: { workspace_id: 1, user_id: 1 } }],
});

export type WorkspaceRepository = ReturnType<typeof createWorkspaceRepository>;

export function createWorkspaceRepository(db: Db) {
  const workspaces = workspaceCollection.in(db);
  const memberships = membershipCollection.in(db);
  const existing = (id: string) => ({ _id: requireString(id), deleted_at: null });
  const addOwner = (id: string, userId: string) =>
    fromStore(workspaces.updateOne({ _id: id }, { $addToSet: { owners: userId } }));

  return {
    /** Creates the workspace and its owner's membership. Two round trips. */
    create: async ({ name }: { name: string }, ownerUserId: string): Promise<WorkspaceRecord> => {
      const workspace = { _id: randomUUID(), name, created_at: new Date() };
      // In this order, a crash may leave a membership without a workspace, but never a workspace without an owner.
      await fromStore(memberships.insertOne(membership(workspace._id, ownerUserId, 'owner')));
      await fromStore(workspaces.insertOne({ ...workspace, owners: [requireString(ownerUserId)], deleted_at: null }));
      return workspaceOf(workspace);
    },
    get: async (id: string) => readOne(workspaces.findOne(existing(id)), workspaceOf),
    getMany: async (ids: string[]) => readAll(workspaces.find({ _id: { $in: ids }, deleted_at: null }), workspaceOf),
    /** Lists all workspaces, by id. */
    listAll: async ({ limit, after }: PageById) => {
      const found = workspaces.find({ _id: { $gt: startAfter(after, isUuid) }, deleted_at: null }).sort({ _id: 1 });
      return readPage(found.limit(limit + 1), limit, workspaceOf, (last) => last._id);
    },
    rename: async (id: string, name: string) => {
      const renamed = workspaces.findOneAndUpdate(existing(id), { $set: { name } }, { returnDocument: 'after' });
      return readOne(renamed, workspaceOf);
    },
    /** Marks the workspace as deleted and ends its memberships. Its records wait for erasure. Can be repeated. */
    remove: async (id: string) => {
      // Memberships go last, so that a member can retry a failed call.
      await fromStore(workspaces.updateOne(existing(id), { $set: { deleted_at: new Date() } }));
      await fromStore(memberships.deleteMany({ workspace_id: requireString(id) }));
    },

    /** Returns the user's role; null: not a member. */
    membership: async (workspaceId: string, userId: string) =>
      (await fromStore(memberships.findOne({ _id: membershipId(workspaceId, userId) })))?.role ?? null,
    /** Lists members by user id, which is also the cursor. */
    listMembers: async (workspaceId: string, { limit, after }: PageById) => {
      const behind = startAfter(after, (value) => isId('user', value));
      const filter = { workspace_id: requireString(workspaceId), user_id: { $gt: behind } };
      const found = memberships.find(filter).sort({ user_id: 1 });
      return readPage(found.limit(limit + 1), limit, memberOf, (last) => last.user_id);
    },
    /** Counts the workspaces that a user owns, up to a limit. */
    countOwned: async (userId: string, limit: number) =>
      fromStore(memberships.countDocuments({ user_id: requireString(userId), role: 'owner' }, { limit })),
    /** Lists a user's memberships by workspace id, which is also the cursor. */
    listOfUser: async (userId: string, { limit, after }: PageById) => {
      const filter = { user_id: requireString(userId), workspace_id: { $gt: startAfter(after, isUuid) } };
      const found = memberships.find(filter).sort({ workspace_id: 1 });
      return readPage(found.limit(limit + 1), limit, memberOf, (last) => last.workspace_id);
    },
    /** Throws `conflict` if the user is a member. Two round trips for an owner. */
    addMember: async (workspaceId: string, userId: string, role: Role) => {
      const added = membership(workspaceId, userId, role);
      await orConflict(memberships.insertOne(added), 'This user is already a member.');
      if (role === 'owner') await addOwner(workspaceId, userId);
      return memberOf(added);
    },
    /**
     * Returns null if there is no member with the role `from`. An owner must give up ownership first.
     * Two round trips for a new owner.
     */
    setRole: async (workspaceId: string, userId: string, from: Role, to: Role) => {
      const changed = memberships.findOneAndUpdate(
        { _id: membershipId(workspaceId, userId), role: from },
        { $set: { role: to } },
        { returnDocument: 'after' },
      );
      const member = await readOne(changed, memberOf);
      if (member !== null && to === 'owner') await addOwner(workspaceId, userId);
      return member;
    },
    /** Returns false if there is no member with this role. */
    removeMember: async (workspaceId: string, userId: string, role: Role) => {
      const deleted = memberships.deleteOne({ _id: membershipId(workspaceId, userId), role });
      return (await fromStore(deleted)).deletedCount > 0;
    },
    /** Removes a user from the owners. Returns false for the last one. Can be repeated. */
    giveUpOwnership: async (workspaceId: string, userId: string) => {
      const notTheLast = { ...existing(workspaceId), owners: userId, 'owners.1': { $exists: true } };
      const { modifiedCount } = await fromStore(workspaces.updateOne(notTheLast, { $pull: { owners: userId } }));
      if (modifiedCount > 0) return true;
      // An earlier call may have removed the user already.
      return (await fromStore(workspaces.findOne({ ...existing(workspaceId), owners: userId }))) === null;
    },
  };
}

function membership(workspaceId: string, userId: string, role: Role): StoredMembership {
  const _id = membershipId(workspaceId, userId);
  return { _id, workspace_id: workspaceId, user_id: userId, role, created_at: new Date() };
}

function membershipId(workspaceId: string, userId: string): string {
  return `${workspaceId.toLowerCase()}:${requireString(userId)}`;
}

function workspaceOf({ _id, name, created_at }: Pick<StoredWorkspace, '_id' | 'name' | 'created_at'>): WorkspaceRecord {
  return { id: _id, name, created_at };
}

function memberOf({ _id, ...member }: StoredMembership): MemberRecord {
  return member;
}
