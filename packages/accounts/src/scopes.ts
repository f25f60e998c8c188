import { ChorusError, isUuid, type Owner, type Role, type User } from '@chorus/contract';
import type { WorkspaceRepository } from '@chorus/database';
import { ExpiringCache } from './expiring-cache.ts';

/** The scope headers as they came; absent: undefined. */
export interface ScopeRequest {
  user: User;
  scopeType: string | undefined;
  workspaceId: string | undefined;
}

export interface ResolvedScope {
  owner: Owner;
  role: Role;
}

const CACHED_MEMBERSHIPS = 10_000;
const MEMBERSHIP_CACHE_MS = 2_000;

/** Turns the scope headers into an owner and a role. See `Accounts.resolveScope`. */
export function createScopes(workspaces: Pick<WorkspaceRepository, 'membership'>) {
  const roles = new ExpiringCache<Role>(CACHED_MEMBERSHIPS);

  const roleIn = async (workspaceId: string, userId: string): Promise<Role | null> => {
    const key = `${workspaceId}:${userId}`;
    const cached = roles.get(key);
    if (cached !== undefined) return cached;
    const role = await workspaces.membership(workspaceId, userId);
    // Only members are remembered: who has just been added gets in at once.
    if (role !== null) roles.set(key, role, Date.now() + MEMBERSHIP_CACHE_MS);
    return role;
  };

  return async ({ user, scopeType, workspaceId }: ScopeRequest): Promise<ResolvedScope> => {
    if (scopeType === 'personal') {
      if (workspaceId !== undefined) throw invalidScope('x-workspace-id', 'must not be sent in personal scope');
      return { owner: { scope: 'personal', user_id: user.id, workspace_id: null }, role: 'owner' };
    }
    if (scopeType !== 'workspace') {
      const missing = scopeType === undefined || scopeType === '';
      throw invalidScope('x-scope-type', `${missing ? 'is required' : 'is unknown'}: personal or workspace`);
    }
    if (workspaceId === undefined || workspaceId === '')
      throw invalidScope('x-workspace-id', 'is required in workspace scope');
    if (!isUuid(workspaceId)) throw invalidScope('x-workspace-id', 'must be a UUID');
    const id = workspaceId.toLowerCase();
    const role = await roleIn(id, user.id);
    if (role === null) throw new ChorusError('workspace_forbidden', 'You are not a member of this workspace.');
    return { owner: { scope: 'workspace', user_id: user.id, workspace_id: id }, role };
  };
}

function invalidScope(header: string, message: string): ChorusError {
  return new ChorusError('invalid_scope', `The header ${header} ${message}.`, {
    details: [{ path: `headers.${header}`, message }],
  });
}
