import type { StatementSync } from 'node:sqlite';
import type { Document } from 'bson';
import { duplicateKey } from '../errors.ts';
import { describeValue } from '../values/describe-value.ts';
import type { CollectionIndex, IndexEntry } from './collection-index.ts';
import type { Engine } from './engine.ts';
import { seal, unseal } from './sealed-body.ts';

/** The number by which a document is stored: unique in its collection, ascending in the order of insertion. */
export type RecordNumber = number;

const NO_RECORD: RecordNumber = -1;

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
  #count?: number;
  #insert?: StatementSync;
  #update?: StatementSync;
  #delete?: StatementSync;
  #read?: StatementSync;
  #readById?: StatementSync;

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

  /** How many documents the collection holds. */
  get count(): number {
    if (this.#count === undefined) {
      this.#count = this.#number(`SELECT count(*) FROM ${this.idIndex.table}`);
      this.#engine.onRollback(() => {
        this.#count = undefined;
      });
    }
    return this.#count;
  }

  /** The bytes of all documents. */
  get bytes(): number {
    return this.#number(`SELECT coalesce(sum(length(body) - 4), 0) FROM ${this.table}`);
  }

  createTable(): void {
    this.#engine.execute(`CREATE TABLE ${this.table} (record INTEGER PRIMARY KEY, body BLOB NOT NULL)`);
  }

  dropTable(): void {
    this.#engine.execute(`DROP TABLE ${this.table}`);
  }

  /** The stored bytes of a record, or undefined when it is gone. */
  read(record: RecordNumber): Uint8Array | undefined {
    this.#read ??= this.#engine.prepareRows(`SELECT body FROM ${this.table} WHERE record = ?`);
    const row = this.#read.get(record) as unknown as [Uint8Array] | undefined;
    return row && unseal(row[0]);
  }

  /** The record and bytes of the document with this encoded `_id`. */
  readById(key: Uint8Array): [RecordNumber, Uint8Array] | undefined {
    this.#readById ??= this.#engine.prepareRows(
      `SELECT d.record, d.body FROM ${this.idIndex.table} e CROSS JOIN ${this.table} d ON d.record = e.record WHERE e.key = ?`,
    );
    const row = this.#readById.get(key) as unknown as [RecordNumber, Uint8Array] | undefined;
    return row && [row[0], unseal(row[1])];
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
    this.#changeCount(1);
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
    this.#changeCount(-1);
  }

  #changeCount(by: number): void {
    if (this.#count === undefined) return;
    this.#count += by;
    this.#engine.onRollback(() => {
      this.#count = undefined;
    });
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

function differingEntries(
  before: IndexEntry[],
  after: IndexEntry[],
): { added: IndexEntry[]; removed: IndexEntry[] } | undefined {
  if (before.length === 1 && after.length === 1 && before[0]?.bytes.equals(after[0]?.bytes as Buffer)) return undefined;
  const added = after.filter((entry) => !before.some((other) => other.bytes.equals(entry.bytes)));
  const removed = before.filter((entry) => !after.some((other) => other.bytes.equals(entry.bytes)));
  return added.length > 0 || removed.length > 0 ? { added, removed } : undefined;
}
