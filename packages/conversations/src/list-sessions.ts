import type { Owner, Page, SessionQuery } from '@chorus/contract';
import type { Database, SessionRecord } from '@chorus/database';
import { findTexts, isRankCursor, rankCursor, rankOf, type TextSearchParts } from '@chorus/text-search';

export interface SessionSearchParts extends TextSearchParts {
  database: TextSearchParts['database'] & Pick<Database, 'sessions' | 'messages'>;
}

/** Messages that are asked for in one round trip. */
const IDS = 1_000;

/**
 * A page of a maker's sessions: pinned ones first, then the newest. With `q` first those whose title holds all its words or parts of words, in this
 * order; then those whose title, and then those whose conversation, holds at least one of them in any of its forms, the best match first, by rank.
 *
 * @throws {ChorusError} invalid_request for a cursor that is not of this list; store_unavailable
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

/** The first sessions by their titles and best messages, without those that the store finds by their title. */
async function findByWords(
  parts: SessionSearchParts,
  owner: Owner,
  { q, pinned, starred }: SessionQuery & { q: string },
  count: number,
): Promise<SessionRecord[]> {
  const { sessions } = parts.database;
  const seen = new Set<string>();
  const found: SessionRecord[] = [];
  for await (const ids of sessionsByRank(parts, owner, q)) {
    const fresh = [...new Set(ids)].filter((id) => !seen.has(id));
    if (fresh.length === 0) continue;
    const records = await sessions.getMany(owner, fresh, { pinned, starred, untitled: q });
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

/** Ids of sessions, the best first; one may come again. */
async function* sessionsByRank(parts: SessionSearchParts, owner: Owner, text: string): AsyncGenerator<string[]> {
  const query = { owner, ofMaker: true, text };
  yield* findTexts(parts, { kind: 'sessions', ...query });
  for await (const batch of findTexts(parts, { kind: 'messages', ...query })) {
    for (let at = 0; at < batch.length; at += IDS) {
      const some = batch.slice(at, at + IDS);
      const places = await parts.database.messages.placesOf(owner, some);
      yield some.flatMap((id) => places.get(id) ?? []);
    }
  }
}
