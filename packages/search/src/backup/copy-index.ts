import { copyFile, link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { ChorusError } from '@chorus/contract/errors';
import { connectIndex } from '../store/connect-index.ts';
import { tableNames } from '../store/table-names.ts';
import { withRetries } from '../store/with-retries.ts';

export interface CopiedIndex {
  tables: number;
  rows: number;
}

const TABLE = /\.lance$/;
const VERSIONS = '_versions';

/**
 * Copies a folder's index while it is in use, each table as of one moment, to a new folder.
 *
 * The target only appears once the copy has been verified. On the same file system it takes almost no space, since
 * index files never change and are hard-linked.
 * @returns null if there is no index yet
 * @throws {ChorusError} conflict if the target exists; invalid_request if the copy cannot be read
 */
export async function copyIndex(from: string, to: string): Promise<CopiedIndex | null> {
  const tables = (await entriesOf(from)).filter((name) => TABLE.test(name));
  if (tables.length === 0) return null;
  const target = resolve(to);
  if (await isThere(target)) throw new ChorusError('conflict', `${target} already exists.`);
  const unfinished = `${target}.unfinished-${process.pid}`;
  try {
    await mkdir(unfinished, { recursive: true, mode: 0o700 });
    for (const table of tables) await copyTable(join(from, table), join(unfinished, table));
    const copied = await inspect(unfinished);
    await rename(unfinished, target);
    return copied;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/**
 * Replaces a folder's index with a copy. The index must not be in use. Keeps the old one next to it.
 *
 * @returns Null if there is no such copy. Otherwise, the new path of the old index, or null if there was none.
 */
export async function restoreIndex(from: string, to: string, date: Date): Promise<{ aside: string | null } | null> {
  if ((await entriesOf(from)).every((name) => !TABLE.test(name))) return null;
  const target = resolve(to);
  const fresh = `${target}.restoring-${process.pid}`;
  await mkdir(dirname(target), { recursive: true });
  try {
    await copyIndex(from, fresh);
    const aside = (await isThere(target))
      ? `${target}.before-restore-${date.toISOString().replaceAll(/[:.]/g, '-')}`
      : null;
    if (aside !== null) await rename(target, aside);
    await rename(fresh, target);
    return { aside };
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Copies only the newest version, its manifest last: files it names stay for minutes after newer versions. */
async function copyTable(from: string, to: string): Promise<void> {
  // Manifest names count down, so the newest sorts first.
  const newest = (await entriesOf(join(from, VERSIONS))).filter((name) => name.endsWith('.manifest')).sort()[0];
  if (newest === undefined) return;
  const manifest = await readFile(join(from, VERSIONS, newest));
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const place = relative(from, path);
    if (!entry.isFile() || place.startsWith(VERSIONS)) continue;
    await mkdir(dirname(join(to, place)), { recursive: true, mode: 0o700 });
    await linkOrCopy(path, join(to, place));
  }
  await mkdir(join(to, VERSIONS), { recursive: true, mode: 0o700 });
  await writeFile(join(to, VERSIONS, newest), manifest);
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to).catch(() => copyFile(from, to));
  } catch (error) {
    // It belonged to an older version, which was removed meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

async function inspect(folder: string): Promise<CopiedIndex> {
  const { latest, close } = await connectIndex({ location: folder });
  try {
    const names = await tableNames(latest);
    let rows = 0;
    for (const name of names) {
      const table = await withRetries(() => latest.openTable(name));
      rows += await withRetries(() => table.countRows());
    }
    return { tables: names.length, rows };
  } finally {
    close();
  }
}

const entriesOf = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
