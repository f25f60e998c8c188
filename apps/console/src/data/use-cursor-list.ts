import type { CallOptions, ChorusClient, Page } from '@chorus/client';
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useScope } from '../scope/scope-context.tsx';

interface PageQuery {
  limit: number;
  after?: string | undefined;
}

interface ListSource<T> {
  /** What it is a list of, as `changedBy` calls it. */
  name: string;
  /** What tells this list from others of the same name. */
  filters?: Readonly<Record<string, unknown>>;
  readPage: (client: ChorusClient, query: PageQuery, options: CallOptions) => Promise<Page<T>>;
}

export interface CursorList<T> {
  /** All that was read so far, in order. */
  items: readonly T[];
  isPending: boolean;
  error: Error | null;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  /** Reads all of it anew. */
  refresh: () => void;
  /** Shows a record otherwise, before the server has been asked. */
  patch: (id: string, change: Partial<T>) => void;
  /** Leaves a record out. */
  remove: (id: string) => void;
}

/** What is seen at first comes soon; what is scrolled to comes in as large pieces as the server gives. */
const FIRST_PAGE = 50;
const NEXT_PAGES = 100;

/** Under which a list is kept. */
export function listKey(scopeKey: string, name: string, filters: Readonly<Record<string, unknown>>) {
  return [scopeKey, name, 'list', filters] as const;
}

/** A list that is read page by page as it is wanted, and kept up with what happens. */
export function useCursorList<T extends { id: string }>({
  name,
  filters = {},
  readPage,
}: ListSource<T>): CursorList<T> {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const queryKey = listKey(scopeKey, name, filters);
  const keyText = JSON.stringify(queryKey);
  const read = (after: string | undefined, signal?: AbortSignal) =>
    readPage(client, { limit: after === undefined ? FIRST_PAGE : NEXT_PAGES, after }, { signal });
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    meta: { readHead: () => read(undefined) },
  });

  const items = useMemo(() => distinct(query.data?.pages.flatMap(({ data }) => data) ?? []), [query.data]);
  // The key is made anew by each drawing; its text tells whether it is another.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const change = useCallback(
    (edit: (records: T[]) => T[]) => {
      queryClient.setQueryData<InfiniteData<Page<T>>>(
        queryKey,
        (known) => known && { ...known, pages: known.pages.map((page) => ({ ...page, data: edit(page.data) })) },
      );
    },
    [queryClient, keyText],
  );
  const { hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  return {
    items,
    isPending: query.isPending,
    error: query.data ? null : query.error,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: useCallback(() => {
      if (hasNextPage && !isFetchingNextPage) fetchNextPage();
    }, [hasNextPage, isFetchingNextPage, fetchNextPage]),
    refresh: useCallback(() => void refetch(), [refetch]),
    patch: useCallback(
      (id, fields) => change((all) => all.map((one) => (one.id === id ? { ...one, ...fields } : one))),
      [change],
    ),
    remove: useCallback((id) => change((all) => all.filter((one) => one.id !== id)), [change]),
  };
}

/** Between two pages a record may have moved from one to the other. */
function distinct<T extends { id: string }>(records: T[]): T[] {
  return [...new Map(records.map((record) => [record.id, record])).values()];
}
