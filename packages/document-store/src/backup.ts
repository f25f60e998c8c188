import { constants, copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { withHeldFile } from './hold-file.ts';
import { Catalog } from './storage/catalog.ts';
import { DataDirectoryError } from './storage/data-directory-error.ts';
import { DirectoryLock } from './storage/directory-lock.ts';
import { Engine } from './storage/engine.ts';
import { checkIntegrity, type IntegrityReport } from './storage/integrity.ts';
import { beginRecord } from './storage/store-file.ts';
import { synchronise } from './storage/synchronise.ts';
import { STORE_FILE } from './store.ts';

/** A file, and the log or the rollback journal that may lie beside it. */
const withLog = (file: string) => [file, `${file}-wal`, `${file}-journal`];

/**
 * Copies everything that is acknowledged at one moment to a new file, while the server, if one runs, goes on serving. `target` appears
 * when it is on the disk and has been read through. Throws `DataDirectoryError`.
 */
export async function backUp(directory: string, target: string): Promise<IntegrityReport> {
  const source = join(directory, STORE_FILE);
  if (!existsSync(source)) throw new DataDirectoryError(`there is nothing to back up: no ${source}.`);
  if (existsSync(target)) throw new DataDirectoryError(`${target} exists already; a backup replaces nothing.`);
  if (!existsSync(dirname(resolve(target))))
    throw new DataDirectoryError(`there is no folder ${dirname(resolve(target))}.`);
  const unfinished = `${target}.${process.pid}.unfinished`;
  try {
    await withHeldFile(directory, source, () => copyFile(source, unfinished, constants.COPYFILE_FICLONE));
    const { report } = checkWhole(unfinished, 'the copy');
    synchronise(unfinished);
    renameSync(unfinished, target);
    synchronise(dirname(resolve(target)));
    return report;
  } finally {
    for (const file of withLog(unfinished)) rmSync(file, { force: true });
  }
}

/**
 * Puts a backup in the place of a store's data, at once or not at all; the data before it stays beside it, in the file `aside`. Throws
 * `DataDirectoryError` while a server runs on the directory, and for a file that is not whole.
 */
export function restore(directory: string, backup: string): IntegrityReport & { aside: string | undefined } {
  if (!existsSync(backup)) throw new DataDirectoryError(`there is no ${backup}.`);
  const lock = new DirectoryLock(directory);
  const file = join(directory, STORE_FILE);
  const incoming = `${file}.incoming`;
  try {
    for (const [at, part] of withLog(backup).entries()) {
      if (existsSync(part)) copyFileSync(part, withLog(incoming)[at] as string, constants.COPYFILE_FICLONE);
    }
    const { report, mark } = checkWhole(incoming, backup);
    synchronise(incoming);
    const aside = setAside(directory, file);
    rmSync(`${file}-journal`, { force: true }); // SQLite would apply it to whatever file lies beside it
    renameSync(incoming, file);
    // After a kill before the next two lines a start refuses the log and the record of the file before, and the restore is repeated.
    rmSync(`${file}-wal`, { force: true });
    beginRecord(file, mark);
    synchronise(directory);
    return { ...report, aside };
  } finally {
    for (const part of withLog(incoming)) rmSync(part, { force: true });
    lock.release();
  }
}

/** Reads a store file through, and gives it a lineage of its own, so that no log of the file it is a copy of is taken for its log. */
function checkWhole(file: string, name: string): { report: IntegrityReport; mark: Uint8Array } {
  const engine = new Engine(file, { standsAlone: true });
  try {
    const report = checkIntegrity(engine, new Catalog(engine));
    if (report.problems.length > 0) throw new DataDirectoryError(`${name} is damaged: ${report.problems.join('; ')}`);
    return { report, mark: engine.renewLineage() };
  } finally {
    engine.close();
  }
}

function setAside(directory: string, file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const aside = join(directory, `before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.sqlite`);
  for (const [at, part] of withLog(file).entries()) {
    if (existsSync(part)) linkSync(part, withLog(aside)[at] as string);
  }
  return aside;
}
