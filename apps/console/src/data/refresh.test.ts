import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { refresh } from './refresh.ts';

const KEY = ['scope', 'jobs'];

/** Returns a query function whose results the test resolves by hand. */
function readings<T>() {
  const asked: ((value: T) => void)[] = [];
  return { asked, read: () => new Promise<T>((resolve) => asked.push(resolve)) };
}

test('reads again after a change that arrives during a read', async () => {
  const client = new QueryClient();
  const { asked, read } = readings<string>();
  const seen: unknown[] = [];
  const observer = new QueryObserver(client, { queryKey: KEY, queryFn: read });
  const leave = observer.subscribe(({ data }) => seen.push(data));
  const first = Promise.all([refresh(client, KEY), refresh(client, KEY), refresh(client, ['scope'])]);
  expect(asked).toHaveLength(1);
  asked[0]?.('old');
  await expect.poll(() => asked.length).toBe(2);
  const second = Promise.all([refresh(client, KEY), refresh(client, KEY)]);
  asked[1]?.('newer');
  await expect.poll(() => asked.length).toBe(3);
  asked[2]?.('newest');
  await Promise.all([first, second]);
  expect(client.getQueryData(KEY)).toBe('newest');
  expect(seen).toContain('newer'); // even a list that changes all the time is shown
  leave();
});

test('refreshes only the head of a long list, and keeps a page that arrives meanwhile', async () => {
  const client = new QueryClient();
  type List = { data: { id: string }[]; has_more: boolean; next_cursor: string | null };
  const page = (cursor: string | null, ...ids: string[]): List => {
    return { data: ids.map((id) => ({ id })), has_more: cursor !== null, next_cursor: cursor };
  };
  const pages = readings<List>();
  const heads = readings<List>();
  const observer = new InfiniteQueryObserver(client, {
    queryKey: KEY,
    queryFn: pages.read,
    initialPageParam: '',
    getNextPageParam: (last: List) => last.next_cursor,
    meta: { readHead: heads.read },
  });
  const leave = observer.subscribe(() => undefined);
  pages.asked[0]?.(page('c', 'd', 'c'));
  for (const [number, next] of [page('b', 'b2'), page('a', 'b1')].entries()) {
    await expect.poll(() => observer.getCurrentResult().data?.pages.length).toBe(number + 1);
    const more = observer.fetchNextPage();
    pages.asked[number + 1]?.(next);
    await more;
  }
  const refreshed = refresh(client, KEY);
  const again = refresh(client, KEY);
  const more = observer.fetchNextPage();
  heads.asked[0]?.(page('d', 'e', 'd'));
  pages.asked[3]?.(page(null, 'a'));
  await more;
  await refreshed;
  await expect.poll(() => heads.asked.length).toBe(2);
  heads.asked[1]?.(page('d', 'f', 'e'));
  await again;
  const shown = observer.getCurrentResult().data?.pages.flatMap(({ data }) => data.map(({ id }) => id));
  expect(shown).toEqual(['f', 'e', 'd', 'c', 'b2', 'b1', 'a']);
  leave();
});
