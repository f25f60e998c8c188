import type { ChorusClient, FeedFrame, Session } from '@chorus/client';
import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { messagesKey } from './list-key.ts';
import { applySessionEvent, refreshMessages } from './session-events.ts';

const stamp = { time: '2026-01-01T00:00:00.000Z', user_id: 'usr_a' };
const keyOf = (filters: object) => ['personal', 'sessions', 'list', filters];
const plain = { pinned: false, starred: false, archived: false, folder_id: null };
const session = (id: string, day: number) => ({ ...plain, id, title: id, updated_at: `2026-01-0${day}` }) as Session;

function lists(...of: [filters: object, pages: Session[][]][]) {
  const queryClient = new QueryClient();
  for (const [filters, pages] of of)
    queryClient.setQueryData(keyOf(filters), { pages: pages.map((data) => ({ data, next_cursor: null })) });
  const idsOf = (filters: object) =>
    (queryClient.getQueryData(keyOf(filters)) as { pages: { data: Session[] }[] }).pages.map(({ data }) =>
      data.map(({ id, title }) => `${id}:${title}`),
    );
  const apply = (event: FeedFrame, now?: Session) => {
    const client = { sessions: { get: async () => now } } as unknown as ChorusClient;
    return applySessionEvent({ client, queryClient, scopeKey: 'personal' }, event);
  };
  return { idsOf, apply };
}

test('changes and removes a conversation on every loaded page', async () => {
  const { idsOf, apply } = lists([{}, [[session('a', 3)], [session('b', 2), session('c', 1)]]]);
  const updated = { type: 'session.updated', session_id: 'b', ...stamp } as const;
  await apply(updated, { ...session('b', 2), title: 'new' });
  await apply({ type: 'session.deleted', session_id: 'a', ...stamp });
  await apply({ type: 'events.opened' });
  expect(idsOf({})).toEqual([[], ['b:new', 'c:c']]);
});

test('moves a conversation between lists, to its place there', async () => {
  const [a, b, c] = [session('a', 3), session('b', 2), session('c', 1)];
  const archive = { archived: 'true' };
  const folder = { folder_id: 'fld_1' };
  const { idsOf, apply } = lists([{}, [[a, b], [c]]], [archive, [[]]], [folder, [[]]], [{ q: 'b' }, [[b]]]);
  const updated = { type: 'session.updated', session_id: 'b', ...stamp } as const;
  await apply(updated, { ...b, archived: true });
  expect([idsOf({}), idsOf(archive), idsOf({ q: 'b' })]).toEqual([[['a:a'], ['c:c']], [['b:b']], [['b:b']]]);
  await apply(updated, { ...b, folder_id: 'fld_1' });
  expect([idsOf({}), idsOf(archive), idsOf(folder)]).toEqual([[['a:a'], ['b:b', 'c:c']], [[]], [['b:b']]]);
});

test('lists a temporary conversation only once it is kept', async () => {
  const { idsOf, apply } = lists([{}, [[session('a', 3)]]]);
  const updated = { type: 'session.updated', session_id: 'b', ...stamp } as const;
  await apply(updated, { ...session('b', 2), temporary: true });
  expect(idsOf({})).toEqual([['a:a']]);
  await apply(updated, session('b', 2));
  expect(idsOf({})).toEqual([['a:a', 'b:b']]);
});

test('marks messages as stale if their conversation is not shown', async () => {
  const queryClient = new QueryClient();
  const isStale = (id: string) => queryClient.getQueryState(messagesKey('personal', id))?.isInvalidated;
  for (const id of ['ses_a', 'ses_b']) queryClient.setQueryData(messagesKey('personal', id), { pages: [] });
  await refreshMessages(queryClient, 'personal', { type: 'session.updated', session_id: 'ses_a', ...stamp });
  expect([isStale('ses_a'), isStale('ses_b')]).toEqual([true, false]);
});
