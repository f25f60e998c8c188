import type { StatementSync } from 'node:sqlite';
import type { Document } from 'bson';
import { dataCorruption, duplicateKey } from '../errors.ts';
import { describeValue } from '../values/describe-value.ts';
import type { CollectionIndex, IndexEntry } from './collection-index.ts';
import type { Engine } from './engine.ts';
import { hasIdKey } from './id-key.ts';
import { seal, unseal, unsealed } from './sealed-body.ts';

/** The number by which a document is stored: unique in its collection, ascending in the order of insertion. */
export type RecordNumber = number;

const NO_RECORD: RecordNumber = -1;
/** How many documents are counted at once: less than a millisecond. */
const PORTION = 5_000;

/** An index entry with its document; null where there is none. */
export type EntryRow = [key: Uint8Array, record: RecordNumber, body: Uint8Array | null];

interface Census {
  upTo: RecordNumber;
  documents: number;
  isComplete: boolean;
}

/** One collection: its documents by record number, and the indexes, which every write keeps exact. */
export class Collection {
  readonly id: number;
  readonly database: string;
  name: string;
  readonly uuid: Uint8Array;
  readonly table: string;
  /** The index on `_id` first, then the others in the order of their making. */
  indexes: CollectionIndex[] = [];
  /** True once dropped: cursors and long commands that still hold the collection end. */
  dropped = false;
  readonly #engine: Engine;
  readonly #statements = new Map<string, StatementSync>();
  #lastRecord?: number;
  /** How many documents there are up to a record; all, once it has come to the end. */
  #census: Census | undefined;
  #insert?: StatementSync;
  #update?: StatementSync;
  #delete?: StatementSync;
  #read?: StatementSync;
  #readById?: StatementSync;
  #readBefore?: StatementSync;
  #readAfter?: StatementSync;

  constructor(engine: Engine, id: number, database: string, name: string, uuid: Uint8Array) {
    this.#engine = engine;
    this.id = id;
    this.database = database;
    this.name = name;
    this.uuid = uuid;
    this.table = `documents_${id}`;
  }

  get namespace(): string {
    return `${this.database}.${this.name}`;
  }

  get idIndex(): CollectionIndex {
    return this.indexes[0] as CollectionIndex;
  }

  /** Counts the documents, a portion at a time; the result is kept, and then kept up to date. Yields between portions. */
  *count(): Generator<undefined, number> {
    for (;;) {
      this.#census ??= { upTo: -1, documents: 0, isComplete: false };
      const census = this.#census;
      if (census.isComplete) return census.documents;
      const [documents, upTo] = this.#countAfter(census.upTo);
      census.documents += documents;
      census.isComplete = documents < PORTION;
      census.upTo = census.isComplete ? Number.MAX_SAFE_INTEGER : (upTo as RecordNumber);
      if (this.#engine.inTransaction) this.#engine.onRollback(() => this.#forgetCensus());
      yield;
    }
  }

  /** How many documents follow a record, at most a portion, and the last of these. */
  #countAfter(record: RecordNumber): [number, RecordNumber | null] {
    const portion = `SELECT record FROM ${this.table} WHERE record > ? ORDER BY record LIMIT ${PORTION}`;
    const statement = this.statement(`SELECT count(*), max(record) FROM (${portion})`);
    return statement.get(record) as unknown as [number, RecordNumber | null];
  }

