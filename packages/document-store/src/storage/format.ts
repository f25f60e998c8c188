import type { DatabaseSync } from 'node:sqlite';
import { DataDirectoryError } from './data-directory-error.ts';
import { firstMark, nextMark } from './lineage.ts';
import { seal } from './sealed-body.ts';

/** Marks our files, so that another program's SQLite file is refused ("CHDS"). */
export const APPLICATION_ID = 0x43484453;

const SCHEMA = `
  CREATE TABLE collections (
    id INTEGER PRIMARY KEY AUTOINCREMENT, database TEXT NOT NULL, name TEXT NOT NULL, uuid BLOB NOT NULL,
    UNIQUE (database, name)
  );
  CREATE TABLE indexes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER NOT NULL, name TEXT NOT NULL, specification BLOB NOT NULL,
    multikey INTEGER NOT NULL DEFAULT 0, ready INTEGER NOT NULL DEFAULT 0, UNIQUE (collection, name)
  );
`;

/**
 * Each brings a file to the next version of the layout: the first from 1 to 2, and so on. All run in one transaction. From 2 to 3 only the
 * commit record beside the file is new.
 */
const MIGRATIONS: ((database: DatabaseSync) => void)[] = [sealBodies, () => undefined];

/** The version of the file's layout; a newer one is refused. */
export const FORMAT_VERSION = MIGRATIONS.length + 1;

/** Writes the tables of an empty file. */
export function createFormat(database: DatabaseSync): void {
  database.exec(SCHEMA);
  createLineage(database);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT_VERSION};`);
}

/** The version of a file's layout. Throws `DataDirectoryError` for a file that is not a store file, or newer. */
export function readVersion(database: DatabaseSync, file: string): number {
  if (readPragma(database, 'application_id') !== APPLICATION_ID) {
    throw new DataDirectoryError(`${file} belongs to another program.`);
  }
  const version = readPragma(database, 'user_version');
  if (version >= 1 && version <= FORMAT_VERSION) return version;
  throw new DataDirectoryError(`${file} has format ${version}; this server knows formats 1 to ${FORMAT_VERSION}.`);
}

/**
 * Brings a file of an older format up to date, wholly or not at all. `beforeCommit` gets the file's lineage mark. Throws
 * `DataDirectoryError`.
 */
export function upgradeFormat(database: DatabaseSync, file: string, beforeCommit: (mark: Uint8Array) => void): void {
  const version = readVersion(database, file);
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const migrate of MIGRATIONS.slice(version - 1)) migrate(database);
    // This transaction begins a new log, which has to be known as the file's own.
    const { mark } = database.prepare('SELECT mark FROM lineage').get() as { mark: Uint8Array };
    database.prepare('UPDATE lineage SET mark = ?').run(nextMark(mark));
    database.exec(`PRAGMA user_version = ${FORMAT_VERSION}`);
    beforeCommit(mark);
    database.exec('COMMIT');
  } catch (cause) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw new DataDirectoryError(
      `${file} could not be brought from format ${version} to ${FORMAT_VERSION}, and is as it was: ${(cause as Error).message}.`,
      { cause },
    );
  }
}

function readPragma(database: DatabaseSync, name: string): number {
  return Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

/** 1 → 2: each document gets a checksum, and the file its lineage. */
function sealBodies(database: DatabaseSync): void {
  database.function('seal', { deterministic: true }, (body) => seal(body as Uint8Array));
  for (const { id } of database.prepare('SELECT id FROM collections').all()) {
    database.exec(`UPDATE documents_${id} SET body = seal(body)`);
  }
  createLineage(database);
}

function createLineage(database: DatabaseSync): void {
  database.exec('CREATE TABLE lineage (mark BLOB NOT NULL)');
  database.prepare('INSERT INTO lineage VALUES (?)').run(firstMark());
}
