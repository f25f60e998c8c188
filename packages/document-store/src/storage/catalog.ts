import { randomUUID } from 'node:crypto';
import { illegalOperation, indexNotFound, invalidNamespace, isWriteFailure, namespaceExists } from '../errors.ts';
import { encode } from '../values/codec.ts';
import { decode } from '../values/decode.ts';
import { Collection } from './collection.ts';
import { CollectionIndex } from './collection-index.ts';
import type { Engine } from './engine.ts';
import { type IndexDefinition, idIndexDefinition, readIndexDefinition } from './index-definition.ts';
import { type Steps, sliceIsOver } from './scheduler.ts';

const MAX_NAMESPACE_BYTES = 255;
const MAX_DATABASE_BYTES = 63;
const GARBAGE_ROWS = 32;
/** Names of unfinished collections start with this. */
export const TEMPORARY_PREFIX = 'tmp.agg_out.';

export class Catalog {
  readonly #engine: Engine;
  /** By namespace. Database names have no dots. */
  readonly #collections = new Map<string, Collection>();
  readonly garbage = new Set<string>();
  onGarbage: () => void = () => undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#load();
  }

  #load(): void {
    const collections = new Map<number, Collection>();
    type CollectionRow = [number, string, string, Uint8Array];
    const collectionRows = this.#engine
      .prepareRows('SELECT id, database, name, uuid FROM collections ORDER BY id')
      .all();
    for (const [id, database, name, uuid] of collectionRows as unknown as CollectionRow[]) {
      const collection = new Collection(this.#engine, id, database, name, uuid);
      collections.set(id, collection);
      this.#register(collection);
    }
    type IndexRow = [number, number, Uint8Array, number, number];
    const indexRows = this.#engine
      .prepareRows('SELECT id, collection, specification, multikey, ready FROM indexes ORDER BY id')
      .all();
    for (const [id, collection, specification, multikey, ready] of indexRows as unknown as IndexRow[]) {
      const definition = readStoredDefinition(specification);
      const index = new CollectionIndex(this.#engine, id, definition, ready === 1, multikey === 1);
      collections.get(collection)?.indexes.push(index);
    }
    this.#findGarbage();
    this.#dropUnfinished([...collections.values()]);
  }

  #findGarbage(): void {
    const used = new Set(
      this.allCollections().flatMap(({ table, indexes }) => [table, ...indexes.map((index) => index.table)]),
    );
    const tables = this.#engine.prepareRows("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    for (const [name] of tables as unknown as [string][]) {
      if (/^(documents|entries)_\d+$/.test(name) && !used.has(name)) this.garbage.add(name);
    }
  }

  /** Drops collections and indexes left unfinished by a crash, which no client knows of. */
  #dropUnfinished(collections: Collection[]): void {
    const unfinished = collections.flatMap(({ indexes }) => indexes.filter((index) => !index.ready));
    try {
      for (const collection of collections) {
        if (collection.name.startsWith(TEMPORARY_PREFIX)) this.drop(collection);
        else for (const { ready, name } of [...collection.indexes]) if (!ready) this.dropIndex(collection, name);
      }
      this.#engine.keepCommand();
      this.#engine.commit();
    } catch (error) {
      if (!isWriteFailure(error)) throw error;
      this.#engine.rollBack(error);
      for (const index of unfinished) index.isAbandoned = true;
    }
  }

  #register(collection: Collection): void {
    this.#collections.set(collection.namespace, collection);
  }

  #unregister(collection: Collection): void {
    this.#collections.delete(collection.namespace);
  }

  databases(): string[] {
    return [...new Set(this.allCollections().map(({ database }) => database))].sort();
  }

  collections(database: string): Collection[] {
    const collections = this.allCollections().filter((collection) => collection.database === database);
    return collections.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  allCollections(): Collection[] {
    return [...this.#collections.values()];
  }

  find(database: string, name: string): Collection | undefined {
    return this.#collections.get(`${database}.${name}`);
  }

  findOrCreate(database: string, name: string): Collection {
    return this.find(database, name) ?? this.create(database, name);
  }

  create(database: string, name: string): Collection {
    checkNamespace(database, name);
    if (this.find(database, name)) throw namespaceExists(`Collection ${database}.${name} already exists.`);
    this.#engine.beforeWrite();
    const uuid = Buffer.from(randomUUID().replaceAll('-', ''), 'hex');
    const { lastInsertRowid } = this.#engine
      .prepare('INSERT INTO collections (database, name, uuid) VALUES (?, ?, ?)')
      .run(database, name, uuid);
    const collection = new Collection(this.#engine, Number(lastInsertRowid), database, name, uuid);
    collection.createTable();
    this.addIndex(collection, idIndexDefinition()).markReady();
    this.#register(collection);
    this.#engine.onRollback(() => this.#unregister(collection));
    return collection;
  }

  drop(collection: Collection): void {
    this.#engine.beforeWrite();
    for (const { table } of [...collection.indexes, collection]) this.#discard(table);
    this.#engine.prepare('DELETE FROM indexes WHERE collection = ?').run(collection.id);
    this.#engine.prepare('DELETE FROM collections WHERE id = ?').run(collection.id);
    this.#unregister(collection);
    collection.dropped = true;
    this.#engine.onRollback(() => {
      collection.dropped = false;
      this.#register(collection);
    });
  }

  rename(collection: Collection, name: string): void {
    checkNamespace(collection.database, name);
    const before = collection.name;
    this.#engine.beforeWrite();
    this.#engine.prepare('UPDATE collections SET name = ? WHERE id = ?').run(name, collection.id);
    this.#setName(collection, name);
    this.#engine.onRollback(() => this.#setName(collection, before));
  }

  #setName(collection: Collection, name: string): void {
    this.#unregister(collection);
    collection.name = name;
    this.#register(collection);
  }

  addIndex(collection: Collection, definition: IndexDefinition): CollectionIndex {
    this.#engine.beforeWrite();
    const { lastInsertRowid } = this.#engine
      .prepare('INSERT INTO indexes (collection, name, specification) VALUES (?, ?, ?)')
      .run(collection.id, definition.name, encode(definition.specification));
    const index = new CollectionIndex(this.#engine, Number(lastInsertRowid), definition, false, false);
    index.createTable();
    const before = collection.indexes;
    collection.indexes = [...before, index];
    this.#engine.onRollback(() => {
      collection.indexes = before;
    });
    return index;
  }

  /** Leaves a table to be emptied in the background, which takes long for a large one. */
  #discard(table: string): void {
    this.garbage.add(table);
    this.#engine.onRollback(() => this.garbage.delete(table));
    this.onGarbage();
  }

  dropIndex(collection: Collection, name: string): void {
    const index = collection.indexes.find((index) => index.name === name);
    if (!index) throw indexNotFound(`index not found with name [${name}]`);
    if (index === collection.idIndex) throw illegalOperation('cannot drop _id index');
    collection.clearStatements();
    this.#engine.beforeWrite();
    this.#discard(index.table);
    this.#engine.prepare('DELETE FROM indexes WHERE id = ?').run(index.id);
    const before = collection.indexes;
    collection.indexes = before.filter((other) => other !== index);
    this.#engine.onRollback(() => {
      collection.indexes = before;
    });
  }

  /** Empties and drops the tables of dropped collections and indexes, a few rows at a time. */
  *emptyGarbage(): Steps<void> {
    for (const table of this.garbage) {
      const key = table.startsWith('documents') ? 'record' : 'key, record';
      const deleteRows = this.#engine.prepare(
        `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT ?)`,
      );
      for (let isEmpty = false; !isEmpty; ) {
        yield;
        do {
          this.#engine.beforeWrite();
          isEmpty = Number(deleteRows.run(GARBAGE_ROWS).changes) < GARBAGE_ROWS;
        } while (!isEmpty && !sliceIsOver());
      }
      this.#engine.execute(`DROP TABLE ${table}`);
      this.garbage.delete(table);
      this.#engine.onRollback(() => this.garbage.add(table));
    }
  }
}

