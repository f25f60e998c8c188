import type { ChorusClient, FeedFrame, Page, Session } from '@chorus/client';
import type { InfiniteData, QueryClient } from '@tanstack/react-query';

/** Applies a change of a conversation to all loaded lists, also beyond their refreshed first pages. */
export async function applySessionEvent(
  { client, queryClient, scopeKey }: { client: ChorusClient; queryClient: QueryClient; scopeKey: string },
  event: FeedFrame,
): Promise<void> {
  if (event.type !== 'session.updated' && event.type !== 'session.deleted') return;
  const id = event.session_id;
  const current = event.type === 'session.updated' ? await client.sessions.get(id).catch(() => undefined) : undefined;
  if (event.type === 'session.updated' && current === undefined) return;
  queryClient.setQueriesData<InfiniteData<Page<Session>>>({ queryKey: [scopeKey, 'sessions', 'list'] }, (known) => {
    if (known === undefined) return known;
    const edit = (one: Session) => (one.id !== id ? [one] : current === undefined ? [] : [current]);
    return { ...known, pages: known.pages.map((page) => ({ ...page, data: page.data.flatMap(edit) })) };
  });
}
