import type { ArchiveQuery, Owner, Page } from '@chorus/contract';
import type { ArchiveRecord, Database } from '@chorus/database';
import { findTexts, rankCursor, rankOf, type TextSearchParts } from '@chorus/search/records';

export interface ArchiveSearchParts extends TextSearchParts {
  database: TextSearchParts['database'] & Pick<Database, 'archive'>;
}

/** Ids per round trip. */
const IDS = 1_000;

/** Units per read, and bytes of content after which a page ends. A unit may have megabytes. */
const AT_ONCE = 5;
const PAGE_BYTES = 16_000_000;

/**
 * Lists the archive, newest first, or with `q` by rank. Pages of long units are shorter. Search pages may repeat or
 * miss units that change between them.
 *
 * @throws {ChorusError} invalid_request for an invalid cursor; store_unavailable
 */
export async function listUnits(
  parts: ArchiveSearchParts,
  owner: Owner,
  { q, ...query }: ArchiveQuery,
): Promise<Page<ArchiveRecord>> {
  const { archive } = parts.database;
  if (q === undefined) return archive.list(owner, query);
  const { limit, after, ...filters } = query;
  const rank = rankOf(after);
  const ids = new Set<string>();
  for await (const batch of findTexts(parts, { kind: 'archive', owner, ofMaker: false, text: q })) {
    for (let at = 0; at < batch.length; at += IDS) {
      const some = batch.slice(at, at + IDS);
      const passing = await archive.matching(owner, some, filters);
      for (const id of some) if (passing.has(id)) ids.add(id);
    }
    if (ids.size > rank + limit) break;
  }
  const wanted = [...ids].slice(rank, rank + limit);
  const { data, looked } = await read(archive, owner, wanted);
  const next = rank + looked;
  return { data, has_more: next < ids.size, next_cursor: next < ids.size ? rankCursor(next) : null };
}

/** Returns the units that still exist, up to a page. */
async function read(archive: Database['archive'], owner: Owner, ids: readonly string[]) {
  const data: ArchiveRecord[] = [];
  let looked = 0;
  let bytes = 0;
  while (looked < ids.length && bytes < PAGE_BYTES) {
    const some = ids.slice(looked, looked + AT_ONCE);
    for (const unit of await Promise.all(some.map((id) => archive.get(owner, id)))) {
      if (unit === null) continue;
      data.push(unit);
      bytes += Buffer.byteLength(unit.content);
    }
    looked += some.length;
  }
  return { data, looked };
}
