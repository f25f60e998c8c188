import { type Document, Double, Int32, Long, ObjectId } from 'bson';
import { expect, test } from 'vitest';
import { compileFilter } from '../query/matcher.ts';
import { compileSort } from '../query/sort.ts';
import type { Collection } from '../storage/collection.ts';
import { readIndexDefinition } from '../storage/index-definition.ts';
import { Store } from '../store.ts';
import { temporaryDirectory } from '../test-store.ts';
import { encode } from '../values/codec.ts';
import { encodeKey } from '../values/keys.ts';
import { openCount } from './counting.ts';
import type { Query } from './query.ts';

/** A small generator of repeatable random numbers (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

class Random {
  readonly next: () => number;
  #indexKeys: string[][] = [];

  constructor(seed: number) {
    this.next = generator(seed);
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  scalar(): unknown {
    if (this.next() < 0.5) return new Int32(this.below(4));
    return this.pick<() => unknown>([
      () => new Int32(this.below(6) - 2),
      () => new Double(this.pick([-1.5, 0, 0.5, 2, 3.25, Number.NaN, Number.POSITIVE_INFINITY])),
      () => Long.fromNumber(this.pick([-1, 2, 2 ** 53 + 2])),
      () => this.pick(['', 'a', 'ab', 'abc', 'b', 'b\0c', 'é', '😀']),
      () => this.pick(['a', 'ab', 'abd']),
      () => null,
      () => this.pick([true, false]),
      () => new Date(this.pick([-5000, 0, 1, 2 ** 33])),
      () => new ObjectId('65000000000000000000000'.concat(String(this.below(3)))),
    ])();
  }

  value(arrays: boolean): unknown {
    const kind = this.next();
    if (kind < 0.1) return { x: this.scalar() };
    if (arrays && kind < 0.3) return Array.from({ length: this.below(4) }, () => this.scalar());
    if (arrays && kind < 0.36)
      return Array.from({ length: this.below(3) }, () => ({ x: this.scalar(), y: this.scalar() }));
    return this.scalar();
  }

  document(id: number, arrays: boolean): Document {
    const document: Document = { _id: new Int32(id) };
    for (const field of ['a', 'b', 'c']) if (this.next() < 0.85) document[field] = this.value(arrays);
    if (this.next() < 0.5) document.d = { x: this.value(arrays), y: this.scalar() };
    return document;
  }

  path(): string {
    return this.pick(['a', 'a', 'b', 'b', 'c', 'd.x', 'd.y', 'a.x', 'd']);
  }

  indexes(arrays: boolean): Document[] {
    return Array.from({ length: 1 + this.below(4) }, (_, number) => {
      const key: Document = {};
      for (let fields = 1 + this.below(3); fields > 0; fields--) key[this.path()] = new Int32(this.pick([1, -1]));
      this.#indexKeys.push(Object.keys(key));
      const options = this.pick<Document>([
        {},
        {},
        {},
        { sparse: true },
        { partialFilterExpression: { b: { $exists: true } } },
        { partialFilterExpression: { a: { $gt: new Int32(0) } } },
      ]);
      return { name: `i${number}${arrays ? 'm' : ''}`, key, ...options };
    });
  }

  condition(): unknown {
    return this.pick<() => unknown>([
      () => this.scalar(),
      () => ({ $eq: this.value(false) }),
      () => ({ $in: Array.from({ length: this.below(4) }, () => this.scalar()) }),
      () => ({ [this.pick(['$gt', '$gte', '$lt', '$lte'])]: this.scalar() }),
      () => ({ $gte: this.scalar(), $lt: this.scalar() }),
      () => ({ $gt: new Int32(-1), $lte: new Int32(3) }),
      () => ({ $ne: this.scalar() }),
      () => ({ $exists: this.pick([true, false]) }),
      () => ({ $regex: this.pick(['^a', '^ab', '^ab?', 'b', '^a|b', '^abc$']) }),
      () => ({ $not: { $gt: this.scalar() } }),
      () => ({ $nin: [this.scalar(), null] }),
      () => ({ $gt: new Int32(0) }),
    ])();
  }

  /** Half of the filters are about the first fields of an index, so that it is used. */
  filter(depth = 0): Document {
    return this.next() < 0.5 ? this.indexedFilter() : this.anyFilter(depth);
  }

  indexedFilter(): Document {
    const paths = this.pick(this.#indexKeys);
    const held = this.below(paths.length + 1);
    const filter: Document = Object.fromEntries(paths.slice(0, held).map((path) => [path, this.scalar()]));
    if (held < paths.length && this.next() < 0.8) filter[paths[held] as string] = this.condition();
    if (this.next() < 0.2) filter[this.path()] = this.condition();
    return filter;
  }

  anyFilter(depth: number): Document {
    const filter: Document = {};
    for (let clauses = this.below(4); clauses > 0; clauses--) {
      const kind = depth < 2 ? this.next() : 1;
      if (kind < 0.12) filter.$or = Array.from({ length: 1 + this.below(3) }, () => this.filter(depth + 1));
      else if (kind < 0.2) filter.$and = Array.from({ length: 1 + this.below(2) }, () => this.filter(depth + 1));
      else if (kind < 0.25)
        filter._id = this.pick([new Int32(3), { $gte: new Int32(20) }, { $in: [new Int32(1), new Int32(9)] }]);
      else filter[this.path()] = this.condition();
    }
    return filter;
  }

  sortPath(): string {
    return this.next() < 0.5 ? this.pick(this.pick(this.#indexKeys)) : this.pick(['a', 'b', 'c', 'd.x', '_id']);
  }

  /** With arrays of one field only: documents with two arrays in their sort key can't be sorted. */
  sort(arrays: boolean): Document {
    const sort: Document = {};
    for (let fields = this.below(arrays ? 2 : 3); fields > 0; fields--) sort[this.sortPath()] = this.pick([1, -1]);
    return sort;
  }
}

function drain(query: Query): Document[] {
  const found: Document[] = [];
  for (let portion = query.source.pull(); portion; portion = query.source.pull()) {
    found.push(...portion.map((candidate) => candidate.document));
  }
  return found;
}

function ids(documents: Document[]): number[] {
  return documents.map((document) => document._id.value).sort((one, other) => one - other);
}

function tryInsert(collection: Collection, document: Document): void {
  try {
    collection.insert(document, encode(document));
  } catch (error) {
    // Two arrays in one compound index can't be indexed; the document is then not there for either side.
    if ((error as { code?: number }).code !== 171) throw error;
  }
}

function readAll(store: Store, collection: Collection): Document[] {
  return drain(store.openQuery(collection, { filter: {}, hint: { $natural: 1 } }));
}

function checkQuery(store: Store, collection: Collection, all: Document[], random: Random, arrays: boolean): void {
  const filter = random.filter();
  const sort = random.sort(arrays);
  const matches = compileFilter(filter);
  const expected = all.filter((document) => matches(document));
  const query = store.openQuery(collection, { filter, sort });
  const found = drain(query);
  const context = JSON.stringify({ filter, sort, plan: query.plan.kind });
  expect(ids(found), context).toEqual(ids(expected));
  const comparator = compileSort(sort);
  const keys = (documents: Document[]) =>
    documents.map((document) =>
      comparator
        .key(document)
        .map((value) => encodeKey(value).toString('hex'))
        .join(),
    );
  expect(keys(found), context).toEqual(keys([...expected].sort(comparator)));

  const skip = random.below(3);
  const limit = 1 + random.below(5);
  const page = drain(store.openQuery(collection, { filter, sort, skip, limit }));
  expect(keys(page), context).toEqual(keys([...expected].sort(comparator).slice(skip, skip + limit)));

  const counted = openCount(store, collection, { filter, skip, limit });
  let count = 0;
  for (let portion = counted.pull(); portion !== undefined; portion = counted.pull()) count += portion;
  expect(count, context).toBe(expected.slice(skip, skip + limit).length);
}

/** Every entry that the documents should have in an index, and no other. */
function checkEntries(store: Store, collection: Collection): void {
  const documents = drain(store.openQuery(collection, { filter: {} }));
  for (const index of collection.indexes) {
    const expected = documents.flatMap((document) =>
      index.entriesOf(document).map((entry) => entry.bytes.toString('hex')),
    );
    const rows = store.engine.prepareRows(`SELECT hex(key) FROM ${index.table}`).all() as unknown as [string][];
    expect(rows.map(([key]) => key.toLowerCase()).sort(), index.name).toEqual(expected.sort());
  }
}

test.each(Array.from({ length: 16 }, (_, at) => at + 1))(
  'finds by indexes what a full scan finds, seed %i',
  async (seed) => {
    const store = new Store(await temporaryDirectory());
    const random = new Random(seed);
    const arrays = seed % 2 === 0;
    const collection = store.catalog.create('fuzz', 'documents');
    for (const specification of random.indexes(arrays)) {
      store.catalog.addIndex(collection, readIndexDefinition(specification)).markReady();
    }
    for (let id = 0; id < 60; id++) tryInsert(collection, random.document(id, arrays));
    for (let round = 0; round < 3; round++) {
      const all = readAll(store, collection);
      for (let query = 0; query < 60; query++) checkQuery(store, collection, all, random, arrays);
      const { source } = store.openQuery(collection, { filter: {} });
      for (let portion = source.pull(); portion; portion = source.pull()) {
        for (const { record, document } of portion) {
          const kind = random.next();
          if (kind < 0.1) collection.remove(record, document);
          else if (kind < 0.5) {
            const after = random.document(document._id.value, arrays);
            try {
              collection.replace(record, document, after, encode(after));
            } catch (error) {
              if ((error as { code?: number }).code !== 171) throw error;
            }
          }
        }
      }
      checkEntries(store, collection);
    }
    store.engine.keepCommand();
    store.engine.commit();
    store.close();
  },
);
