import type { JobsQuery, Owner, Page } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { Services } from './services.ts';

/** Someone with thousands of temporary turns gets a short page rather than a slow one. */
const MAX_READS = 10;

/** Returns a page of executions without those of temporary sessions, as full as the list allows. */
export async function listJobRecords(
  { database }: Pick<Services, 'database'>,
  owner: Owner,
  query: JobsQuery,
): Promise<Page<ExecutionRecord>> {
  const data: ExecutionRecord[] = [];
  for (let { after } = query, reads = 1; ; reads++) {
    const page = await database.executions.list(owner, { ...query, after });
    const sessions = [...new Set(page.data.flatMap(({ session_id }) => session_id ?? []))];
    const temporary =
      sessions.length === 0 ? new Set<string>() : await database.sessions.temporaryAmong(owner, sessions);
    const shown = page.data.filter(({ session_id }) => session_id === null || !temporary.has(session_id));
    const room = query.limit - data.length;
    data.push(...shown.slice(0, room));
    if (shown.length > room) return { data, has_more: true, next_cursor: shown[room - 1]?.id ?? null };
    if (shown.length === room || page.next_cursor === null || reads === MAX_READS) return { ...page, data };
    after = page.next_cursor;
  }
}
