import { copyFile, link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { ChorusError } from '@chorus/contract';
import { connectIndex } from '../store/connect-index.ts';
import { tableNames } from '../store/table-names.ts';
import { withRetries } from '../store/with-retries.ts';

/** What a copy of an index holds. */
export interface CopiedIndex {
  tables: number;
  rows: number;
}

const TABLE = /\.lance$/;
const VERSIONS = '_versions';

/**
 * Copies the index of a folder while it is in use, each table as it was at one moment, to a folder that must not be there yet. It appears when the copy has
 * been opened and counted. On the same file system it costs next to no space: files of an index never change, so they are linked.
 *
 * @returns null: there is no index yet
 * @throws ChorusError conflict: the target is there already; invalid_request: the copy can't be read
 */
export async function copyIndex(from: string, to: string): Promise<CopiedIndex | null> {
  const tables = (await entriesOf(from)).filter((name) => TABLE.test(name));
  if (tables.length === 0) return null;
  const target = resolve(to);
  if (await isThere(target)) throw new ChorusError('conflict', `${target} exists already.`);
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
 * Puts a copy in the place of a folder's index, which nobody may be using. What was there is kept beside it.
 *
 * @returns null: there is no such copy; else where what was there is now, null if there was nothing
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

/** The newest version alone, its manifest last: what it names stays for minutes after newer ones have come. */
async function copyTable(from: string, to: string): Promise<void> {
  // A manifest's name counts down, so that the newest is the first.
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
    // Of an older version, and gone meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Opens each table of a copy and counts its rows. */
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
