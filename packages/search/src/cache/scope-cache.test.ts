import type { Table } from '@lancedb/lancedb';
import { expect, onTestFinished, test } from 'vitest';
import { findChunks } from '../chunks/find-chunks.ts';
import type { ChunkQuery } from '../search.ts';
import { connectIndex } from '../store/connect-index.ts';
import { chunk, newLocation, newSearch, SPACE } from '../test-search.ts';
import { ChunkCache } from './chunk-cache.ts';
import { ScopeCache } from './scope-cache.ts';

/** Opens an index whose table can be opened at a version and whose reads of search data are counted. */
async function newTables(limits: ConstructorParameters<typeof ScopeCache>[1] = {}) {
  const location = await newLocation();
  const written = await (await newSearch(location)).chunks(SPACE);
  const index = await connectIndex({ location });
  onTestFinished(() => index.close());
  const reads = { all: 0, taken: 0 };
  const open = async (): Promise<Table> => {
    const table = await index.snapshots.openTable(`chunks-${SPACE.name}`);
    return new Proxy(table, {
      get: (target, name) => {
        if (name === 'query') reads.all += 1;
        if (name === 'takeRowIds')
          return (rows: bigint[]) => {
            const taken = target.takeRowIds(rows);
            const select = taken.select.bind(taken);
            return Object.assign(taken, {
              select: (columns: string[]) => {
                if (columns.includes('terms')) reads.taken += rows.length;
                return select(columns);
              },
            });
          };
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  const scopes = new ScopeCache(SPACE.dimensions, limits);
  const cache = { scopes, chunks: new ChunkCache() };
  const find = async (query: Partial<ChunkQuery> = {}, table = open) =>
    findChunks(table, cache, SPACE, { scopeKey: 'a', text: 'fox', vector: asked, limit: 50, weight: 0.4, ...query });
  const found = async (query: Partial<ChunkQuery> = {}, table = open) => (await find(query, table)).map(({ id }) => id);
  return { written, open, reads, scopes, find, found };
}

const asked = Float32Array.of(0, 1, 0, 0);
const towards = (angle: number) => Float32Array.of(Math.cos(angle), Math.sin(angle), 0, 0);
const entry = (scope: string, id: string, angles: (number | null)[], revision = 1, text = 'a fox') =>
  angles.map((angle, at) =>
    chunk(scope, id, at, { revision, text: `${text} ${at}`, vector: angle === null ? null : towards(angle) }),
  );

test('reads only new rows of the scope after a commit, and none without one', async () => {
  const { written, reads, found } = await newTables();
  await written.replace('a', 'one', entry('a', 'one', [0, 0.5, null]));
  await written.replace('a', 'two', entry('a', 'two', [1]));
  for (let time = 0; time < 2; time += 1) {
    expect(await found()).toEqual(['two:1:0', 'one:1:1', 'one:1:0', 'one:1:2']);
    expect(reads).toEqual({ all: 1, taken: 0 });
  }
  await written.replace('b', 'one', entry('b', 'one', [1.5]));
  expect(await found()).toHaveLength(4);
  expect(reads).toEqual({ all: 2, taken: 0 });

  await written.replace('a', 'two', entry('a', 'two', [1.2, 0.2], 2));
  expect(await found()).toEqual(['two:2:0', 'one:1:1', 'two:2:1', 'one:1:0', 'one:1:2']);
  expect(reads).toEqual({ all: 3, taken: 2 });
  await written.remove('a', ['one']);
  expect(await found()).toEqual(['two:2:0', 'two:2:1']);
  expect(reads).toEqual({ all: 4, taken: 2 });
  expect(await found({ scopeKey: 'b' })).toEqual(['one:1:0']);
  await written.removeScope('a');
  expect(await found()).toEqual([]);
});

test('never shows rows that were deleted before a search began, even next to an earlier search', async () => {
  const { written, open, found } = await newTables();
  await written.replace('a', 'e', entry('a', 'e', [0.5, 1]));
  const version = await (await open()).version();
  const before = async () => {
    const table = await open();
    await table.checkout(version);
    return table;
  };
  await written.replace('a', 'e', entry('a', 'e', [1], 2));
  for (let round = 0; round < 3; round += 1) {
    // The earlier search may see more, but never half of a change.
    const [early, filtered, late] = await Promise.all([found({}, before), found({ entryIds: ['e'] }, before), found()]);
    for (const one of [early, filtered]) expect([['e:1:1', 'e:1:0'], ['e:2:0']]).toContainEqual(one);
    expect(late).toEqual(['e:2:0']);
  }
});

test('reads a scope once for concurrent searches, while their vectors are being computed', async () => {
  const { written, reads, scopes, found } = await newTables();
  await written.replace('a', 'e', entry('a', 'e', [0.5]));
  const { promise: vector, resolve } = Promise.withResolvers<Float32Array | null>();
  const searches = Array.from({ length: 5 }, () => found({ vector }));
  await expect.poll(() => scopes.bytes).toBeGreaterThan(0);
  resolve(asked);
  expect(await Promise.all(searches)).toEqual(Array(5).fill(['e:1:0']));
  expect(reads.all).toBe(1);
});

test('a vector that fails makes the search fail, and without a vector, words decide', async () => {
  const { written, found } = await newTables();
  await written.replace('a', 'e', entry('a', 'e', [0.5, 1]));
  await expect(found({ vector: Promise.reject(new Error('cancelled')) })).rejects.toThrow('cancelled');
  expect(await found({ vector: Promise.resolve(null), text: '1' })).toEqual(['e:1:1']);
});

// In memory, repeated terms of a text count more. No text here repeats one.
test('finds the same in memory and with the indexes of the engine', async () => {
  const { written, find } = await newTables();
  const large = await newTables({ maxNumbers: 0 });
  const tagged = entry('a', 'two', [1.1, 0.3], 1, 'the red fox sleeps, and the cat').map((one) => ({
    ...one,
    tags: ['x', 'y'],
    heading_path: ['Mammals', 'Small'],
    page: 2,
  }));
  for (const table of [written, large.written]) {
    await table.replace('a', 'one', entry('a', 'one', [0, 0.5, null, 1.4], 1, 'a grey fox among many other animals'));
    await table.replace('a', 'two', tagged);
    await table.replace('b', 'two', entry('b', 'two', [0.1]));
  }
  const queries: Partial<ChunkQuery>[] = [
    {},
    { weight: 0 },
    { weight: 1 },
    { text: undefined },
    { vector: undefined },
    { text: 'red animals', limit: 3 },
    { tags: ['y', 'z'] },
    { tags: [] },
    { entryIds: ['one', 'none'] },
    { entryIds: ['one'], tags: ['x'] },
    { text: 'of the' },
    { text: 'of the', vector: undefined },
  ];
  const shapeOf = (hits: Awaited<ReturnType<typeof find>>) =>
    hits.map(({ score, textScore, vectorScore, similarity, ...stored }) => ({
      ...stored,
      hasWords: textScore > 0,
      near: similarity?.toFixed(3),
    }));
  for (const query of queries) expect(shapeOf(await find(query))).toEqual(shapeOf(await large.find(query)));
});

test('respects the memory limit, and does not cache a scope that has become too large', async () => {
  const angles = Array(20).fill(0.5);
  const { written, scopes, found } = await newTables();
  await written.replace('a', 'e', entry('a', 'e', angles));
  await found();
  const one = scopes.bytes;
  expect(one).toBeGreaterThan(0);

  const small = await newTables({ maxBytes: 2.5 * one, maxNumbers: 20 * SPACE.dimensions });
  for (const scope of ['a', 'b', 'c']) await small.written.replace(scope, 'e', entry(scope, 'e', angles));
  for (const scopeKey of ['a', 'b', 'c', 'a', 'b', 'c']) {
    expect(await small.found({ scopeKey })).toHaveLength(20);
    expect(small.scopes.bytes).toBeLessThanOrEqual(2.5 * one);
  }
  expect(small.scopes.bytes).toBe(2 * one);
  await small.written.replace('a', 'more', entry('a', 'more', [1]));
  expect(await small.found({ scopeKey: 'a' })).toHaveLength(21);
  expect(small.scopes.bytes).toBe(one);
  const before = small.reads.all;
  await small.found({ scopeKey: 'a' });
  expect(small.reads.all - before).toBe(2); // words and vectors, by the engine
});

test('frees the memory of replaced rows', async () => {
  const { written, scopes, found } = await newTables();
  const sizes: number[] = [];
  for (let revision = 1; revision <= 8; revision += 1) {
    await written.replace('a', 'e', entry('a', 'e', [0.5, 1], revision));
    expect(await found()).toHaveLength(2);
    sizes.push(scopes.bytes);
  }
  expect(Math.max(...sizes)).toBeLessThan(4 * sizes[0]!);
});
