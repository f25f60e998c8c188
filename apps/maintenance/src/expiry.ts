import type { Assets } from '@chorus/assets';
import type { Database } from '@chorus/database';
import { BATCHES_CHANNEL, type EventLog } from '@chorus/events';

const PAGE = 200;

/**
 * Cancels batches that did not end in time, and deletes files that have expired.
 * Can be cut off at any time, and can run in several processes.
 *
 * @throws {ChorusError} `store_unavailable`
 */
export async function endExpired(
  parts: {
    database: Pick<Database, 'assets' | 'fileBatches'>;
    assets: Pick<Assets, 'remove'>;
    eventLog: Pick<EventLog, 'wake'>;
  },
  now = new Date(),
): Promise<{ batches: number; files: number }> {
  const { database, assets, eventLog } = parts;
  const batches = await database.fileBatches.expire(now);
  if (batches > 0) eventLog.wake(BATCHES_CHANNEL);
  for (let files = 0; ; ) {
    const page = await database.assets.listExpired({ before: now, limit: PAGE });
    for (const { owner, id } of page) await assets.remove(owner, id);
    files += page.length;
    if (page.length < PAGE) return { batches, files };
  }
}
