import type { Assets } from '@chorus/assets';
import { TEMPORARY_SESSION_MS } from '@chorus/contract';
import type { Database } from '@chorus/database';
import { type Deletions, deleteSession } from './retention.ts';

const PAGE = 200;

/**
 * Deletes files and temporary sessions that have expired.
 * Can be cut off at any time, and can run in several processes.
 *
 * @throws {ChorusError} `store_unavailable`
 */
export async function endExpired(
  parts: {
    database: Pick<Database, 'assets' | 'sessions'>;
    assets: Pick<Assets, 'remove'>;
    deletions: Deletions;
  },
  now = new Date(),
): Promise<{ files: number; sessions: number }> {
  const { database, assets } = parts;
  const sessions = await deleteTemporary(parts, now);
  for (let files = 0; ; ) {
    const page = await database.assets.listExpired({ before: now, limit: PAGE });
    for (const { owner, id } of page) await assets.remove(owner, id);
    files += page.length;
    if (page.length < PAGE) return { files, sessions };
  }
}

async function deleteTemporary(
  { database: { sessions }, deletions }: { database: Pick<Database, 'sessions'>; deletions: Deletions },
  now: Date,
): Promise<number> {
  const before = new Date(now.getTime() - TEMPORARY_SESSION_MS);
  let deleted = 0;
  for (;;) {
    const page = await sessions.listTemporary({ before, limit: PAGE });
    const done = await Promise.all(
      page.map((session) => deleteSession({ sessions }, deletions, session, { temporary: true, before })),
    );
    const count = done.filter(Boolean).length;
    deleted += count;
    // The others have a new turn, or are kept.
    if (page.length < PAGE || count === 0) return deleted;
  }
}
