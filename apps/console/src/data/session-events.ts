import type { ChorusClient, FeedFrame, Page, Session } from '@chorus/client';
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { messagesKey } from './list-key.ts';
import { refresh } from './refresh.ts';

type Sessions = InfiniteData<Page<Session>>;
/** Filters of a list of conversations, as in its query key. */
type Filters = Partial<Record<'q' | 'starred' | 'archived' | 'folder_id', string>>;

/**
 * Reloads the messages that an event changes, or marks them as stale if they are not shown. It reloads all pages,
 * because a regenerated answer replaces everything after it.
 */
export async function refreshMessages(queryClient: QueryClient, scopeKey: string, event: FeedFrame): Promise<void> {
  if (!('session_id' in event) || event.session_id === null || event.type === 'execution.progress') return;
  await refresh(queryClient, messagesKey(scopeKey, event.session_id), { whole: true });
}

/** Applies a change of a conversation to all loaded lists, even beyond their refreshed first pages. */
export async function applySessionEvent(
  { client, queryClient, scopeKey }: { client: ChorusClient; queryClient: QueryClient; scopeKey: string },
  event: FeedFrame,
): Promise<void> {
  if (event.type !== 'session.updated' && event.type !== 'session.deleted') return;
  const id = event.session_id;
  const current = event.type === 'session.updated' ? await client.sessions.get(id).catch(() => undefined) : undefined;
  if (event.type === 'session.updated' && current === undefined) return;
  for (const { queryKey } of queryClient.getQueryCache().findAll({ queryKey: [scopeKey, 'sessions', 'list'] })) {
    const filters = (queryKey[3] ?? {}) as Filters;
    queryClient.setQueryData<Sessions>(queryKey, (known) => known && withSession(known, id, current, filters));
  }
}

function withSession(known: Sessions, id: string, current: Session | undefined, filters: Filters): Sessions {
  const isListed = current !== undefined && belongs(current, filters);
  const edit = (one: Session) => (one.id !== id ? [one] : isListed ? [current] : []);
  const pages = known.pages.map((page) => ({ ...page, data: page.data.flatMap(edit) }));
  const isKnown = pages.some(({ data }) => data.some((one) => one.id === id));
  // Results of a search are ordered by relevance, which only the server knows.
  if (!isListed || isKnown || filters.q !== undefined) return { ...known, pages };
  return { ...known, pages: inserted(pages, current) };
}

function belongs(session: Session, { q, starred, archived, folder_id }: Filters): boolean {
  if (session.temporary) return false;
  if (starred === 'true' && !session.starred) return false;
  if (folder_id !== undefined && session.folder_id !== folder_id) return false;
  return q !== undefined || session.archived === (archived === 'true');
}

/** Adds a conversation to the page that it belongs to. Beyond the loaded pages, the server will list it. */
function inserted(pages: Page<Session>[], session: Session): Page<Session>[] {
  const at = pages.findIndex(({ data }) => data.some((one) => isBefore(session, one)));
  const to = at === -1 && pages.at(-1)?.next_cursor === null ? pages.length - 1 : at;
  return pages.map((page, index) => {
    if (index !== to) return page;
    const before = page.data.findIndex((one) => isBefore(session, one));
    return { ...page, data: page.data.toSpliced(before === -1 ? page.data.length : before, 0, session) };
  });
}

/** Returns whether the server lists `a` before `b`. */
function isBefore(a: Session, b: Session): boolean {
  if (a.pinned !== b.pinned) return a.pinned;
  return a.updated_at === b.updated_at ? a.id > b.id : a.updated_at > b.updated_at;
}
