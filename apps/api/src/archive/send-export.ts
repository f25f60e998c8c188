import type { ArchiveExportQuery, ArchiveRevision, ArchiveUnit } from '@chorus/contract';
import type { ArchiveRecord, ArchiveRevisionRecord } from '@chorus/database';
import type { ScopedContext } from '../http/request-context.ts';
import { drained } from '../responses/event-stream.ts';

/** Units per round trip; fewer when they are long. */
const PAGE_SIZE = 50;

/** A client that reads nothing for this long is disconnected. */
const WRITE_TIMEOUT_MS = 60_000;

/**
 * Answers with the scope's units as NDJSON, oldest first. Waits for slow clients; an interrupted one resumes
 * after its last line.
 */
export async function sendExport(
  { services, owner, response }: ScopedContext,
  query: ArchiveExportQuery,
): Promise<void> {
  const { archive } = services.database;
  let page = await archive.listOldest(owner, { ...query, limit: PAGE_SIZE });
  response.writeHead(200, {
    'Content-Type': 'application/x-ndjson; charset=utf-8',
    'Content-Disposition': 'attachment; filename="archive.ndjson"',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
  response.setTimeout(WRITE_TIMEOUT_MS, () => response.destroy());
  for (;;) {
    for (const record of page.data) {
      if (response.destroyed) return;
      if (!response.write(`${JSON.stringify(presentUnit(record))}\n`)) await drained(response);
    }
    if (page.next_cursor === null) break;
    page = await archive.listOldest(owner, { ...query, after: page.next_cursor, limit: PAGE_SIZE });
  }
  response.end();
}

export function presentUnit(record: ArchiveRecord): ArchiveUnit {
  const { id, title, content, tags, source, metadata, revision, owner } = record;
  return {
    id,
    object: 'archive.unit',
    title,
    content,
    tags,
    source: { ...source, taken_at: source.taken_at.toISOString() },
    metadata,
    revision,
    user_id: owner.user_id,
    created_at: record.created_at.toISOString(),
    updated_at: record.updated_at.toISOString(),
  };
}

export function presentUnitRevision(record: ArchiveRevisionRecord): ArchiveRevision {
  const { owner, created_at, ...fields } = record;
  return { object: 'archive.revision', ...fields, created_at: created_at.toISOString() };
}
