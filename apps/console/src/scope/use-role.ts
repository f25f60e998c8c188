import type { Workspace } from '@chorus/client';
import { useQuery } from '@tanstack/react-query';
import { useAccount } from '../account/account-gate.tsx';
import { useScope } from './scope-context.tsx';
import { workspacesQuery } from './workspaces.ts';

export type Role = Workspace['role'];

const ORDER: readonly Role[] = ['viewer', 'editor', 'admin', 'owner'];

interface OwnRole {
  role: Role;
  /** False until the server has said it. */
  isKnown: boolean;
  /** Whether one's role is at least this one. */
  isAtLeast: (least: Role) => boolean;
  /** Whether one may change, or end, what a user has made. @param userId who made it; null: nobody says */
  mayChange: (userId: string | null) => boolean;
}

/** What one is in the scope that is shown: the owner in one's own. Until it is known it is the least, so that nothing is offered in vain. */
export function useRole(): OwnRole {
  const { client, user } = useAccount();
  const { scope } = useScope();
  const { data } = useQuery(workspacesQuery(client));
  const told = scope.type === 'personal' ? 'owner' : data?.find(({ id }) => id === scope.workspaceId)?.role;
  const role = told ?? 'viewer';
  const isAtLeast = (least: Role) => ORDER.indexOf(role) >= ORDER.indexOf(least);
  return {
    role,
    isKnown: told !== undefined || data !== undefined,
    isAtLeast,
    mayChange: (userId) => isAtLeast('admin') || (isAtLeast('editor') && userId === user.id),
  };
}
