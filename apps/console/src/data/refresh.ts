import type { Page } from '@chorus/client';
import type { InfiniteData, Query, QueryClient, QueryKey } from '@tanstack/react-query';

type Pages = InfiniteData<Page<{ id: string }>>;

/** Longer lists refresh only their first page. */
const MAX_FULL_REFETCH_PAGES = 2;

/** Queries to reload after the current fetch; true means all pages. */
const queued = new WeakMap<Query, boolean>();

/** Running fetches of first pages. */
const headReads = new WeakMap<Query, Promise<void>>();

/**
 * Reloads the queries under a key, such as a scope's `jobs`.
 *
 * A fetch that is already running may have started before the change, so another one follows it, however many
 * changes arrive. TanStack Query would either join the running fetch or cancel it, and a busy list would never
 * load.
 *
 * @param whole reloads all pages; by default a long list reloads only its first page, where new records
 * appear
 */
export async function refresh(queryClient: QueryClient, queryKey: QueryKey, { whole = false } = {}): Promise<void> {
  const queries = queryClient.getQueryCache().findAll({ queryKey });
  await Promise.all(queries.map((query) => refetch(queryClient, query, whole)));
}

async function refetch(queryClient: QueryClient, query: Query, whole: boolean): Promise<void> {
  let isWhole = whole;
  if (isFetching(query)) {
    const isQueued = queued.has(query);
    queued.set(query, whole || queued.get(query) === true);
    if (isQueued) return;
    while (isFetching(query)) await Promise.allSettled([query.promise, headReads.get(query)]);
    isWhole = queued.get(query) === true;
    queued.delete(query);
  }
  const isLong = ((query.state.data as Pages | undefined)?.pages?.length ?? 0) > MAX_FULL_REFETCH_PAGES;
  if (isWhole || !isLong) await queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
  else if (query.isActive()) {
    const head = refreshHead(queryClient, query).finally(() => headReads.delete(query));
    headReads.set(query, head);
    await head;
  } else query.reset();
}

function isFetching(query: Query): boolean {
  return query.promise !== undefined || headReads.has(query);
}

async function refreshHead(queryClient: QueryClient, query: Query): Promise<void> {
  const readHead = query.meta?.readHead as (() => Promise<Page<{ id: string }>>) | undefined;
  const head = await readHead?.().catch(() => undefined); // the next change tries again
  await query.promise?.catch(() => undefined); // a page that arrives now must first be appended to the old pages
  if (head === undefined) return;
  const fresh = new Set(head.data.map(({ id }) => id));
  queryClient.setQueryData<Pages>(query.queryKey, (known) => {
    if (known === undefined) return known;
    const [first, ...rest] = known.pages;
    // Records pushed off the first page stay in front of the second one.
    const moved = first?.data.filter(({ id }) => !fresh.has(id)) ?? [];
    const others = rest.map((page) => ({ ...page, data: page.data.filter(({ id }) => !fresh.has(id)) }));
    const pages = [
      { ...first, ...head, data: [...head.data, ...moved], next_cursor: first?.next_cursor ?? null },
      ...others,
    ];
    return { ...known, pages };
  });
}
