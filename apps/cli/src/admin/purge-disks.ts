import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Stores } from './connected-accounts.ts';
import type { AdminContext } from './define-admin-command.ts';

/**
 * Removes deleted data from disk: rewrites the index, the append-only file of Redis, and the store, in order.
 *
 * @returns the remaining steps for data in external servers
 */
export async function purgeDisks(
  { dataDir, indexFolder, mongodbUri, redisUrl }: AdminContext,
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
    left.push('To do: if the bucket keeps old versions of objects, remove them.');

  const { rewriteAppendOnlyFile } = await import('@chorus/events');
  if (redisUrl === null) await rewriteAppendOnlyFile(redis);
  else left.push('To do: run BGREWRITEAOF or BGSAVE on each node of your Redis, and remove older snapshots.');

  const { compactStore } = await import('@chorus/database');
  const isBuiltIn = mongodbUri === null && (await compactStore(config.mongodbUri));
  if (!isBuiltIn)
    left.push(
      'To do: in your MongoDB, run compact on the collections of each member; the oplog keeps deletions until it wraps.',
    );

  const copies = [
    ...(await copiesIn(join(dataDir, 'store'), 'before-restore-')),
    ...(await copiesIn(join(dataDir, 'store'), 'set-aside-')),
    ...(indexFolder === null ? [] : await copiesIn(dirname(indexFolder), `${basename(indexFolder)}.before-restore-`)),
  ];
  if (copies.length > 0) left.push(`To do: remove these copies, which a restore has set aside:\n${copies.join('\n')}`);
  return left;
}

async function copiesIn(folder: string, start: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.startsWith(start)).map((name) => join(folder, name));
}
