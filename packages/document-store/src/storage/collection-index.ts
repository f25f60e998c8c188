import type { StatementSync } from 'node:sqlite';
import type { Document } from 'bson';
import { encodeCompoundKey } from '../values/keys.ts';
import type { Engine } from './engine.ts';
import type { IndexDefinition } from './index-definition.ts';
import { extractIndexKeys } from './index-keys.ts';

export interface IndexEntry {
  bytes: Buffer;
  values: unknown[];
}

/** An index: its definition, and a table of (key, record) entries in byte order. */
export class CollectionIndex {
  readonly id: number;
  readonly table: string;
  readonly definition: IndexDefinition;
  readonly directions: (1 | -1)[];
  /** False during the build: writes update the index, but queries do not use it. */
  ready: boolean;
  /** True if the build failed and the index could not be removed, as on a full disk. */
  isAbandoned = false;
  /** True once any document had more than one key. Never reset. */
  multikey: boolean;
  readonly #engine: Engine;
  #highest?: Uint8Array;
  #insert?: StatementSync;
  #delete?: StatementSync;
  #find?: StatementSync;
  #has?: StatementSync;

  constructor(engine: Engine, id: number, definition: IndexDefinition, ready: boolean, multikey: boolean) {
    this.#engine = engine;
    this.id = id;
    this.table = `entries_${id}`;
    this.definition = definition;
    this.directions = definition.fields.map((field) => field.direction);
    this.ready = ready;
    this.multikey = multikey;
  }

  get name(): string {
    return this.definition.name;
  }

  createTable(): void {
    this.#engine.execute(
      `CREATE TABLE ${this.table} (key BLOB NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (key, record)) WITHOUT ROWID`,
    );
  }

  /** Returns a document's distinct entries, and marks the index as multikey if needed. */
  entriesOf(document: Document): IndexEntry[] {
    const { entries, multikey } = this.computeEntries(document);
    if (multikey) this.#markMultikey();
    return entries;
  }

  computeEntries(document: Document): { entries: IndexEntry[]; multikey: boolean } {
    const { fields, sparse, matchesPartial } = this.definition;
    if (matchesPartial && !matchesPartial(document)) return { entries: [], multikey: false };
    const { keys, multikey } = extractIndexKeys(document, fields, sparse);
    if (keys.length === 1) return { entries: [this.#entry(keys[0] as unknown[])], multikey };
    const distinct = new Map<string, IndexEntry>();
    for (const values of keys) {
      const entry = this.#entry(values);
      distinct.set(entry.bytes.toString('latin1'), entry);
    }
    return { entries: [...distinct.values()], multikey };
  }

  #entry(values: unknown[]): IndexEntry {
    return { bytes: encodeCompoundKey(values, this.directions), values };
  }

  #markMultikey(): void {
    if (this.multikey) return;
    this.#engine.beforeWrite();
    this.#engine.prepare('UPDATE indexes SET multikey = 1 WHERE id = ?').run(this.id);
    this.multikey = true;
    this.#engine.onRollback(() => {
      this.multikey = false;
    });
  }

  /**
   * Returns whether another record has the key. Must run before each insert into a unique index.
   * Ids mostly ascend, so keys above all earlier ones need no lookup.
   */
  isTaken(key: Uint8Array, record: number): boolean {
    if (!this.#highest) {
      const [highest] = this.#engine.prepareRows(`SELECT max(key) FROM ${this.table}`).get() as unknown as [Uint8Array];
      this.#highest = highest ?? Buffer.alloc(0);
    }
    if (Buffer.compare(key, this.#highest) > 0) {
      this.#highest = key;
      return false;
    }
    this.#find ??= this.#engine.prepareRows(`SELECT 1 FROM ${this.table} WHERE key = ? AND record <> ? LIMIT 1`);
    return this.#find.get(key, record) !== undefined;
  }

  has(key: Uint8Array, record: number): boolean {
    this.#has ??= this.#engine.prepareRows(`SELECT 1 FROM ${this.table} WHERE key = ? AND record = ?`);
    return this.#has.get(key, record) !== undefined;
  }

  add(key: Uint8Array, record: number): void {
    this.#engine.beforeWrite();
    this.#insert ??= this.#engine.prepare(`INSERT OR IGNORE INTO ${this.table} (key, record) VALUES (?, ?)`);
    this.#insert.run(key, record);
  }

  remove(key: Uint8Array, record: number): void {
    this.#engine.beforeWrite();
    this.#delete ??= this.#engine.prepare(`DELETE FROM ${this.table} WHERE key = ? AND record = ?`);
    this.#delete.run(key, record);
  }

  markReady(): void {
    this.#engine.beforeWrite();
    this.#engine.prepare('UPDATE indexes SET ready = 1 WHERE id = ?').run(this.id);
    this.ready = true;
  }
}
