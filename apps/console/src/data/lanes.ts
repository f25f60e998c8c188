import type { Lane } from '@chorus/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useScope } from '../scope/scope-context.tsx';

/** The query of the lanes of all providers. For operators. */
export const LANES_KEY = ['administration', 'queues', 'lanes'] as const;

export function useLanes(refreshMs: number): UseQueryResult<Lane[]> {
  const { client } = useScope();
  return useQuery({
    queryKey: LANES_KEY,
    queryFn: async ({ signal }) => (await client.lanes.list({ signal })).data,
    refetchInterval: refreshMs,
  });
}

/** Whether the provider has refused the key or the account, so that work waits until an operator acts. */
export function isStopped({ reason }: Lane): boolean {
  return reason === 'key' || reason === 'credit';
}
