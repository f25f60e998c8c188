import { randomUUID } from 'node:crypto';
import { ChorusError, isId, isUuid, type Role } from '@chorus/contract';
import { type Connection, type mongo, Schema } from 'mongoose';
import type { MemberRecord } from './account-records.ts';
import type { WorkspaceRepository } from './account-repositories.ts';
import { behindCursor, pageOf } from './page.ts';
import type { WorkspaceRecord } from './records.ts';
import { fromStore, isDuplicate } from './store-errors.ts';
import { requireText } from './stored-fields.ts';

export interface StoredWorkspace {
  _id: string;
  name: string;
  /** Its owners, here too: so that one atomic step can tell whether another one stays. */
  owners: string[];
  created_at: Date;
  /** What belongs to it waits for its erasure. */
  deleted_at: Date | null;
}

export interface StoredMembership {
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
      owners: [String],
      created_at: { type: Date, required: true },
      deleted_at: { type: Date, default: null },
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
  memberships.index({ workspace_id: 1, user_id: 1 });
  return {
    workspaces: connection.model('Workspace', workspaces),
    memberships: connection.model('WorkspaceMember', memberships),
  };
}

export function createWorkspaceRepository(
  workspaces: mongo.Collection<StoredWorkspace>,
  memberships: mongo.Collection<StoredMembership>,
): WorkspaceRepository {
  const living = (id: string) => ({ _id: requireText(id), deleted_at: null });

  return {
    create: async ({ name }, ownerUserId) => {
      const workspace = { id: randomUUID(), name, created_at: new Date() };
      const { id, created_at } = workspace;
      // The membership first: a crash in between leaves a membership of nothing, not a workspace of nobody.
      await fromStore(memberships.insertOne(membership(id, ownerUserId, 'owner')));
      await fromStore(
        workspaces.insertOne({ _id: id, name, owners: [requireText(ownerUserId)], created_at, deleted_at: null }),
      );
      return workspace;
    },
    get: async (id) => workspaceOf(await fromStore(workspaces.findOne(living(id)))),
    getMany: async (ids) =>
      (await fromStore(workspaces.find({ _id: { $in: ids }, deleted_at: null }).toArray())).map(workspaceOf),
    listAll: async ({ limit, after }) => {
      const found = workspaces.find({ _id: { $gt: behindCursor(after, isUuid) }, deleted_at: null }).sort({ _id: 1 });
      return pageOf(await fromStore(found.limit(limit + 1).toArray()), limit, workspaceOf, (last) => last._id);
    },
    rename: async (id, name) => {
      const renamed = workspaces.findOneAndUpdate(living(id), { $set: { name } }, { returnDocument: 'after' });
      return workspaceOf(await fromStore(renamed));
    },
    remove: async (id) => {
      // The members last: whoever fails half way is still one, and can do it again.
      await fromStore(workspaces.updateOne(living(id), { $set: { deleted_at: new Date() } }));
      await fromStore(memberships.deleteMany({ workspace_id: requireText(id) }));
    },

    membership: async (workspaceId, userId) =>
      (await fromStore(memberships.findOne({ _id: membershipId(workspaceId, userId) })))?.role ?? null,
    listMembers: async (workspaceId, { limit, after }) => {
      const behind = behindCursor(after, (value) => isId('user', value));
      const filter = { workspace_id: requireText(workspaceId), user_id: { $gt: behind } };
      const found = memberships.find(filter).sort({ user_id: 1 });
      return pageOf(await fromStore(found.limit(limit + 1).toArray()), limit, memberOf, (last) => last.user_id);
    },
    countOwned: (userId, limit) =>
      fromStore(memberships.countDocuments({ user_id: requireText(userId), role: 'owner' }, { limit })),
    listOfUser: async (userId, { limit, after }) => {
      const filter = { user_id: requireText(userId), workspace_id: { $gt: behindCursor(after, isUuid) } };
      const found = memberships.find(filter).sort({ workspace_id: 1 });
      return pageOf(await fromStore(found.limit(limit + 1).toArray()), limit, memberOf, (last) => last.workspace_id);
    },
    addMember: async (workspaceId, userId, role) => {
      const added = membership(workspaceId, userId, role);
      try {
        await fromStore(memberships.insertOne(added));
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        throw new ChorusError('conflict', 'This user is a member already.', { cause: error });
      }
      if (role === 'owner') await addOwner(workspaces, workspaceId, userId);
      return memberOf(added);
    },
    setRole: async (workspaceId, userId, from, to) => {
      const changed = memberships.findOneAndUpdate(
        { _id: membershipId(workspaceId, userId), role: from },
        { $set: { role: to } },
        { returnDocument: 'after' },
      );
      const stored = await fromStore(changed);
      if (stored !== null && to === 'owner') await addOwner(workspaces, workspaceId, userId);
      return stored === null ? null : memberOf(stored);
    },
    removeMember: async (workspaceId, userId, role) => {
      const deleted = memberships.deleteOne({ _id: membershipId(workspaceId, userId), role });
      return (await fromStore(deleted)).deletedCount > 0;
    },
    giveUpOwnership: async (workspaceId, userId) => {
      const notTheLast = { ...living(workspaceId), owners: userId, 'owners.1': { $exists: true } };
      const { modifiedCount } = await fromStore(workspaces.updateOne(notTheLast, { $pull: { owners: userId } }));
      if (modifiedCount > 0) return true;
      // An earlier try got so far and no further.
      return (await fromStore(workspaces.findOne({ ...living(workspaceId), owners: userId }))) === null;
    },
  };
}

async function addOwner(workspaces: mongo.Collection<StoredWorkspace>, id: string, userId: string): Promise<void> {
  await fromStore(workspaces.updateOne({ _id: id }, { $addToSet: { owners: userId } }));
}

function membership(workspaceId: string, userId: string, role: Role): StoredMembership {
  const _id = membershipId(workspaceId, userId);
  return { _id, workspace_id: workspaceId, user_id: userId, role, created_at: new Date() };
}

function membershipId(workspaceId: string, userId: string): string {
  return `${workspaceId.toLowerCase()}:${requireText(userId)}`;
}

function workspaceOf<S extends StoredWorkspace | null>(stored: S): S extends null ? null : WorkspaceRecord;
function workspaceOf(stored: StoredWorkspace | null): WorkspaceRecord | null {
  if (stored === null) return null;
  return { id: stored._id, name: stored.name, created_at: stored.created_at };
}

function memberOf({ _id, ...member }: StoredMembership): MemberRecord {
  return member;
}
