import type { Page } from '@chorus/client';
import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query';

type Pages = InfiniteData<Page<{ id: string }>>;

/** Lists of more pages are brought up to date at their head alone. */
const WHOLE_PAGES = 2;

/** Has read anew what is shown of a name, such as `jobs`, in a scope. Of a long list that is its head: what is new comes there. */
export function refresh(queryClient: QueryClient, scopeKey: string, name: string): void {
  const isLong = (query: Query) => ((query.state.data as Pages | undefined)?.pages?.length ?? 0) > WHOLE_PAGES;
  queryClient.invalidateQueries({ queryKey: [scopeKey, name], predicate: (query) => !isLong(query) });
  for (const query of queryClient.getQueryCache().findAll({ queryKey: [scopeKey, name], predicate: isLong })) {
    if (query.isActive()) refreshHead(queryClient, query);
    else query.reset();
  }
}

async function refreshHead(queryClient: QueryClient, query: Query): Promise<void> {
  const readHead = query.meta?.readHead as (() => Promise<Page<{ id: string }>>) | undefined;
  const head = await readHead?.().catch(() => undefined); // the next change brings another try
  if (head === undefined) return;
  const fresh = new Set(head.data.map(({ id }) => id));
  queryClient.setQueryData<Pages>(query.queryKey, (known) => {
    if (known === undefined) return known;
    const [first, ...rest] = known.pages;
    // What has left the head for the places behind it stays, in front of those.
    const moved = first?.data.filter(({ id }) => !fresh.has(id)) ?? [];
    const others = rest.map((page) => ({ ...page, data: page.data.filter(({ id }) => !fresh.has(id)) }));
    const pages = [
      { ...first, ...head, data: [...head.data, ...moved], next_cursor: first?.next_cursor ?? null },
      ...others,
    ];
    return { ...known, pages };
  });
}
