import { useQuery } from '@tanstack/react-query';
import { useAccount } from '../../../account/account-gate.tsx';
import { useScope } from '../../../scope/scope-context.tsx';

/** Tells people of the scope by their e-mail; those who have left it by their id. */
export function usePeople(): (id: string) => string {
  const { client, scope, scopeKey } = useScope();
  const { user } = useAccount();
  const workspaceId = scope.type === 'workspace' ? scope.workspaceId : null;
  const { data = [] } = useQuery({
    queryKey: [scopeKey, 'members'],
    queryFn: ({ signal }) => Array.fromAsync(client.workspaces.members(String(workspaceId), { signal })),
    enabled: workspaceId !== null,
  });
  return (id) => (id === user.id ? user.email : (data.find((member) => member.id === id)?.email ?? id));
}
