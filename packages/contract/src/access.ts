import { type Owner, type Role, roleAllows } from './owner.ts';

/** What an API key can be limited to. */
export const PERMISSIONS = ['read', 'write', 'run', 'manage', 'operator'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Of a key that asks for none by name. */
export const DEFAULT_PERMISSIONS: readonly Permission[] = ['read', 'write', 'run'];

/**
 * The one table of who may do what. `role`: the least role in the scope that may; in personal scope the user is owner. `permission`:
 * what an API key needs besides; null: no key may, only a user who has logged in.
 */
export const ACTIONS = {
  /** See what the scope shares, and what is one's own. */
  read: { role: 'viewer', permission: 'read' },
  /** Create records; edit and delete those that one has made. */
  write: { role: 'editor', permission: 'write' },
  /** Run models, cancel, run again. */
  run: { role: 'editor', permission: 'run' },
  /** Edit and delete what others have made, and end what they run. */
  change_others: { role: 'admin', permission: 'write' },
  /** Invite members, change and remove viewers and editors, rename the workspace, read its audit log. */
  manage: { role: 'admin', permission: 'manage' },
  /** Make, change and remove admins and owners; delete the workspace. */
  own: { role: 'owner', permission: 'manage' },
  /** One's own account, whatever the scope: API keys, password, logins, workspaces of one's own, leaving one. */
  account: { role: 'viewer', permission: null },
  /** The whole platform, whatever the scope: for users with the flag `operator`, never for a key bound to a workspace. */
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

/** Whether who asks may edit or delete a record of the scope: who made it, or whose role covers what others made. */
export function mayChange(role: Role, asking: Owner, made: Owner): boolean {
  return asking.user_id === made.user_id || roleMay(role, 'change_others');
}
