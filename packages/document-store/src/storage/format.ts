import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { DataDirectoryError } from '../errors.ts';
import { appendChecksum } from './stored-document.ts';

/** Identifies our files ("CHDS"), so that other SQLite files are rejected. */
const APPLICATION_ID = 0x43484453;

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
 * Migrations from format 1 to 2, and so on, run in one transaction. Format 3 only adds the commit
 * record beside the file.
 */
const MIGRATIONS: ((database: DatabaseSync) => void)[] = [addChecksums, () => undefined];

export const FORMAT_VERSION = MIGRATIONS.length + 1;

export function createFormat(database: DatabaseSync): void {
  database.exec(SCHEMA);
  createLineage(database);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT_VERSION};`);
}

export function readVersion(database: DatabaseSync, file: string): number {
  if (readPragma(database, 'application_id') !== APPLICATION_ID) {
    throw new DataDirectoryError(`${file} belongs to another program.`);
  }
  const version = readPragma(database, 'user_version');
  if (version >= 1 && version <= FORMAT_VERSION) return version;
  throw new DataDirectoryError(`${file} has format ${version}; this server knows formats 1 to ${FORMAT_VERSION}.`);
}

/**
 * Upgrades an older file in one transaction. `beforeCommit` gets the file's lineage mark. Throws
 * `DataDirectoryError`.
 */
export function upgradeFormat(database: DatabaseSync, file: string, beforeCommit: (mark: Uint8Array) => void): void {
  const version = readVersion(database, file);
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const migrate of MIGRATIONS.slice(version - 1)) migrate(database);
    // The transaction starts a new log, which must be recognized as the file's own.
    const { mark } = database.prepare('SELECT mark FROM lineage').get() as { mark: Uint8Array };
    database.prepare('UPDATE lineage SET mark = ?').run(nextMark(mark));
    database.exec(`PRAGMA user_version = ${FORMAT_VERSION}`);
    beforeCommit(mark);
    database.exec('COMMIT');
  } catch (cause) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw new DataDirectoryError(
      `${file} could not be upgraded from format ${version} to ${FORMAT_VERSION} and is unchanged: ${(cause as Error).message}.`,
      { cause },
    );
  }
}

function readPragma(database: DatabaseSync, name: string): number {
  return Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

/** Adds a checksum to each document, and a lineage to the file (format 1 to 2). */
function addChecksums(database: DatabaseSync): void {
  database.function('seal', { deterministic: true }, (body) => appendChecksum(body as Uint8Array));
  for (const { id } of database.prepare('SELECT id FROM collections').all()) {
    database.exec(`UPDATE documents_${id} SET body = seal(body)`);
  }
  createLineage(database);
}

function createLineage(database: DatabaseSync): void {
  database.exec('CREATE TABLE lineage (mark BLOB NOT NULL)');
  database.prepare('INSERT INTO lineage VALUES (?)').run(firstMark());
}

const FILE_BYTES = 16;

/**
 * Returns a new file's lineage mark: 16 random bytes and an 8-byte log counter. The table `lineage`
 * stores it. Each log's first transaction increments it, which identifies the logs of a file.
 */
export function firstMark(): Buffer {
  return Buffer.concat([randomBytes(FILE_BYTES), Buffer.alloc(8)]);
}

export function nextMark(mark: Uint8Array): Buffer {
  const next = Buffer.from(mark);
  next.writeBigUInt64BE(next.readBigUInt64BE(FILE_BYTES) + 1n, FILE_BYTES);
  return next;
}

export function markNumber(mark: Uint8Array): bigint {
  return Buffer.from(mark).readBigUInt64BE(FILE_BYTES);
}

export function sameLineage(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.from(one).subarray(0, FILE_BYTES).equals(Buffer.from(other).subarray(0, FILE_BYTES));
}