  #forgetCensus(): void {
    this.#census = undefined;
  }

  /** Sums up the bytes of all documents. Yields between portions. */
  *bytes(): Generator<undefined, number> {
    const portion = `SELECT record, length(body) - 4 AS bytes FROM ${this.table} WHERE record > ? ORDER BY record LIMIT ${PORTION}`;
    let sum = 0;
    for (let upTo: RecordNumber | null = -1; upTo !== null && !this.dropped; ) {
      const statement = this.statement(`SELECT coalesce(sum(bytes), 0), max(record) FROM (${portion})`);
      const [bytes, last] = statement.get(upTo) as unknown as [number, RecordNumber | null];
      sum += bytes;
      upTo = last;
      yield;
    }
    return sum;
  }

  createTable(): void {
    this.#engine.execute(`CREATE TABLE ${this.table} (record INTEGER PRIMARY KEY, body BLOB NOT NULL)`);
  }

  /** The stored bytes of a record, or undefined when it is gone. */
  read(record: RecordNumber): Uint8Array | undefined {
    this.#read ??= this.#engine.prepareRows(`SELECT body FROM ${this.table} WHERE record = ?`);
    const row = this.#read.get(record) as unknown as [Uint8Array] | undefined;
    return row && unseal(row[0]);
  }

  /** Returns the record and bytes of the document with this encoded `_id`. Throws DataCorruptionDetected for a damaged index entry. */
  readById(key: Uint8Array): [RecordNumber, Uint8Array] | undefined {
    this.#readById ??= this.#engine.prepareRows(`${this.#entries} WHERE e.key = ?`);
    const row = this.#readById.get(key) as unknown as EntryRow | undefined;
    if (!row) {
      this.checkAbsence(key);
      return undefined;
    }
    const bytes = this.bodyOf(row);
    this.checkIdEntry(key, bytes);
    return [row[1], bytes];
  }

  /**
   * Checks that an `_id` is really absent. Where one entry of the index is damaged, every search for its true key ends beside it. So the
   * entries before and after the key are compared with their documents. Throws DataCorruptionDetected.
   */
  checkAbsence(key: Uint8Array): void {
    this.#readBefore ??= this.#engine.prepareRows(`${this.#entries} WHERE e.key < ? ORDER BY e.key DESC LIMIT 1`);
    this.#readAfter ??= this.#engine.prepareRows(`${this.#entries} WHERE e.key >= ? ORDER BY e.key LIMIT 1`);
    for (const statement of [this.#readBefore, this.#readAfter]) {
      const row = statement.get(key) as unknown as EntryRow | undefined;
      if (!row) continue;
      const [neighbor, , body] = row;
      // A damaged document says nothing about its entry; whoever reads it is told.
      const bytes = body && unsealed(body);
      if (!body || (bytes && !hasIdKey(bytes, neighbor))) throw damagedEntry(this.namespace);
    }
  }

  /** Throws DataCorruptionDetected when an entry of the index on `_id` does not have its document's key. */
  checkIdEntry(key: Uint8Array, bytes: Uint8Array): void {
    if (!hasIdKey(bytes, key)) throw damagedEntry(this.namespace);
  }

  /** The document of an index entry. Throws DataCorruptionDetected when it is not there, or damaged. */
  bodyOf(entry: EntryRow): Uint8Array {
    const body = entry[2];
    if (!body) throw damagedEntry(this.namespace);
    return unseal(body);
  }

  /** Index entries on `_id`, each with its document. */
  get #entries(): string {
    return `SELECT e.key, e.record, d.body FROM ${this.idIndex.table} e LEFT JOIN ${this.table} d ON d.record = e.record`;
  }

  /** Stores a new document, given decoded and as the bytes to keep. Throws DuplicateKey, and then has changed nothing. */
  insert(document: Document, bytes: Uint8Array): void {
    const { indexes } = this;
    const entries = indexes.map((index) => index.entriesOf(document));
    for (let at = 0; at < indexes.length; at++) {
      for (const entry of entries[at] as IndexEntry[])
        this.#checkEntry(indexes[at] as CollectionIndex, entry, NO_RECORD);
    }
    this.#engine.beforeWrite();
    this.#lastRecord ??= this.#number(`SELECT coalesce(max(record), 0) FROM ${this.table}`);
    this.#lastRecord += 1;
    for (let at = 0; at < indexes.length; at++) {
      for (const { bytes } of entries[at] as IndexEntry[]) indexes[at]?.add(bytes, this.#lastRecord);
    }
    this.#insert ??= this.#engine.prepare(`INSERT INTO ${this.table} (record, body) VALUES (?, ?)`);
    this.#insert.run(this.#lastRecord, seal(bytes));
    this.#changeCount(this.#lastRecord, 1);
  }

  /** Replaces a stored document; only index entries that differ are written. Throws DuplicateKey as `insert` does. */
  replace(record: RecordNumber, before: Document, after: Document, bytes: Uint8Array): void {
    const changes: { index: CollectionIndex; added: IndexEntry[]; removed: IndexEntry[] }[] = [];
    for (let at = 1; at < this.indexes.length; at++) {
      const index = this.indexes[at] as CollectionIndex;
      const change = differingEntries(index.entriesOf(before), index.entriesOf(after));
      if (!change) continue;
      for (const entry of change.added) this.#checkEntry(index, entry, record);
      changes.push({ index, ...change });
    }
    this.#engine.beforeWrite();
    this.#update ??= this.#engine.prepare(`UPDATE ${this.table} SET body = ? WHERE record = ?`);
    this.#update.run(seal(bytes), record);
    for (const { index, added, removed } of changes) {
      for (const entry of removed) index.remove(entry.bytes, record);
      for (const entry of added) index.add(entry.bytes, record);
    }
  }

  /** Removes a stored document and its index entries. */
  remove(record: RecordNumber, document: Document): void {
    this.#engine.beforeWrite();
    this.#delete ??= this.#engine.prepare(`DELETE FROM ${this.table} WHERE record = ?`);
    this.#delete.run(record);
    for (const index of this.indexes) {
      for (const entry of index.entriesOf(document)) index.remove(entry.bytes, record);
    }
    this.#changeCount(record, -1);
  }

  #changeCount(record: RecordNumber, by: number): void {
    const census = this.#census;
    if (!census || record > census.upTo) return;
    census.documents += by;
    this.#engine.onRollback(() => this.#forgetCensus());
  }

  #checkEntry(index: CollectionIndex, { bytes, values }: IndexEntry, record: RecordNumber): void {
    if (index.definition.unique && index.isTaken(bytes, record)) throw duplicateKeyError(this.namespace, index, values);
  }

  /** Lets go of the statements that read a dropped index. */
  forgetStatements(): void {
    this.#statements.clear();
  }

  /** A statement that reads this collection, prepared once. */
  statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#engine.prepareRows(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #number(sql: string): number {
    return (this.#engine.prepareRows(sql).get() as unknown as [number])[0];
  }
}

