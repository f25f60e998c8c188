import type { Page } from '@chorus/client';
import type { InfiniteData, Query, QueryClient, QueryKey } from '@tanstack/react-query';

type Pages = InfiniteData<Page<{ id: string }>>;

/** Lists of more pages are brought up to date at their head alone. */
const WHOLE_PAGES = 2;

/** What is to be read anew as soon as what is being read has come, and whether the whole of it. */
const waiting = new WeakMap<Query, boolean>();

/** Heads that are being read. */
const heads = new WeakMap<Query, Promise<void>>();

/**
 * Has read anew what is shown under a key, such as a scope's `jobs`. What is being read meanwhile was perhaps asked for before the change, so it is read once more
 * behind that, however many changes come until then: the library would join a first reading, and call off any other, so that of a busy list nothing ever came.
 *
 * @param whole also what lies deep in a long list; else its head alone is read, since what is new comes there
 * @returns once all has come
 */
export async function refresh(queryClient: QueryClient, queryKey: QueryKey, { whole = false } = {}): Promise<void> {
  const queries = queryClient.getQueryCache().findAll({ queryKey });
  await Promise.all(queries.map((query) => readAnew(queryClient, query, whole)));
}

async function readAnew(queryClient: QueryClient, query: Query, whole: boolean): Promise<void> {
  let isWhole = whole;
  if (isRead(query)) {
    const isAwaited = waiting.has(query);
    waiting.set(query, whole || waiting.get(query) === true);
    if (isAwaited) return;
    while (isRead(query)) await Promise.allSettled([query.promise, heads.get(query)]);
    isWhole = waiting.get(query) === true;
    waiting.delete(query);
  }
  const isLong = ((query.state.data as Pages | undefined)?.pages?.length ?? 0) > WHOLE_PAGES;
  if (isWhole || !isLong) await queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
  else if (query.isActive()) {
    const head = refreshHead(queryClient, query).finally(() => heads.delete(query));
    heads.set(query, head);
    await head;
  } else query.reset();
}

function isRead(query: Query): boolean {
  return query.promise !== undefined || heads.has(query);
}

async function refreshHead(queryClient: QueryClient, query: Query): Promise<void> {
  const readHead = query.meta?.readHead as (() => Promise<Page<{ id: string }>>) | undefined;
  const head = await readHead?.().catch(() => undefined); // the next change brings another try
  await query.promise?.catch(() => undefined); // a page that comes meanwhile is put behind those that were there when it was asked for
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
