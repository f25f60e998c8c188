import { type Actor, ChorusError, ROLES, type Role } from '@chorus/contract';
import type { Database, UserRecord } from '@chorus/database';
import type { Logger } from '@chorus/runtime/log';
import type { Users } from '../users.ts';
import type { Workspaces } from '../workspaces.ts';

/** Rights of the members of a group. */
export interface GroupRole {
  group: string;
  /** Null: operators of the platform. */
  workspaceId: string | null;
  role: Role | null;
}

export interface GroupParts {
  database: Pick<Database, 'workspaces'>;
  workspaces: Pick<Workspaces, 'addMember' | 'changeRole' | 'removeMember'>;
  users: Pick<Users, 'change'>;
  groupRoles: readonly GroupRole[];
  log: Logger;
}

/**
 * Gives a user the roles of their groups, and takes those that they no longer have. Workspaces that no group names
 * stay as they are.
 */
export async function applyGroups(
  parts: GroupParts,
  user: UserRecord,
  groups: readonly string[] | null,
  actor: Actor,
): Promise<void> {
  // A provider that sends no groups says nothing about them.
  if (groups === null) return;
  const own = new Set(groups);
  const named = Map.groupBy(parts.groupRoles, ({ workspaceId }) => workspaceId);
  for (const [workspaceId, rules] of named) {
    const held = rules.filter(({ group }) => own.has(group));
    if (workspaceId === null) {
      if (held.length > 0 !== user.operator) await parts.users.change(actor, user.id, { operator: held.length > 0 });
      continue;
    }
    const role = highest(held.flatMap(({ role }) => role ?? []));
    await setRole(parts, { workspaceId, userId: user.id, role }, actor).catch((err) => {
      // The last owner stays, and a deleted workspace has no members.
      if (!(err instanceof ChorusError) || err.code === 'store_unavailable') throw err;
      parts.log.warn({ err, user_id: user.id, workspace_id: workspaceId }, 'a role of a group was not applied');
    });
  }
}

async function setRole(
  { database, workspaces }: GroupParts,
  { workspaceId, userId, role }: { workspaceId: string; userId: string; role: Role | null },
  actor: Actor,
): Promise<void> {
  const before = await database.workspaces.membership(workspaceId, userId);
  if (before === role) return;
  if (role === null) await workspaces.removeMember(actor, workspaceId, 'owner', userId);
  else if (before === null) await workspaces.addMember(actor, workspaceId, userId, role);
  else await workspaces.changeRole(actor, workspaceId, 'owner', userId, role);
}

/** Roles are ordered from the least to the most powerful. */
const highest = (roles: readonly Role[]): Role | null => ROLES.findLast((role) => roles.includes(role)) ?? null;
