/** Whom a record belongs to: the scope, and the user who made it. Every record carries it, every repository demands it. */
export interface Owner {
  readonly scope: 'personal' | 'workspace';
  readonly user_id: string;
  /** The workspace's UUID in workspace scope, else null. */
  readonly workspace_id: string | null;
}

export const ROLES = ['viewer', 'editor', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Whether `role` may do what needs at least `needed`. */
export function roleAllows(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** One string for a scope, as stored and indexed: `personal:usr_…` or `workspace:<uuid>`. */
export function scopeKey(owner: Owner): string {
  return owner.scope === 'personal' ? personalScope(owner.user_id) : workspaceScope(String(owner.workspace_id));
}

/** The `scopeKey` of what is a user's own. */
export function personalScope(userId: string): string {
  return `personal:${userId}`;
}

/** The `scopeKey` of what is a workspace's. */
export function workspaceScope(workspaceId: string): string {
  return `workspace:${workspaceId}`;
}
