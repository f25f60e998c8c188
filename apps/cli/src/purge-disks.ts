import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Stores } from './connected-accounts.ts';
import type { OwnSurroundings } from './own-command.ts';

/**
 * Frees the disks from what was deleted: rewrites the index, the append-only file of Redis and the store, one after the other, and waits for each.
 *
 * @returns what the operator has to do where the data is in servers of their own
 */
export async function purgeDisks(
  { dataDir, indexFolder, mongodbUri, redisUrl }: OwnSurroundings,
  { config, redis, log }: Stores,
): Promise<string[]> {
  const left: string[] = [];
  const { openSearch } = await import('@chorus/search');
  const search = openSearch({ ...config.index, log });
  try {
    await search.purge();
  } finally {
    search.close();
  }
  if (indexFolder === null || config.blobs.kind === 's3')
    left.push('Left to do: in the bucket, remove old versions of objects if it keeps them.');

  const { rewriteAppendOnlyFile } = await import('@chorus/events');
  if (redisUrl === null) await rewriteAppendOnlyFile(redis);
  else left.push('Left to do: on each node of your Redis BGREWRITEAOF or BGSAVE, and remove older snapshots.');

  const { compactStore } = await import('@chorus/database');
  const isBuiltIn = mongodbUri === null && (await compactStore(config.mongodbUri));
  if (!isBuiltIn)
    left.push(
      'Left to do: in your MongoDB run compact on the collections, on each member; the oplog keeps deletions until it wraps.',
    );

  const copies = [
    ...(await copiesIn(join(dataDir, 'store'), 'before-restore-')),
    ...(await copiesIn(join(dataDir, 'store'), 'set-aside-')),
    ...(indexFolder === null ? [] : await copiesIn(dirname(indexFolder), `${basename(indexFolder)}.before-restore-`)),
  ];
  if (copies.length > 0)
    left.push(`Left to do: copies from before a restore still have it; remove them:\n${copies.join('\n')}`);
  return left;
}

/** What a restore has set aside. */
async function copiesIn(folder: string, start: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.startsWith(start)).map((name) => join(folder, name));
}
