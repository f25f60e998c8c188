import type { KnowledgeEntry } from '@chorus/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useScope } from '../scope/scope-context.tsx';

/** Events refresh it sooner; this covers lost events. */
const LOOK_EVERY_MS = 3_000;

/** Returns a document, and follows it while it is being read. */
export function useDocument(id: string): UseQueryResult<KnowledgeEntry> {
  const { client, scopeKey } = useScope();
  return useQuery({
    queryKey: [scopeKey, 'knowledge', 'one', id],
    queryFn: ({ signal }) => client.knowledge.get(id, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'processing' ? LOOK_EVERY_MS : false),
  });
}
