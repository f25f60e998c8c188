import { ChorusError, isUuid, type Owner, type Role } from '@chorus/contract';
import type { WorkspaceRepository } from '@chorus/database';
import type { Credential } from './credential.ts';
import { VersionedCache } from './versioned-cache.ts';
import type { Versions } from './versions.ts';

/** Scope headers as sent; undefined if absent. */
export interface ScopeRequest {
  credential: Pick<Credential, 'user' | 'key'>;
  scopeType: string | undefined;
  workspaceId: string | undefined;
}

export interface ResolvedScope {
  owner: Owner;
  role: Role;
}

export interface Scopes {
  resolve(request: ScopeRequest): Promise<ResolvedScope>;
  /** Returns the user's current role, or null if the workspace does not exist or the user is not a member. */
  roleIn(workspaceId: string, userId: string): Promise<Role | null>;
}

const CACHE = { limit: 10_000, ttlMs: 2_000 };

export function createScopes(workspaces: Pick<WorkspaceRepository, 'membership'>, versions: Versions): Scopes {
  // Only memberships are cached, so new members get in at once.
  const roles = new VersionedCache<Role>(versions, 'members', CACHE);

  const roleIn: Scopes['roleIn'] = (workspaceId, userId) => {
    const id = workspaceId.toLowerCase();
    return roles.get(`${id}:${userId}`, () => workspaces.membership(id, userId));
  };

  const resolve: Scopes['resolve'] = async ({ credential: { user, key }, scopeType, workspaceId }) => {
    if (scopeType === 'personal') {
      if (workspaceId !== undefined) throw invalidScope('x-workspace-id', 'must not be sent in personal scope');
      if (key !== null && key.workspace_id !== null)
        throw new ChorusError('forbidden', 'This API key is bound to another workspace.');
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
    // A key must not reveal its user's other workspaces.
    const reachable = key === null || key.workspace_id === null || key.workspace_id === id;
    const role = reachable ? await roleIn(id, user.id) : null;
    if (role === null) throw new ChorusError('workspace_forbidden', 'You are not a member of this workspace.');
    return { owner: { scope: 'workspace', user_id: user.id, workspace_id: id }, role };
  };

  return { resolve, roleIn };
}

function invalidScope(header: string, message: string): ChorusError {
  return new ChorusError('invalid_scope', `The header ${header} ${message}.`, {
    details: [{ path: `headers.${header}`, message }],
  });
}
