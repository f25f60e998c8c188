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
import { countQuery, openQuery, type Query } from './query.ts';

const SEEDS = process.env.CHORUS_SOAK === '1' ? 200 : 16;

/** Returns repeatable random numbers (mulberry32). */
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
  readonly #arrays: boolean;
  readonly indexKeys: Document[] = [];

  constructor(seed: number, arrays: boolean) {
    this.next = generator(seed);
    this.#arrays = arrays;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  list<T>(limit: number, make: () => T): T[] {
    return Array.from({ length: this.below(limit) }, make);
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

  value(arrays = this.#arrays): unknown {
    const kind = this.next();
    if (kind < 0.1) return { x: this.scalar() };
    if (arrays && kind < 0.28) return this.list(4, () => this.scalar());
    if (arrays && kind < 0.32) return this.list(3, () => this.list(3, () => this.scalar()));
    if (arrays && kind < 0.38) return this.list(3, () => ({ x: this.scalar(), y: this.scalar() }));
    return this.scalar();
  }

  document(id: number): Document {
    const document: Document = { _id: new Int32(id) };
    for (const field of ['a', 'b', 'c']) if (this.next() < 0.85) document[field] = this.value();
    if (this.next() < 0.5) document.d = { x: this.value(), y: this.scalar() };
    // A mostly distinct field for unique indexes.
    document.u = this.next() < 0.9 ? new Int32(id) : this.scalar();
    return document;
  }

  path(): string {
    return this.pick([
      'a',
      'a',
      'b',
      'b',
      'c',
      'd.x',
      'd.y',
      'a.x',
      'd',
      'u',
      ...(this.#arrays ? ['a.0', 'a.1.x'] : []),
    ]);
  }

  indexes(): Document[] {
    return Array.from({ length: 1 + this.below(4) }, (_, number) => {
      const key: Document = {};
      for (let fields = 1 + this.below(3); fields > 0; fields--) key[this.path()] = new Int32(this.pick([1, -1]));
      this.indexKeys.push(key);
      const options = this.pick<Document>([
        {},
        {},
        {},
        { sparse: true },
        { partialFilterExpression: { b: { $exists: true } } },
        { partialFilterExpression: { a: { $gt: new Int32(0) } } },
        { partialFilterExpression: { $and: [{ c: { $type: 'number' } }, { b: { $in: [new Int32(1), 'a'] } }] } },
      ]);
      return { name: `i${number}`, key, ...options, unique: 'u' in key };
    });
  }

  condition(): unknown {
    return this.pick<() => unknown>([
      () => this.scalar(),
      () => ({ $eq: this.value(false) }),
      () => this.value(),
      () => ({ $in: this.list(4, () => this.scalar()) }),
      () => ({ $in: [this.value(), this.value()] }),
      () => ({ [this.pick(['$gt', '$gte', '$lt', '$lte'])]: this.scalar() }),
      () => ({ [this.pick(['$gt', '$gte', '$lt', '$lte'])]: this.value() }),
      () => ({ $gte: this.scalar(), $lt: this.scalar() }),
      () => ({ $gt: new Int32(-1), $lte: new Int32(3) }),
      () => ({ $ne: this.scalar() }),
      () => ({ $exists: this.pick([true, false]) }),
      () => ({ $type: this.pick(['number', 'string', 'null', 'array', 'object', 'bool']) }),
      () => ({
        $regex: this.pick(['^a', '^ab', '^ab?', 'b', '^a|b', '^abc$', '^a.*']),
        $options: this.pick(['', 'i']),
      }),
      () => ({ $not: { $gt: this.scalar() } }),
      () => ({ $nin: [this.scalar(), null] }),
      () => ({ $all: this.list(3, () => this.scalar()) }),
      () => ({ $size: new Int32(this.below(3)) }),
      () => ({ $mod: [new Int32(2), new Int32(this.below(2))] }),
      () => ({ $bitsAllSet: new Int32(this.below(3)) }),
      () => ({ $elemMatch: { $gte: this.scalar(), $lt: this.scalar() } }),
      () => ({ $elemMatch: { x: this.scalar() } }),
      () => ({ $gt: new Int32(0) }),
    ])();
  }

  /** Half of the filters use an index's first fields, so that it is chosen. */
  filter(depth = 0): Document {
    return this.next() < 0.5 ? this.indexedFilter() : this.anyFilter(depth);
  }

  indexedFilter(): Document {
    const paths = Object.keys(this.pick(this.indexKeys));
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
      else if (kind < 0.23) filter.$nor = [this.filter(depth + 1)];
      else if (kind < 0.25) filter.$expr = { $gt: ['$a', '$b'] };
      else if (kind < 0.3) {
        filter._id = this.pick([new Int32(3), { $gte: new Int32(20) }, { $in: [new Int32(1), new Int32(9)] }]);
      } else filter[this.path()] = this.condition();
    }
    return filter;
  }

  sortPath(): string {
    return this.next() < 0.5
      ? this.pick(Object.keys(this.pick(this.indexKeys)))
      : this.pick(['a', 'b', 'c', 'd.x', '_id']);
  }

  /** Includes at most one array field, since parallel arrays cannot be sorted. */
  sort(): Document {
    const sort: Document = {};
    for (let fields = this.below(this.#arrays ? 2 : 3); fields > 0; fields--)
      sort[this.sortPath()] = this.pick([1, -1]);
    return sort;
  }
}

const documentsOf = ({ source }: Query): Document[] => [...source].flat().map((candidate) => candidate.document);

const ids = (documents: Document[]): number[] =>
  documents.map((document) => document._id.value).sort((one, other) => one - other);

/** Runs a write. Returns false if a rule of the collection rejected it. */
function attempt(write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    // Parallel arrays in a compound index, ambiguous numbers in paths, and duplicate keys.
    if (![171, 16746, 11000].includes((error as { code?: number }).code as number)) throw error;
    return false;
  }
}

function checkQuery(collection: Collection, all: Document[], random: Random): void {
  const filter = random.filter();
  const sort = random.sort();
  const matches = compileFilter(filter);
  const comparator = compileSort(sort);
  const hinted = random.next() < 0.15 ? random.pick(collection.indexes) : undefined;
  // Like MongoDB, a hinted sparse or partial index hides documents.
  const expected = all.filter(
    (document) => matches(document) && (!hinted || hinted.computeEntries(document).entries.length > 0),
  );
  const request = { filter, sort, hint: hinted?.name };
  const query = openQuery(collection, request);
  const context = JSON.stringify({ ...request, plan: query.plan.kind });
  const found = documentsOf(query);
  expect(ids(found), context).toEqual(ids(expected));
  const keys = (documents: Document[]) =>
    documents.map((document) =>
      comparator
        .key(document)
        .map((value) => encodeKey(value).toString('hex'))
        .join(),
    );
  const inOrder = keys([...expected].sort(comparator));
  expect(keys(found), context).toEqual(inOrder);

  const skip = random.below(3);
  const limit = 1 + random.below(5);
  const page = documentsOf(openQuery(collection, { ...request, skip, limit }));
  expect(keys(page), context).toEqual(inOrder.slice(skip, skip + limit));

  const counted = countQuery(collection, { filter, hint: hinted?.name, skip, limit });
  let count = 0;
  for (const chunk of counted) count += chunk;
  expect(count, context).toBe(expected.slice(skip, skip + limit).length);
}

/** Expects exactly the entries that the documents should have. */
function checkEntries(store: Store, collection: Collection): void {
  const candidates = [...openQuery(collection, { filter: {}, hint: { $natural: 1 } }).source].flat();
  const counting = collection.count();
  let counted = counting.next();
  while (!counted.done) counted = counting.next();
  expect(counted.value).toBe(candidates.length);
  for (const index of collection.indexes) {
    const expected = candidates.flatMap(({ record, document }) =>
      index.computeEntries(document).entries.map(({ bytes }) => `${bytes.toString('hex')} ${record}`),
    );
    const rows = store.engine.prepareRows(`SELECT lower(hex(key)) || ' ' || record FROM ${index.table}`).all();
    expect((rows as unknown as [string][]).map(([entry]) => entry).sort(), index.name).toEqual(expected.sort());
  }
}

function changeSome(collection: Collection, random: Random): void {
  const { source } = openQuery(collection, { filter: random.filter() });
  for (const chunk of source) {
    for (const { record, document } of chunk) {
      const kind = random.next();
      if (kind < 0.15) collection.remove(record, document);
      else if (kind < 0.6) {
        const after = { ...random.document(document._id.value), _id: document._id };
        attempt(() => collection.replace(record, document, after, encode(after)));
      }
    }
  }
}

test.each(Array.from({ length: SEEDS }, (_, at) => at + 1))(
  'finds through indexes what a full scan finds, seed %i',
  async (seed) => {
    const store = new Store(await temporaryDirectory());
    const arrays = seed % 2 === 0;
    const random = new Random(seed, arrays);
    const collection = store.catalog.create('fuzz', 'documents');
    for (const specification of random.indexes()) {
      store.catalog.addIndex(collection, readIndexDefinition(specification)).markReady();
    }
    let id = 0;
    for (let round = 0; round < 4; round++) {
      for (let added = 0; added < 30; added++) {
        const document = random.document(id++);
        attempt(() => collection.insert(document, encode(document)));
      }
      changeSome(collection, random);
      checkEntries(store, collection);
      const all = documentsOf(openQuery(collection, { filter: {}, hint: { $natural: 1 } }));
      for (let query = 0; query < 40; query++) checkQuery(collection, all, random);
    }
    store.engine.keepCommand();
    store.engine.commit();
    store.close();
  },
);