function readStoredDefinition(specification: Uint8Array): IndexDefinition {
  const decoded = decode(specification);
  return decoded.name === '_id_' ? idIndexDefinition() : readIndexDefinition(decoded);
}

export function checkNamespace(database: string, name: string): void {
  checkDatabaseName(database);
  const reason = collectionNameProblem(name);
  if (reason) throw invalidNamespace(`Invalid namespace specified '${database}.${name}': ${reason}`);
  if (Buffer.byteLength(`${database}.${name}`) > MAX_NAMESPACE_BYTES) {
    throw invalidNamespace(`Fully qualified namespace is too long. Namespace: ${database}.${name}`);
  }
}

export function checkDatabaseName(database: unknown): asserts database is string {
  const valid =
    typeof database === 'string' &&
    database !== '' &&
    Buffer.byteLength(database) <= MAX_DATABASE_BYTES &&
    !/[\0/\\. "$]/.test(database);
  if (!valid) throw invalidNamespace(`Invalid database name: '${String(database)}'`);
}

function collectionNameProblem(name: string): string | undefined {
  if (name === '') return 'collection names cannot be empty';
  if (name.includes('\0')) return 'collection names cannot contain the null character';
  if (name.includes('$')) return "collection names cannot contain '$'";
  if (name.startsWith('.') || name.endsWith('.')) return "collection names cannot start or end with '.'";
  if (name.startsWith('system.')) return "collection names cannot start with 'system.'";
  return undefined;
}
