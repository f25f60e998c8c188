import { type Owner, type Role, roleAllows } from './owner.ts';

export const PERMISSIONS = ['read', 'write', 'run', 'manage', 'operator'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Permissions of a key that was created without any. */
export const DEFAULT_PERMISSIONS: readonly Permission[] = ['read', 'write', 'run'];

/**
 * The permission table. `role`: the lowest role that is allowed; in personal scope the user is the owner.
 * `permission`: what an API key needs, too; null: only for users who are logged in.
 */
export const ACTIONS = {
  /** Read the scope's shared records, and your own. */
  read: { role: 'viewer', permission: 'read' },
  /** Create records; edit and delete your own. */
  write: { role: 'editor', permission: 'write' },
  /** Run models, cancel, retry. */
  run: { role: 'editor', permission: 'run' },
  /** Edit and delete other members' records, and cancel their executions. */
  change_others: { role: 'admin', permission: 'write' },
  /**
   * Invite members, change and remove viewers and editors, rename the workspace, read its audit log, register MCP
   * servers and APIs.
   */
  manage: { role: 'admin', permission: 'manage' },
  /** Add, change and remove admins and owners; delete the workspace. */
  own: { role: 'owner', permission: 'manage' },
  /** Your account, in any scope: API keys, password, logins, creating and leaving workspaces. */
  account: { role: 'viewer', permission: null },
  /** Operate the platform, in any scope. Only for users with `operator`, and never with a key bound to a workspace. */
  operate: { role: 'viewer', permission: 'operator' },
} as const satisfies Record<string, { role: Role; permission: Permission | null }>;
export type Action = keyof typeof ACTIONS;

export function roleMay(role: Role, action: Action): boolean {
  return roleAllows(role, ACTIONS[action].role);
}

export function keyMay(permissions: readonly Permission[] | null, action: Action): boolean {
  const { permission } = ACTIONS[action];
  return permissions === null || (permission !== null && permissions.includes(permission));
}

/** Returns whether a user may edit or delete a record: their own, or others' if their role allows it. */
export function mayChange(role: Role, asking: Owner, made: Owner): boolean {
  return asking.user_id === made.user_id || roleMay(role, 'change_others');
}
