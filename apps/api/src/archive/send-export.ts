import type { ArchiveExportQuery } from '@chorus/contract';
import { drained } from '../delivery/event-stream.ts';
import type { ScopedContext } from '../http/request-context.ts';
import { presentUnit } from './present-unit.ts';

/** Units looked at in one round trip; fewer where they are long. */
const UNITS = 50;

/** A client that takes nothing for so long is left, in milliseconds. */
const STALLED_MS = 60_000;

/**
 * Answers with the units of the scope as NDJSON, oldest first. A client that is slow has the next ones read later. One that breaks off goes on behind
 * its last line.
 */
export async function sendExport(
  { services, owner, response }: ScopedContext,
  query: ArchiveExportQuery,
): Promise<void> {
  const { archive } = services.database;
  let page = await archive.listOldest(owner, { ...query, limit: UNITS });
  response.writeHead(200, {
    'Content-Type': 'application/x-ndjson; charset=utf-8',
    'Content-Disposition': 'attachment; filename="archive.ndjson"',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
  response.setTimeout(STALLED_MS, () => response.destroy());
  for (;;) {
    for (const record of page.data) {
      if (response.destroyed) return;
      if (!response.write(`${JSON.stringify(presentUnit(record))}\n`)) await drained(response);
    }
    if (page.next_cursor === null) break;
    page = await archive.listOldest(owner, { ...query, after: page.next_cursor, limit: UNITS });
  }
  response.end();
}
