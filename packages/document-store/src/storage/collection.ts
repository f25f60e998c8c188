import type { StatementSync } from 'node:sqlite';
import type { Document } from 'bson';
import { dataCorruption, duplicateKey } from '../errors.ts';
import { describeValue } from '../values/describe-value.ts';
import type { CollectionIndex, IndexEntry } from './collection-index.ts';
import type { Engine } from './engine.ts';
import type { Steps } from './scheduler.ts';
import { appendChecksum, hasIdKey, verifyChecksum, withoutChecksum } from './stored-document.ts';

/** Identifies a stored document within its collection. Ascends in insertion order. */
export type RecordNumber = number;

const NO_RECORD: RecordNumber = -1;
const CHUNK_SIZE = 5_000;

export type EntryRow = [key: Uint8Array, record: RecordNumber, body: Uint8Array | null];

interface CountState {
  upTo: RecordNumber;
  documents: number;
  isComplete: boolean;
}

export class Collection {
  readonly id: number;
  readonly database: string;
  name: string;
  readonly uuid: Uint8Array;
  readonly table: string;
  /** The index on `_id` comes first. */
  indexes: CollectionIndex[] = [];
  /** True once dropped. Cursors and long commands that use the collection then end. */
  dropped = false;
  readonly #engine: Engine;
  readonly #statements = new Map<string, StatementSync>();
  #lastRecord?: number;
  /** The number of documents up to a record, or of all documents once complete. */
  #countState: CountState | undefined;
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

  /** Counts the documents in chunks. The count is cached and kept up to date. */
  *count(): Steps<number> {
    for (;;) {
      this.#countState ??= { upTo: -1, documents: 0, isComplete: false };
      const state = this.#countState;
      if (state.isComplete) return state.documents;
      const [documents, upTo] = this.#countAfter(state.upTo);
      state.documents += documents;
      state.isComplete = documents < CHUNK_SIZE;
      state.upTo = state.isComplete ? Number.MAX_SAFE_INTEGER : (upTo as RecordNumber);
      if (this.#engine.inTransaction) this.#engine.onRollback(() => this.#resetCount());
      yield;
    }
  }

  #countAfter(record: RecordNumber): [number, RecordNumber | null] {
    const chunk = `SELECT record FROM ${this.table} WHERE record > ? ORDER BY record LIMIT ${CHUNK_SIZE}`;
    const statement = this.statement(`SELECT count(*), max(record) FROM (${chunk})`);
    return statement.get(record) as unknown as [number, RecordNumber | null];
  }

  #resetCount(): void {
    this.#countState = undefined;
  }

  *bytes(): Steps<number> {
    const chunk = `SELECT record, length(body) - 4 AS bytes FROM ${this.table} WHERE record > ? ORDER BY record LIMIT ${CHUNK_SIZE}`;
    let sum = 0;
    for (let upTo: RecordNumber | null = -1; upTo !== null && !this.dropped; ) {
      const statement = this.statement(`SELECT coalesce(sum(bytes), 0), max(record) FROM (${chunk})`);
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

  read(record: RecordNumber): Uint8Array | undefined {
    this.#read ??= this.#engine.prepareRows(`SELECT body FROM ${this.table} WHERE record = ?`);
    const row = this.#read.get(record) as unknown as [Uint8Array] | undefined;
    return row && verifyChecksum(row[0]);
  }

  /** Finds a document by its encoded `_id`. Throws DataCorruptionDetected for a damaged index entry. */
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
   * Checks that an `_id` is really absent. Throws DataCorruptionDetected. A damaged index entry
   * hides its document, so the key's neighbors are compared with theirs.
   */
  checkAbsence(key: Uint8Array): void {
    this.#readBefore ??= this.#engine.prepareRows(`${this.#entries} WHERE e.key < ? ORDER BY e.key DESC LIMIT 1`);
    this.#readAfter ??= this.#engine.prepareRows(`${this.#entries} WHERE e.key >= ? ORDER BY e.key LIMIT 1`);
    for (const statement of [this.#readBefore, this.#readAfter]) {
      const row = statement.get(key) as unknown as EntryRow | undefined;
      if (!row) continue;
      const [neighbor, , body] = row;
      // Reading a damaged document reports it. Here it says nothing about its index entry.
      const bytes = body && withoutChecksum(body);
      if (!body || (bytes && !hasIdKey(bytes, neighbor))) throw damagedEntry(this.namespace);
    }
  }

  checkIdEntry(key: Uint8Array, bytes: Uint8Array): void {
    if (!hasIdKey(bytes, key)) throw damagedEntry(this.namespace);
  }

  bodyOf(entry: EntryRow): Uint8Array {
    const body = entry[2];
    if (!body) throw damagedEntry(this.namespace);
    return verifyChecksum(body);
  }

  get #entries(): string {
    return `SELECT e.key, e.record, d.body FROM ${this.idIndex.table} e LEFT JOIN ${this.table} d ON d.record = e.record`;
  }

  insert(document: Document, bytes: Uint8Array): void {
    const { indexes } = this;
    const entries = indexes.map((index) => index.entriesOf(document));
    for (let at = 0; at < indexes.length; at++) {
      for (const entry of entries[at] as IndexEntry[])
        this.#checkEntry(indexes[at] as CollectionIndex, entry, NO_RECORD);
    }
    this.#engine.beforeWrite();
    this.#lastRecord ??= this.#engine.readNumber(`SELECT coalesce(max(record), 0) FROM ${this.table}`);
    this.#lastRecord += 1;
    for (let at = 0; at < indexes.length; at++) {
      for (const { bytes } of entries[at] as IndexEntry[]) indexes[at]?.add(bytes, this.#lastRecord);
    }
    this.#insert ??= this.#engine.prepare(`INSERT INTO ${this.table} (record, body) VALUES (?, ?)`);
    this.#insert.run(this.#lastRecord, appendChecksum(bytes));
    this.#changeCount(this.#lastRecord, 1);
  }

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
    this.#update.run(appendChecksum(bytes), record);
    for (const { index, added, removed } of changes) {
      for (const entry of removed) index.remove(entry.bytes, record);
      for (const entry of added) index.add(entry.bytes, record);
    }
  }

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
    const state = this.#countState;
    if (!state || record > state.upTo) return;
    state.documents += by;
    this.#engine.onRollback(() => this.#resetCount());
  }

  #checkEntry(index: CollectionIndex, { bytes, values }: IndexEntry, record: RecordNumber): void {
    if (index.definition.unique && index.isTaken(bytes, record)) throw duplicateKeyError(this.namespace, index, values);
  }

  /** Drops cached statements, which may read a dropped index. */
  clearStatements(): void {
    this.#statements.clear();
  }

  statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#engine.prepareRows(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

export function duplicateKeyError(namespace: string, index: CollectionIndex, values: unknown[]): Error {
  const { fields, name, specification } = index.definition;
  const shown = fields.map((field, at) => `${field.path}: ${describeValue(values[at])}`).join(', ');
  return duplicateKey(`E11000 duplicate key error collection: ${namespace} index: ${name} dup key: { ${shown} }`, {
    keyPattern: specification.key,
    keyValue: Object.fromEntries(fields.map((field, at) => [field.path, values[at] ?? null])),
  });
}

function damagedEntry(namespace: string): Error {
  return dataCorruption(`an index of ${namespace} is damaged: an entry does not match its document. Restore a backup.`);
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
