import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Connection, makeArrowTable } from '@lancedb/lancedb';
import { expect, test } from 'vitest';
import { ChunkCache } from '../cache/chunk-cache.ts';
import { ScopeCache } from '../cache/scope-cache.ts';
import { chunkSchema } from '../chunks/chunk-schema.ts';
import { findChunks } from '../chunks/find-chunks.ts';
import type { ChunkQuery, ChunkTable, VectorSpace } from '../search.ts';
import { connectIndex } from '../store/connect-index.ts';
import { chunk, newLocation, newSearch, SPACE } from '../test-search.ts';
import { isDue } from './is-due.ts';
import { LIMITS, maintainTable } from './maintain-table.ts';

const NAME = `chunks-${SPACE.name}`;
const signal = new AbortController().signal;
const query = { scopeKey: 'a', text: 'fox', vector: Float32Array.of(1, 0, 0, 0.5), limit: 10, weight: 0.5 };

const indexedRows = async (connection: Connection) =>
  (await (await connection.openTable(NAME)).listIndices()).map(({ numUnindexedRows }) => numUnindexedRows);

async function filesWith(location: string, word: string): Promise<string[]> {
  const entries = await readdir(location, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const contents = await Promise.all(files.map((file) => readFile(file, 'latin1')));
  return files.filter((_, at) => contents[at]?.includes(word));
}

async function fill(table: ChunkTable, entries: number): Promise<void> {
  for (let entry = 0; entry < entries; entry += 1)
    await table.replace('a', `e${entry}`, [chunk('a', `e${entry}`, 0, { text: `a fox ${'and more '.repeat(entry)}` })]);
}

/** Searches in memory up to a number of vector components, and with the indexes of the engine above. */
function finder(snapshots: Connection, space: VectorSpace, maxNumbers: number) {
  const cache = { scopes: new ScopeCache(space.dimensions, { maxNumbers }), chunks: new ChunkCache() };
  return (asked: ChunkQuery) => findChunks(() => snapshots.openTable(NAME), cache, space, asked);
}

test('joins small files and indexes rows in a separate process, with the same search results', async () => {
  const location = await newLocation();
  const search = await newSearch(location);
  expect(await search.maintain({ signal })).toEqual({ tables: [] });
  const table = await search.chunks(SPACE);
  await fill(table, 30);
  const { latest: connection, snapshots } = await connectIndex({ location });
  const find = finder(snapshots, SPACE, 0);
  const before = await find(query);
  expect(await search.maintain({ signal })).toEqual({ tables: [NAME] });
  const after = await find(query);
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect((await (await connection.openTable(NAME)).stats()).fragmentStats.numFragments).toBe(1);
  expect(await indexedRows(connection)).toEqual([0, 0, 0, 0]);
  expect(await search.maintain({ signal })).toEqual({ tables: [] });

  // These rows are not indexed yet, and hide the indexed ones that they replace.
  await table.replace('a', 'e3', [chunk('a', 'e3', 0, { revision: 2, text: 'a badger' })]);
  await table.replace('a', 'e4', [chunk('a', 'e4', 0, { revision: 2, text: 'fox' })]);
  await table.remove('a', ['e5']);
  const found = (await find({ ...query, limit: 50, weight: 0 })).map(({ id }) => id);
  expect(found).toHaveLength(28);
  expect(found).toContain('e4:2:0');
  expect(found.filter((id) => /^e[345]:1/.test(id) || id.startsWith('e3'))).toEqual([]);
});

test('stops when aborted and finishes the next time', async () => {
  const search = await newSearch();
  const table = await search.chunks(SPACE);
  await fill(table, 3);
  const stopping = new AbortController();
  const working = search.maintain({ signal: stopping.signal });
  stopping.abort();
  await working;
  expect(await table.find(query)).toHaveLength(3);
  expect(await search.maintain({ signal })).toEqual({ tables: [NAME] });
  expect(await table.find(query)).toHaveLength(3);
});

test('removes deleted rows from disk, even if they are a small share of a file', async () => {
  const location = await newLocation();
  const table = await (await newSearch(location)).chunks(SPACE);
  await table.replace(
    'a',
    'large',
    Array.from({ length: 60 }, (_, at) => chunk('a', 'large', at)),
  );
  for (const name of ['first', 'last']) {
    await table.replace('a', name, [chunk('a', name, 0, { text: 'Geheimwort' })]);
    const { latest: connection } = await connectIndex({ location });
    const limits = { ...LIMITS, keepVersionsMs: 0 };
    await maintainTable(connection, NAME, { purge: false }, limits);
    expect(await filesWith(location, 'eheimwort')).not.toEqual([]);
    await table.remove('a', [name]);
    const large = { ...limits, purgedAtOnceRows: 0 };
    const isFirst = name === 'first';
    // The last row was alone in its file, which is removed as a whole.
    const left = { deletedRows: isFirst ? 1 : 0, purged: false };
    expect(await maintainTable(connection, NAME, { purge: false }, large)).toMatchObject(left);
    const freed = { deletedRows: 0, purged: isFirst };
    expect(await maintainTable(connection, NAME, { purge: true }, large)).toMatchObject(freed);
    expect(await filesWith(location, 'eheimwort')).toEqual([]);
    expect(await table.count()).toBe(60);
  }
});

test('purges recently deleted texts and chunks from disk', async () => {
  const location = await newLocation();
  const search = await newSearch(location);
  await search.purge();
  const [chunks, texts] = [await search.chunks(SPACE), await search.texts('sessions')];
  const text = (id: string, words: string) => ({ id, scope_key: 'a', user_id: 'u', text: words, facts: {} });
  for (let entry = 0; entry < 20; entry += 1) {
    await chunks.replace('a', `e${entry}`, [chunk('a', `e${entry}`, 0, { text: `a fox ${entry}` })]);
    await texts.put([text(`t${entry}`, `a fox ${entry}`)]);
  }
  await search.maintain({ signal });
  await chunks.replace('b', 'secret', [chunk('b', 'secret', 0, { text: 'Geheimwort' })]);
  await texts.put([{ ...text('secret', 'Geheimwort'), scope_key: 'b' }]);
  expect((await filesWith(location, 'eheimwort')).length).toBeGreaterThan(1);
  await search.removeScope('b');
  await search.purge();
  expect(await filesWith(location, 'eheimwort')).toEqual([]);
  expect([await chunks.count(), await texts.count()]).toEqual([20, 20]);
  expect(await chunks.find(query)).toHaveLength(10);
  expect(await texts.find({ scopeKey: 'a', text: 'fox', limit: 50 })).toHaveLength(20);
});

test('purges a table without writes, but not all the time', async () => {
  const location = await newLocation();
  await (await newSearch(location)).chunks(SPACE);
  const connection = (await connectIndex({ location })).latest;
  const version = await (await connection.openTable(NAME)).version();
  const at = Date.now();
  const state = { version, at, tookMs: 1, pruned: true, deletedRows: 0, purge: null };
  expect(await isDue(connection, NAME, state)).toBe(false);
  const deleted = { ...state, deletedRows: 1 };
  expect(await isDue(connection, NAME, deleted)).toBe(true);
  const purged = (agoMs: number, tookMs: number) =>
    isDue(connection, NAME, { ...deleted, purge: { at: at - agoMs, tookMs } });
  expect(await purged(60_000, 100)).toBe(false);
  expect(await purged(600_000, 100)).toBe(true);
  expect(await purged(600_000, 60_000)).toBe(false);
  expect(await purged(3_600_000, 60_000)).toBe(true);
});

test('removes rows of a replacement that died an hour ago, and keeps those of one that may still run', async () => {
  const location = await newLocation();
  await (await newSearch(location)).chunks(SPACE);
  const { latest: connection } = await connectIndex({ location });
  const raw = await connection.openTable(NAME);
  const staged = (id: string, age: number) => ({
    ...chunk('a', id, 0, { tags: ['x'] }),
    terms: 'fox',
    batch: `${String(Date.now() - age).padStart(13, '0')}-0`,
    live: false,
  });
  await raw.add(makeArrowTable([staged('dead', 3_700_000), staged('running', 1_000)], { schema: chunkSchema(4) }));
  await maintainTable(connection, NAME, { purge: false });
  const left: { entry_id: string }[] = await raw.query().select(['entry_id']).toArray();
  expect(left.map(({ entry_id }) => entry_id)).toEqual(['running']);
});

test('indexes many vectors and finds the same as a full comparison, even within a scope', async () => {
  const location = await newLocation();
  const space = { name: SPACE.name, dimensions: 16 };
  const table = await (await newSearch(location)).chunks(space);
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648 - 0.5;
  };
  const vector = () => Float32Array.from({ length: 16 }, random);
  for (const [scope, rows] of [
    ['a', 900],
    ['b', 40],
  ] as const) {
    const chunks = Array.from({ length: rows }, (_, at) => chunk(scope, 'e', at, { vector: vector() }));
    await table.replace(scope, 'e', chunks);
  }
  const questions = Array.from({ length: 10 }, () => ({ ...query, text: undefined, vector: vector() }));
  const { latest, snapshots } = await connectIndex({ location });
  const answers = (most: number) =>
    Promise.all(
      ['a', 'b'].flatMap((scopeKey) =>
        questions.map(async (one) => {
          const found = await finder(snapshots, space, most)({ ...one, scopeKey });
          return found.map(({ id }) => id);
        }),
      ),
    );
  const [few, many] = [1_000_000, 0];
  const exact = await answers(few);
  expect(await answers(many)).toEqual(exact);
  const limits = { ...LIMITS, vectorIndexRows: 500 };
  expect((await maintainTable(latest, NAME, { purge: false }, limits)).buildMs).toBeGreaterThan(0);
  expect((await maintainTable(latest, NAME, { purge: false }, limits)).buildMs).toBe(0);
  const indices = await (await latest.openTable(NAME)).listIndices();
  expect(indices.map(({ indexType }) => indexType)).toContain('IvfHnswSq');
  expect(await answers(few)).toEqual(exact);
  const approximate = await answers(many);
  const hits = approximate.map((found, at) => found.filter((id) => exact[at]?.includes(id)).length);
  expect(hits.reduce((sum, count) => sum + count, 0) / (10 * hits.length)).toBeGreaterThanOrEqual(0.95);

  await table.replace('b', 'e', [chunk('b', 'e', 0, { revision: 2, vector: questions[0]?.vector ?? null })]);
  const [newest, ...rest] = await table.find({
    ...query,
    text: undefined,
    scopeKey: 'b',
    vector: questions[0]?.vector,
  });
  expect([newest?.id, newest?.similarity, rest]).toEqual(['e:2:0', expect.closeTo(1), []]);
});
