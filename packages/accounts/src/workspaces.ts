import {
  type Actor,
  type AuditAction,
  type AuditLog,
  ChorusError,
  checkRecordLimit,
  type ListQuery,
  type Member,
  type Page,
  type Role,
  roleMay,
  type Workspace,
  workspaceScope,
} from '@chorus/contract';
import type { Database, MemberRecord, WorkspaceRecord } from '@chorus/database';
import type { Versions } from './versions.ts';

/**
 * Workspaces and members. `as` is the caller's role, already checked against the action's minimum. Rules about admins
 * and owners are checked here.
 */
export interface Workspaces {
  create(actor: Actor, userId: string, name: string): Promise<Workspace>;
  /**
   * Lists the user's workspaces, by id.
   * @param only the one workspace a key is bound to
   */
  list(userId: string, query: ListQuery, only?: string | null): Promise<Page<Workspace>>;
  listAll(query: ListQuery): Promise<Page<WorkspaceRecord>>;
  /** @throws {ChorusError} not_found */
  get(id: string, as: Role): Promise<Workspace>;
  rename(actor: Actor, id: string, as: Role, name: string): Promise<Workspace>;
  /** Ends all memberships and invitations; the workspace's data becomes unreachable. */
  remove(actor: Actor, id: string): Promise<void>;
  listMembers(id: string, query: ListQuery): Promise<Page<Member>>;
  /**
   * Adds a member directly, for server commands; others are invited.
   * @throws {ChorusError} conflict if already a member
   */
  addMember(actor: Actor, id: string, userId: string, role: Role): Promise<Member>;
  /**
   * @throws {ChorusError} not_found; role_forbidden if only an owner may do this; last_owner if no owner would remain
   */
  changeRole(actor: Actor, id: string, as: Role, userId: string, role: Role): Promise<Member>;
  /** Throws like `changeRole`. */
  removeMember(actor: Actor, id: string, as: Role, userId: string): Promise<void>;
  /** @throws {ChorusError} not_found, last_owner */
  leave(actor: Actor, id: string, userId: string): Promise<void>;
}

export interface WorkspaceParts {
  database: Pick<Database, 'workspaces' | 'invitations' | 'users'>;
  versions: Versions;
  audit: AuditLog;
}

export function createWorkspaces({ database, versions, audit }: WorkspaceParts): Workspaces {
  const { workspaces, invitations, users } = database;

  const note = (
    actor: Actor,
    id: string,
    action: AuditAction,
    details: Record<string, string> = {},
    target: { type: string; id: string } = { type: 'workspace', id },
  ) => audit.record(actor, { scope_key: workspaceScope(id), action, target, details });
  const noteMember = (actor: Actor, id: string, action: AuditAction, userId: string, details = {}) =>
    note(actor, id, action, details, { type: 'user', id: userId });

  const presentMembers = async (records: MemberRecord[]): Promise<Member[]> => {
    const found = await users.getMany(records.map(({ user_id }) => user_id));
    const emails = new Map(found.map(({ id, email }) => [id, email]));
    return records.map((record) => ({
      id: record.user_id,
      object: 'member',
      workspace_id: record.workspace_id,
      email: emails.get(record.user_id) ?? '',
      role: record.role,
      created_at: record.created_at.toISOString(),
    }));
  };
  const presentMember = async (record: MemberRecord): Promise<Member> => (await presentMembers([record]))[0] as Member;

  /**
   * reserves that no other owner leaves.
   */
  const takeRole = async (id: string, as: Role, userId: string, next: Role | null): Promise<Role> => {
    const role = await workspaces.membership(id, userId);
    if (role === null) throw unknownMember();
    if ((isPrivileged(role) || (next !== null && isPrivileged(next))) && !roleMay(as, 'own'))
      throw new ChorusError('role_forbidden', 'Only owners may add, change or remove admins and owners.');
    if (role === 'owner' && next !== 'owner' && !(await workspaces.giveUpOwnership(id, userId)))
      throw new ChorusError('last_owner', 'A workspace needs an owner. Make someone else an owner first.');
    return role;
  };

  const endMembership = async (actor: Actor, id: string, userId: string, role: Role, action: AuditAction) => {
    if (!(await workspaces.removeMember(id, userId, role))) throw concurrentChange();
    await noteMember(actor, id, action, userId, { role });
    await versions.changed('members');
  };

  return {
    create: async (actor, userId, name) => {
      await checkRecordLimit('workspaces', (most) => workspaces.countOwned(userId, most));
      const record = await workspaces.create({ name }, userId);
      await note(actor, record.id, 'workspace.created', { name });
      return presentWorkspace(record, 'owner');
    },
    list: async (userId, query, only = null) => {
      if (only !== null) {
        const [record, role] = await Promise.all([workspaces.get(only), workspaces.membership(only, userId)]);
        const data = record === null || role === null ? [] : [presentWorkspace(record, role)];
        return { data, has_more: false, next_cursor: null };
      }
      const page = await workspaces.listOfUser(userId, query);
      const records = new Map(
        (await workspaces.getMany(page.data.map(({ workspace_id }) => workspace_id))).map((one) => [one.id, one]),
      );
      const data = page.data.flatMap(({ workspace_id, role }) => {
        const record = records.get(workspace_id);
        return record === undefined ? [] : [presentWorkspace(record, role)];
      });
      return { ...page, data };
    },
    listAll: (query) => workspaces.listAll(query),
    get: async (id, as) => presentWorkspace(known(await workspaces.get(id)), as),
    rename: async (actor, id, as, name) => {
      const renamed = known(await workspaces.rename(id, name));
      await note(actor, id, 'workspace.renamed', { name });
      return presentWorkspace(renamed, as);
    },
    remove: async (actor, id) => {
      await invitations.removeByWorkspace(id);
      await workspaces.remove(id);
      await note(actor, id, 'workspace.deleted');
      await versions.changed('members');
    },
    listMembers: async (id, query) => {
      const page = await workspaces.listMembers(id, query);
      return { ...page, data: await presentMembers(page.data) };
    },
    addMember: async (actor, id, userId, role) => {
      known(await workspaces.get(id));
      const added = await workspaces.addMember(id, userId, role);
      await noteMember(actor, id, 'member.added', userId, { role });
      return presentMember(added);
    },
    changeRole: async (actor, id, as, userId, role) => {
      const before = await takeRole(id, as, userId, role);
      const changed = await workspaces.setRole(id, userId, before, role);
      if (changed === null) throw concurrentChange();
      await noteMember(actor, id, 'member.role_changed', userId, { from: before, to: role });
      await versions.changed('members');
      return presentMember(changed);
    },
    removeMember: async (actor, id, as, userId) => {
      const role = await takeRole(id, as, userId, null);
      await endMembership(actor, id, userId, role, 'member.removed');
    },
    leave: async (actor, id, userId) => {
      const role = await takeRole(id, 'owner', userId, null);
      await endMembership(actor, id, userId, role, 'member.left');
    },
  };
}

function isPrivileged(role: Role): boolean {
  return role === 'admin' || role === 'owner';
}

function known(record: WorkspaceRecord | null): WorkspaceRecord {
  if (record === null) throw new ChorusError('not_found', 'There is no such workspace.');
  return record;
}

function unknownMember(): ChorusError {
  return new ChorusError('not_found', 'There is no such member.');
}

function concurrentChange(): ChorusError {
  return new ChorusError('conflict', 'This member was changed at the same time. Reload and try again.');
}

export function presentWorkspace({ id, name, created_at }: WorkspaceRecord, role: Role): Workspace {
  return { id, object: 'workspace', name, role, created_at: created_at.toISOString() };
}
