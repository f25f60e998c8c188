import type { ChorusClient, FeedFrame } from '@chorus/client';
import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { applySessionEvent } from './session-events.ts';

const KEY = ['personal', 'sessions', 'list', {}];
const stamp = { time: '2026-01-01T00:00:00.000Z', user_id: 'usr_a' };

test('changes and removes a conversation on every loaded page', async () => {
  const queryClient = new QueryClient();
  const page = (...ids: string[]) => ({ data: ids.map((id) => ({ id, title: id })), next_cursor: null });
  queryClient.setQueryData(KEY, { pages: [page('a'), page('b', 'c')], pageParams: [] });
  const client = { sessions: { get: async (id: string) => ({ id, title: 'new' }) } } as unknown as ChorusClient;
  const apply = (event: FeedFrame) => applySessionEvent({ client, queryClient, scopeKey: 'personal' }, event);
  await apply({ type: 'session.updated', session_id: 'b', ...stamp });
  await apply({ type: 'session.deleted', session_id: 'a', ...stamp });
  await apply({ type: 'events.opened' });
  const { pages } = queryClient.getQueryData(KEY) as { pages: { data: object[] }[] };
  expect(pages.map(({ data }) => data)).toEqual([
    [],
    [
      { id: 'b', title: 'new' },
      { id: 'c', title: 'c' },
    ],
  ]);
});
