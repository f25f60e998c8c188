import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { assertPrefix, isKey } from './blob-key.ts';
import type { BlobStat } from './blobs.ts';
import { keyOf, nameOf, SHARDS, shardOf } from './file-layout.ts';
import { ifThere } from './store-errors.ts';

const MAX_PAGE = 1_000;

/** Lists folder by folder, sorted by name. `next` names the last file of a page. */
export async function listFiles(
  folder: string,
  { prefix = '', after, limit = MAX_PAGE }: { prefix?: string; after?: string; limit?: number },
): Promise<{ blobs: BlobStat[]; next: string | null }> {
  assertPrefix(prefix);
  const last = after === undefined ? { shard: '', name: '' } : lastOf(after);
  const size = Math.min(limit, MAX_PAGE);
  const blobs: BlobStat[] = [];
  for (const shard of SHARDS) {
    if (shard < last.shard) continue;
    const names = (await namesIn(folder, shard, prefix)).filter((name) => shard > last.shard || name > last.name);
    const page = names.slice(0, size - blobs.length);
    const found = await Promise.all(page.map((name) => statOf(join(folder, shard), name)));
    blobs.push(...found.filter((blob) => blob !== null));
    const end = page.at(-1);
    if (end !== undefined && (page.length < names.length || blobs.length === size))
      return { blobs, next: `${shard}/${end}` };
  }
  return { blobs, next: null };
}

function lastOf(cursor: string): { shard: string; name: string } {
  const [shard = '', name = ''] = cursor.split('/');
  if (!isIn(shard, name)) throw new TypeError('`after` must be the `next` of a page of blobs');
  return { shard, name };
}

async function namesIn(folder: string, shard: string, prefix: string): Promise<string[]> {
  const names = (await ifThere(() => readdir(join(folder, shard)))) ?? [];
  return names.filter((name) => name.startsWith(nameOf(prefix)) && isIn(shard, name)).sort();
}

const isIn = (shard: string, name: string) => isKey(keyOf(name)) && shardOf(keyOf(name)) === shard;

async function statOf(folder: string, name: string): Promise<BlobStat | null> {
  const found = await ifThere(() => stat(join(folder, name)));
  return found?.isFile() ? { key: keyOf(name), sizeBytes: found.size, modifiedAt: found.mtime } : null;
}
