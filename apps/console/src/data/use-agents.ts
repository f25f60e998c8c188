import type { Agent } from '@chorus/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useScope } from '../scope/scope-context.tsx';

/** All agents of the scope. */
export function useAgents(): UseQueryResult<Agent[]> {
  const { client, scopeKey } = useScope();
  return useQuery({
    queryKey: [scopeKey, 'agents'],
    queryFn: ({ signal }) => Array.fromAsync(client.agents.all({}, { signal })),
  });
}
