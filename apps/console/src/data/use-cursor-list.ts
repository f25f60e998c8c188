import type { CallOptions, ChorusClient, Page } from '@chorus/client';
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useScope } from '../scope/scope-context.tsx';
import { listKey } from './list-key.ts';

interface PageQuery {
  limit: number;
  after?: string | undefined;
}

interface ListSource<T> {
  /** The list's name in `changedBy` in live-events.tsx. */
  name: string;
  /** Distinguishes lists of the same name. */
  filters?: Readonly<Record<string, unknown>>;
  fetchPage: (client: ChorusClient, query: PageQuery, options: CallOptions) => Promise<Page<T>>;
}

export interface CursorList<T> {
  items: readonly T[];
  isPending: boolean;
  error: Error | null;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  refresh: () => void;
  /** Changes a record locally, before the server confirms. */
  patch: (id: string, edit: Partial<T>) => void;
  remove: (id: string) => void;
}

/** The first page loads fast; later pages use the server's maximum. */
const FIRST_PAGE_SIZE = 50;
const NEXT_PAGE_SIZE = 100;

/** Loads a list page by page, and refreshes it when the event feed reports a change. */
export function useCursorList<T extends { id: string }>({
  name,
  filters = {},
  fetchPage,
}: ListSource<T>): CursorList<T> {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const queryKey = listKey(scopeKey, name, filters);
  const keyText = JSON.stringify(queryKey);
  const fetchAfter = (after: string | undefined, signal?: AbortSignal) =>
    fetchPage(client, { limit: after === undefined ? FIRST_PAGE_SIZE : NEXT_PAGE_SIZE, after }, { signal });
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchAfter(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    meta: { readHead: () => fetchAfter(undefined) },
  });

  const items = useMemo(() => uniqueById(query.data?.pages.flatMap(({ data }) => data) ?? []), [query.data]);
  // `queryKey` is a new array on every render; `keyText` changes only with its content.
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

/** Drops duplicates: a record may move between two pages while they load. */
function uniqueById<T extends { id: string }>(records: T[]): T[] {
  return [...new Map(records.map((record) => [record.id, record])).values()];
}
