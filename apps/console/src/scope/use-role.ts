import type { ChorusClient, Workspace } from '@chorus/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useAccount } from '../account/account-gate.tsx';
import { useScope } from './scope-context.tsx';

export type Role = Workspace['role'];

const RANKED_ROLES: readonly Role[] = ['viewer', 'editor', 'admin', 'owner'];

interface RoleInfo {
  role: Role;
  /** False until the server has answered. */
  isKnown: boolean;
  isAtLeast: (least: Role) => boolean;
  /**
   * Whether the user may change or cancel another user's record.
   *
   * @param userId its creator; null if unknown
   */
  canChange: (userId: string | null) => boolean;
}

/**
 * Returns the user's role in the current scope. Until it is known, it is the lowest, so that nothing forbidden
 * is offered.
 */
export function useRole(): RoleInfo {
  const { client, user } = useAccount();
  const { scope } = useScope();
  const { data } = useQuery(workspacesQuery(client));
  const known = scope.type === 'personal' ? 'owner' : data?.find(({ id }) => id === scope.workspaceId)?.role;
  const role = known ?? 'viewer';
  const isAtLeast = (least: Role) => RANKED_ROLES.indexOf(role) >= RANKED_ROLES.indexOf(least);
  return {
    role,
    isKnown: known !== undefined || data !== undefined,
    isAtLeast,
    canChange: (userId) => isAtLeast('admin') || (isAtLeast('editor') && userId === user.id),
  };
}

export const workspacesQuery = (client: ChorusClient) =>
  queryOptions({ queryKey: ['workspaces'], queryFn: () => Array.fromAsync(client.workspaces.all()) });
