import type { Owner, Page, SessionQuery } from '@chorus/contract';
import type { Database, SessionRecord } from '@chorus/database';
import {
  findAnyWord,
  findEveryWord,
  isRankCursor,
  rankCursor,
  rankOf,
  type TextSearchParts,
} from '@chorus/search/records';

export interface SessionSearchParts extends TextSearchParts {
  database: TextSearchParts['database'] & Pick<Database, 'sessions' | 'messages'>;
}

const MESSAGES_PER_READ = 1_000;

/**
 * Returns a page of sessions: pinned ones first, then by date. With `q`, sessions whose title matches all words or
 * prefixes come first, in that order. Then come those with every word in a title or message, in any form, phrases
 * first, and then those with at least one word.
 *
 * @throws {ChorusError} invalid_request for a cursor of another list; store_unavailable
 */
export async function listSessions(
  parts: SessionSearchParts,
  owner: Owner,
  query: SessionQuery,
): Promise<Page<SessionRecord>> {
  const { q, after, limit } = query;
  const { sessions } = parts.database;
  if (q === undefined) return sessions.list(owner, query);
  const isRanked = after !== undefined && isRankCursor(after);
  const titled = isRanked ? { data: [], has_more: false } : await sessions.list(owner, query);
  if (titled.has_more) return titled as Page<SessionRecord>;
  const rank = isRanked ? rankOf(after) : 0;
  const room = limit - titled.data.length;
  const found = await findByWords(parts, owner, { ...query, q }, rank + room + 1);
  const more = found.length > rank + room;
  return {
    data: [...titled.data, ...found.slice(rank, rank + room)],
    has_more: more,
    next_cursor: more ? rankCursor(rank + room) : null,
  };
}

/** Finds sessions by the words of titles and messages, except those that the store finds by title. */
async function findByWords(
  parts: SessionSearchParts,
  owner: Owner,
  { q, pinned, starred, archived, folder_id }: SessionQuery & { q: string },
  count: number,
): Promise<SessionRecord[]> {
  const { sessions } = parts.database;
  const seen = new Set<string>();
  const found: SessionRecord[] = [];
  for await (const ids of sessionsByRank(parts, owner, q)) {
    const fresh = [...new Set(ids)].filter((id) => !seen.has(id));
    if (fresh.length === 0) continue;
    const records = await sessions.getMany(owner, fresh, { pinned, starred, archived, folder_id, untitled: q });
    const byId = new Map(records.map((record) => [record.id, record]));
    for (const id of fresh) {
      seen.add(id);
      const record = byId.get(id);
      if (record) found.push(record);
    }
    if (found.length >= count) break;
  }
  return found;
}

/** Yields session ids, best first, with repetitions. */
async function* sessionsByRank(parts: SessionSearchParts, owner: Owner, text: string): AsyncGenerator<string[]> {
  const query = { owner, ofMaker: true, text };
  for (const find of [findEveryWord, findAnyWord]) {
    yield* find(parts, { kind: 'sessions', ...query });
    for await (const batch of find(parts, { kind: 'messages', ...query })) {
      for (let at = 0; at < batch.length; at += MESSAGES_PER_READ) {
        const some = batch.slice(at, at + MESSAGES_PER_READ);
        const places = await parts.database.messages.sessionsOf(owner, some);
        yield some.flatMap((id) => places.get(id) ?? []);
      }
    }
  }
}
