import { useQuery } from '@tanstack/react-query';
import { useScope } from '../scope/scope-context.tsx';

interface KnownTags {
  tags: string[];
  /** Says so where documents may have tags that are not among them; else undefined. */
  note: string | undefined;
}

const NONE: KnownTags = { tags: [], note: undefined };

/** The tags of the newest hundred documents, to choose from; others can be written. */
export function useKnownTags(): KnownTags {
  const { client, scopeKey } = useScope();
  const { data } = useQuery({
    queryKey: [scopeKey, 'knowledge', 'tags'],
    queryFn: async ({ signal }) => {
      const { data: entries, next_cursor } = await client.knowledge.list({ limit: 100 }, { signal });
      const note = next_cursor === null ? undefined : 'Tags of older documents can be typed';
      return { tags: [...new Set(entries.flatMap(({ tags }) => tags))].sort(), note };
    },
  });
  return data ?? NONE;
}
