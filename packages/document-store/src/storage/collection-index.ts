import type { StatementSync } from 'node:sqlite';
import type { Document } from 'bson';
import { encodeCompoundKey } from '../values/keys.ts';
import type { Engine } from './engine.ts';
import type { IndexDefinition } from './index-definition.ts';
import { extractIndexKeys } from './index-keys.ts';

/** A document's key in one index: its bytes, and the values that they stand for. */
export interface IndexEntry {
  bytes: Buffer;
  values: unknown[];
}

/** One index of a collection: its definition, and its table of (key, record) entries, which are ordered bytewise. */
export class CollectionIndex {
  readonly id: number;
  readonly table: string;
  readonly definition: IndexDefinition;
  readonly directions: (1 | -1)[];
  /** False while the index is being built: it takes entries, but queries don't use it. */
  ready: boolean;
  /** True when nobody builds it any more and it could not be removed, as on a full disk. */
  isAbandoned = false;
  /** True once any document gave more than one key; never false again. */
  multikey: boolean;
  readonly #engine: Engine;
  /** No key is above it. */
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

  /** The entries that a document has in this index, each once, without order. */
  entriesOf(document: Document): IndexEntry[] {
    const { entries, multikey } = this.examine(document);
    if (multikey) this.#becomeMultikey();
    return entries;
  }

  /** The entries that a document should have, and whether they make the index multikey; changes nothing. */
  examine(document: Document): { entries: IndexEntry[]; multikey: boolean } {
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

  #becomeMultikey(): void {
    if (this.multikey) return;
    this.#engine.beforeWrite();
    this.#engine.prepare('UPDATE indexes SET multikey = 1 WHERE id = ?').run(this.id);
    this.multikey = true;
    this.#engine.onRollback(() => {
      this.multikey = false;
    });
  }

  /**
   * Whether a record other than this one has the key: to be asked of a unique index before each entry that is added. Ids mostly ascend, so
   * what lies above all that was ever asked about need not be looked for.
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

  /** Marks the index as whole, so that queries use it. */
  markReady(): void {
    this.#engine.beforeWrite();
    this.#engine.prepare('UPDATE indexes SET ready = 1 WHERE id = ?').run(this.id);
    this.ready = true;
  }
}
