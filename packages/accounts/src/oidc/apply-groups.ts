import { type Actor, ChorusError, ROLES, type Role } from '@chorus/contract';
import type { Database, UserRecord } from '@chorus/database';
import type { Logger } from '@chorus/runtime/log';
import type { Users } from '../users.ts';
import type { Workspaces } from '../workspaces.ts';

/** Role that the members of a group get. */
export interface GroupRole {
  group: string;
  /** Null: they become operators of the platform. */
  workspaceId: string | null;
  role: Role | null;
}

export interface GroupParts {
  database: Pick<Database, 'workspaces' | 'users'>;
  workspaces: Pick<Workspaces, 'addMember' | 'changeRole' | 'removeMember'>;
  users: Pick<Users, 'change'>;
  groupRoles: readonly GroupRole[];
  log: Logger;
}

/**
 * Gives a user the roles of their groups, and removes roles of groups that they have left. Does not change workspaces
 * without a group, or the last operator.
 *
 * @param groups Null: the provider sent none, as some do for people without groups.
 */
export async function applyGroups(
  parts: GroupParts,
  user: UserRecord,
  groups: readonly string[] | null,
  actor: Actor,
): Promise<void> {
  const own = new Set(groups);
  const named = Map.groupBy(parts.groupRoles, ({ workspaceId }) => workspaceId);
  for (const [workspaceId, rules] of named) {
    const held = rules.filter(({ group }) => own.has(group));
    if (workspaceId === null) {
      await setOperator(parts, user, held.length > 0, actor);
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

async function setOperator(parts: GroupParts, user: UserRecord, operator: boolean, actor: Actor): Promise<void> {
  if (operator === user.operator) return;
  if (!operator && !(await parts.database.users.hasOtherOperator(user.id)))
    parts.log.warn({ user_id: user.id }, 'the last operator stays one, although no group says so');
  else await parts.users.change(actor, user.id, { operator });
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

/** Picks the more powerful role: roles are ordered from the least to the most powerful. */
const highest = (roles: readonly Role[]): Role | null => ROLES.findLast((role) => roles.includes(role)) ?? null;
