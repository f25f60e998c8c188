import { useCursorList } from '../../../data/use-cursor-list.ts';

export interface SessionFilters {
  /** Words of titles and messages; empty: all. */
  words: string;
  starred: boolean;
}

/** The conversations of the scope: pinned ones first, then the newest; those that fit best first where words are looked for. */
export function useSessions({ words, starred }: SessionFilters) {
  const filters = { ...(words !== '' && { q: words }), ...(starred && { starred: 'true' as const }) };
  return useCursorList({
    name: 'sessions',
    filters,
    readPage: (client, query, options) => client.sessions.list({ ...query, ...filters }, options),
  });
}
