import { useQuery } from '@tanstack/react-query';
import { useScope } from '../scope/scope-context.tsx';

/** The tags of the newest hundred documents, to choose from; others can be written. */
export function useKnownTags(): string[] {
  const { client, scopeKey } = useScope();
  const { data } = useQuery({
    queryKey: [scopeKey, 'knowledge', 'tags'],
    queryFn: async ({ signal }) => {
      const { data: entries } = await client.knowledge.list({ limit: 100 }, { signal });
      return [...new Set(entries.flatMap(({ tags }) => tags))].sort();
    },
  });
  return data ?? [];
}
