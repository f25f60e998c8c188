import type { Connection, Table } from '@lancedb/lancedb';
import { expect, onTestFinished, test } from 'vitest';
import { openChunkTable } from '../chunks/open-chunk-table.ts';
import { connectIndex } from '../store/connect-index.ts';
import { chunk, newLocation, newSearch, SPACE } from '../test-search.ts';
import { VectorCache } from './vector-cache.ts';

const MOST = 100;

/** Opens an index whose table can be opened at a version and whose reads are counted. */
async function newTables() {
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
            reads.taken += rows.length;
            return target.takeRowIds(rows);
          };
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  // A connection that counts reads.
  const snapshots: Connection = Object.assign(Object.create(index.snapshots), { openTable: open });
  const counted = await openChunkTable({ ...index, snapshots }, `chunks-${SPACE.name}`, SPACE);
  return { written, open, counted, reads };
}

const asked = Float32Array.of(0, 1, 0, 0);
const towards = (angle: number) => Float32Array.of(Math.cos(angle), Math.sin(angle), 0, 0);
const entry = (scope: string, id: string, angles: (number | null)[], revision = 1) =>
  angles.map((angle, at) => chunk(scope, id, at, { revision, vector: angle === null ? null : towards(angle) }));

async function cosines(cache: VectorCache, table: Table, scope = 'a'): Promise<number[]> {
  const { rows, similarities } = (await cache.get(table, scope, MOST))!.nearest(asked, MOST);
  const found = similarities(rows);
  return rows.map((row) => Number(found.get(row)?.toFixed(2)));
}

test('reads only new rows of the scope after a commit, and none without one', async () => {
  const { written, open, reads } = await newTables();
  await written.replace('a', 'one', entry('a', 'one', [0, 0.5, null]));
  await written.replace('a', 'two', entry('a', 'two', [1]));
  const cache = new VectorCache(SPACE.dimensions);
  expect(await cosines(cache, await open())).toEqual([0.84, 0.48, 0]);
  expect(reads).toEqual({ all: 1, taken: 0 });
  expect(await cosines(cache, await open())).toEqual([0.84, 0.48, 0]);
  expect(reads).toEqual({ all: 1, taken: 0 });

  await written.replace('b', 'one', entry('b', 'one', [1.5]));
  expect(await cosines(cache, await open())).toEqual([0.84, 0.48, 0]);
  expect(reads).toEqual({ all: 2, taken: 0 });

  await written.replace('a', 'two', entry('a', 'two', [1.2, 0.2], 2));
  expect(await cosines(cache, await open())).toEqual([0.93, 0.48, 0.2, 0]);
  expect(reads).toEqual({ all: 3, taken: 2 });
  await written.remove('a', ['one']);
  expect(await cosines(cache, await open())).toEqual([0.93, 0.2]);
  expect(reads).toEqual({ all: 4, taken: 2 });
  expect(await cosines(cache, await open(), 'b')).toEqual([1]);
  await written.removeScope('a');
  expect(await cosines(cache, await open())).toEqual([]);
});

test('shows a search started before a commit the old rows, even beside a newer search', async () => {
  const { written, open } = await newTables();
  await written.replace('a', 'e', entry('a', 'e', [0.5]));
  const before = await open();
  await written.replace('a', 'e', entry('a', 'e', [1], 2));
  const after = await open();
  const cache = new VectorCache(SPACE.dimensions);
  for (let round = 0; round < 3; round += 1) {
    expect(await Promise.all([cosines(cache, before), cosines(cache, after), cosines(cache, before)])).toEqual([
      [0.48],
      [0.84],
      [0.48],
    ]);
  }
});

test('reads a scope once for concurrent searches', async () => {
  const { written, open, reads } = await newTables();
  await written.replace('a', 'e', entry('a', 'e', [0.5]));
  const cache = new VectorCache(SPACE.dimensions);
  const table = await open();
  expect(await Promise.all(Array.from({ length: 5 }, () => cosines(cache, table)))).toEqual(Array(5).fill([0.48]));
  expect(reads.all).toBe(1);
});

test('reads only hits after `prepare`, unless there was a commit', async () => {
  const { written, counted, reads } = await newTables();
  await written.replace('a', 'e', entry('a', 'e', [0.5, 1]));
  const search = async (scopeKey: string) =>
    (await counted.find({ scopeKey, vector: asked, limit: 1, weight: 1 })).map(({ id }) => id);
  await Promise.all([counted.prepare('a'), counted.prepare('nobody')]);
  expect(reads).toEqual({ all: 2, taken: 0 });
  expect(await search('a')).toEqual(['e:1:1']);
  expect(await search('nobody')).toEqual([]);
  expect(reads).toEqual({ all: 2, taken: 1 });
  await written.replace('a', 'e', entry('a', 'e', [1.5], 2));
  expect(await search('a')).toEqual(['e:2:0']);
});

test('respects the memory limit, and does not cache a scope that has become too large', async () => {
  const { written, open } = await newTables();
  for (const scope of ['a', 'b', 'c']) await written.replace(scope, 'e', entry(scope, 'e', Array(20).fill(0.5)));
  const table = await open();
  const one = (await new VectorCache(SPACE.dimensions).get(table, 'a', MOST))!.bytes;
  const cache = new VectorCache(SPACE.dimensions, { maxBytes: 2.5 * one });
  for (const scope of ['a', 'b', 'c', 'a', 'b', 'c']) {
    expect(await cosines(cache, table, scope)).toHaveLength(20);
    expect(cache.bytes).toBeLessThanOrEqual(2.5 * one);
  }
  expect(cache.bytes).toBe(2 * one);
  await written.replace('c', 'more', entry('c', 'more', [1]));
  expect(await cache.get(await open(), 'c', 20)).toBeNull();
  expect(await cache.get(await open(), 'a', 19)).toBeNull();
  expect(cache.bytes).toBeLessThanOrEqual(one);
});