/** The error for a second document with the same key in a unique index, worded as MongoDB's. */
export function duplicateKeyError(namespace: string, index: CollectionIndex, values: unknown[]): Error {
  const { fields, name, specification } = index.definition;
  const shown = fields.map((field, at) => `${field.path}: ${describeValue(values[at])}`).join(', ');
  return duplicateKey(`E11000 duplicate key error collection: ${namespace} index: ${name} dup key: { ${shown} }`, {
    keyPattern: specification.key,
    keyValue: Object.fromEntries(fields.map((field, at) => [field.path, values[at] ?? null])),
  });
}

function damagedEntry(namespace: string): Error {
  return dataCorruption(
    `an index of ${namespace} is damaged: an entry does not belong to its document. Restore a backup.`,
  );
}

function differingEntries(
  before: IndexEntry[],
  after: IndexEntry[],
): { added: IndexEntry[]; removed: IndexEntry[] } | undefined {
  if (before.length === 1 && after.length === 1 && before[0]?.bytes.equals(after[0]?.bytes as Buffer)) return undefined;
  const added = after.filter((entry) => !before.some((other) => other.bytes.equals(entry.bytes)));
  const removed = before.filter((entry) => !after.some((other) => other.bytes.equals(entry.bytes)));
  return added.length > 0 || removed.length > 0 ? { added, removed } : undefined;
}
