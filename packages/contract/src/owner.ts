/** The owner of a record: its scope, and the user who created it. Every repository requires one. */
export interface Owner {
  readonly scope: 'personal' | 'workspace';
  readonly user_id: string;
  /** The workspace's UUID in workspace scope, else null. */
  readonly workspace_id: string | null;
}

export const ROLES = ['viewer', 'editor', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Returns whether `role` includes the rights of `needed`. */
export function roleAllows(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Returns the string that identifies a scope: `personal:usr_…` or `workspace:<uuid>`. */
export function scopeKey(owner: Owner): string {
  return owner.scope === 'personal' ? personalScope(owner.user_id) : workspaceScope(String(owner.workspace_id));
}

export function personalScope(userId: string): string {
  return `personal:${userId}`;
}

export function workspaceScope(workspaceId: string): string {
  return `workspace:${workspaceId}`;
}
