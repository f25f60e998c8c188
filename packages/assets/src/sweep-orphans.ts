import type { Blobs } from '@chorus/blobs';
import type { AssetRepository } from '@chorus/database';
import { type AssetKeys, assetOfKey } from './asset-keys.ts';

/** Extra time for unfinished uploads: a day. */
const UNFINISHED_MS = 86_400_000;

interface SweepParts {
  records: Pick<AssetRepository, 'existing'>;
  blobs: Pick<Blobs, 'list' | 'removeMany' | 'removeUnfinished'>;
  keys: AssetKeys;
}

/** Removes bytes older than `olderThan` without a record, left by crashes before the insert or after a deletion. */
export async function sweepOrphans({ records, blobs, keys }: SweepParts, olderThan: Date): Promise<number> {
  const prefix = await keys.prefix();
  const swept = new Set<string>();
  for (let after: string | undefined; ; ) {
    const page = await blobs.list({ prefix, ...(after === undefined ? {} : { after }) });
    const old = page.blobs.filter(({ modifiedAt }) => modifiedAt < olderThan).map(({ key }) => key);
    const ids = old.map(assetOfKey);
    const existing = await records.existing([...new Set(ids.filter((id) => id !== null))]);
    const orphans = old.filter((_, index) => {
      const id = ids[index];
      return id != null && !existing.has(id);
    });
    await blobs.removeMany(orphans);
    for (const key of orphans) swept.add(assetOfKey(key) ?? key);
    if (page.next === null) break;
    after = page.next;
  }
  await blobs.removeUnfinished({ olderThan: new Date(olderThan.getTime() - UNFINISHED_MS), prefix });
  return swept.size;
}
