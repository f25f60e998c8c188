import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ChorusError } from '@chorus/contract';
import { expect, test } from 'vitest';
import type { ChunkRow, ChunkTable } from '../search.ts';
import { chunk, newLocation, newSearch, SPACE } from '../test-search.ts';

const newTable = async () => (await newSearch()).chunks(SPACE);
const idsOf = (found: { id: string }[]) => found.map(({ id }) => id);
const positionsOf = (found: { position: number }[]) => found.map(({ position }) => position);
const codeOf = (error: unknown) => (error instanceof ChorusError ? error.code : String(error));
const search = { limit: 10, weight: 0.5 };

async function allOf(table: ChunkTable): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of table.scan()) ids.push(id);
  return ids.sort();
}

test('returns a chunk as stored', async () => {
  const table = await newTable();
  const { vector, ...stored } = chunk('a', 'e', 0, {
    tags: ["it's", 'two words'],
    title: 'Title "quoted"',
    text: 'Grüße\n| a | b |\n\u0000 end',
    heading_path: ['Part 1', 'Chapter 2'],
    page: 12,
  });
  await table.replace('a', 'e', [{ ...stored, vector }]);
  expect(await table.read({ scopeKey: 'a', entryId: 'e', limit: 10 })).toEqual([stored]);
  const [hit] = await table.find({ ...search, scopeKey: 'a', text: 'grusse' });
  expect(hit).toEqual({ ...stored, score: 1, textScore: 1, vectorScore: 0, similarity: null });
});

test('weighs words and vectors, alone and together', async () => {
  const table = await newTable();
  await table.replace('a', 'e', [
    chunk('a', 'e', 0, { text: 'a fox, and nothing else', vector: Float32Array.of(0, 1, 0, 0) }),
    chunk('a', 'e', 1, { text: 'quite another matter', vector: Float32Array.of(1, 0, 0, 0) }),
    chunk('a', 'e', 2, { text: 'the fox is here among more words', vector: Float32Array.of(0.9, 0.4, 0, 0) }),
    chunk('a', 'e', 3, { text: 'a chunk without a vector', vector: null }),
  ]);
  const vector = Float32Array.of(1, 0, 0, 0);
  const find = (more: object) => table.find({ ...search, scopeKey: 'a', ...more });
  expect(positionsOf(await find({ text: 'foxes' }))).toEqual([0, 2]);
  expect(positionsOf(await find({ vector }))).toEqual([1, 2, 0]);
  expect(positionsOf(await find({ text: 'foxes', vector, weight: 0 }))).toEqual([0, 2]);
  expect(positionsOf(await find({ text: 'foxes', vector, weight: 0.5 }))).toEqual([2, 0, 1]);
  expect(positionsOf(await find({ text: 'foxes', vector, weight: 1 }))).toEqual([1, 2, 0]);
  expect(positionsOf(await find({ text: 'foxes', vector, limit: 1 }))).toEqual([2]);
  expect(await find({ text: 'the of and' })).toEqual([]);
  expect(await find({})).toEqual([]);
  expect((await find({ text: 'of the', vector, weight: 0.1 })).map(({ score }) => score)).toContain(1);
  const [best] = await find({ vector });
  expect(best).toMatchObject({ score: 1, vectorScore: 1, textScore: 0, similarity: expect.closeTo(1) });
});

test('searches headings with the text', async () => {
  const table = await newTable();
  await table.replace('a', 'e', [chunk('a', 'e', 0, { heading_path: ['Warranty', 'Exclusions'] })]);
  expect(await table.find({ ...search, scopeKey: 'a', text: 'exclusions of warranty' })).toHaveLength(1);
});

test('searches the current title with the text', async () => {
  const table = await newTable();
  await table.replace('a', 'e', [
    chunk('a', 'e', 0, { title: 'Annual report' }),
    chunk('a', 'e', 1, { title: 'Annual report' }),
  ]);
  await table.replace('a', 'other', [chunk('a', 'other', 0, { title: 'Annual | passage', text: 'a report' })]);
  const found = async (text: string) => idsOf(await table.find({ ...search, scopeKey: 'a', text })).sort();
  expect(await found('annual')).toEqual(['e:1:0', 'e:1:1', 'other:1:0']);
  for (const title of ["Bylaws | of '26", '— | —', 'Minutes']) {
    await table.setFacts('a', 'e', { title });
    await table.setFacts('a', 'other', { title, tags: ['x'] });
    expect(await found('annual')).toEqual([]);
    expect(await found('passage')).toEqual(['e:1:0', 'e:1:1']);
    expect(await found('report')).toEqual(['other:1:0']);
  }
  expect(await found('minutes')).toEqual(['e:1:0', 'e:1:1', 'other:1:0']);
});

test('isolates scopes with the same documents', async () => {
  const table = await newTable();
  for (const scope of ['personal:one', 'personal:two']) {
    await table.replace(scope, 'same', [chunk(scope, 'same', 0, { text: 'secret fox', tags: ['x'] })]);
  }
  const vector = Float32Array.of(1, 0, 0, 0);
  for (const scopeKey of ['personal:one', 'personal:two']) {
    for (const what of [
      { text: 'fox' },
      { vector },
      { text: 'fox', vector },
      { text: 'fox', entryIds: ['same'], tags: ['x'] },
    ]) {
      const found = await table.find({ ...search, scopeKey, ...what });
      expect(found.map(({ scope_key }) => scope_key)).toEqual([scopeKey]);
    }
    expect(await table.count({ scopeKey })).toBe(1);
  }
  await table.remove('personal:one', ['same']);
  await table.setFacts('personal:one', 'same', { title: 'Mine' });
  const [left, ...more] = await table.read({ scopeKey: 'personal:two', entryId: 'same', limit: 5 });
  expect([left?.title, more]).toEqual(['A title', []]);
});

const HOSTILE = ["a' OR 1=1 --", "a\\' OR true", "'", '"', '\\', 'a;DROP', '%', 'ü漢\u0000x', ') OR (1=1'];

test('treats ids, scopes, and tags as data, whatever they contain', async () => {
  const table = await newTable();
  await table.replace('victim', 'other', [chunk('victim', 'other', 0, { text: 'fox', tags: ['safe'] })]);
  for (const name of HOSTILE) await table.replace(name, name, [chunk(name, name, 0, { text: 'fox', tags: [name] })]);
  for (const name of HOSTILE) {
    const found = await table.find({ ...search, scopeKey: name, text: 'fox', tags: [name], entryIds: [name] });
    expect(found.map(({ scope_key, entry_id, tags }) => [scope_key, entry_id, tags])).toEqual([[name, name, [name]]]);
    await table.setFacts(name, name, { title: name, tags: [name, 'more'] });
    const [stored] = await table.read({ scopeKey: name, entryId: name, limit: 1 });
    expect([stored?.title, stored?.tags]).toEqual([name, [name, 'more']]);
    expect(await table.find({ ...search, scopeKey: 'victim', text: 'fox', tags: [name] })).toEqual([]);
  }
  for (const name of HOSTILE.slice(1)) await table.remove(name, [name]);
  await table.removeScope(HOSTILE[0] ?? '');
  expect(await allOf(table)).toEqual(['other:1:0']);
});

test('applies filters by tag and entry within the search, before the limit', async () => {
  const table = await newTable();
  for (let entry = 0; entry < 6; entry += 1) {
    const tags = entry === 5 ? ['rare', 'x'] : ['x'];
    const rows = Array.from({ length: 30 }, (_, at) =>
      chunk('a', `e${entry}`, at, { text: 'fox '.repeat(6 - entry), tags }),
    );
    await table.replace('a', `e${entry}`, rows);
  }
  const vector = Float32Array.of(1, 0, 0, 0);
  const both = { ...search, scopeKey: 'a', text: 'fox', vector };
  const rare = await table.find({ ...both, tags: ['rare', 'unknown'] });
  expect(new Set(rare.map(({ entry_id }) => entry_id))).toEqual(new Set(['e5']));
  expect(rare).toHaveLength(10);
  const entries = await table.find({ ...both, entryIds: ['e4', 'e5'], limit: 50 });
  expect(new Set(entries.map(({ entry_id }) => entry_id))).toEqual(new Set(['e4', 'e5']));
  expect(await table.find({ ...both, tags: [] })).toEqual([]);
  expect(await table.find({ ...both, entryIds: [] })).toEqual([]);
});

test('replaces old chunks, even with a stream of many rows, and removes the entry if there are none', async () => {
  const table = await newTable();
  await table.replace('a', 'e', [chunk('a', 'e', 0), chunk('a', 'e', 1), chunk('a', 'e', 2)]);
  await table.replace('a', 'e', [chunk('a', 'e', 0, { revision: 2 })]);
  expect(await allOf(table)).toEqual(['e:2:0']);
  await table.replace('a', 'e', [chunk('a', 'e', 0, { revision: 2, text: 'renewed' })]);
  expect(idsOf(await table.find({ ...search, scopeKey: 'a', text: 'renewed' }))).toEqual(['e:2:0']);

  async function* many(): AsyncGenerator<ChunkRow> {
    for (let at = 0; at < 2_500; at += 1) yield chunk('a', 'e', at, { revision: 3 });
  }
  await table.replace('a', 'e', many());
  expect(await table.count({ entryIds: ['e'] })).toBe(2_500);
  const page = await table.read({ scopeKey: 'a', entryId: 'e', after: 1_199, limit: 3 });
  expect(positionsOf(page)).toEqual([1_200, 1_201, 1_202]);
  await table.replace('a', 'e', []);
  expect(await table.count()).toBe(0);
});

test('keeps the old chunks and shows no new ones if a stream fails', async () => {
  const table = await newTable();
  await table.replace('a', 'e', [chunk('a', 'e', 0, { text: 'old fox' })]);
  async function* broken(): AsyncGenerator<ChunkRow> {
    for (let at = 0; at < 1_500; at += 1) yield chunk('a', 'e', at, { revision: 2, text: 'new fox' });
    throw new Error('the embedding model is away');
  }
  await expect(table.replace('a', 'e', broken())).rejects.toThrow('the embedding model is away');
  expect(await allOf(table)).toEqual(['e:1:0']);
  expect(idsOf(await table.find({ ...search, scopeKey: 'a', text: 'fox' }))).toEqual(['e:1:0']);
  await table.replace('a', 'e', [chunk('a', 'e', 0, { revision: 3 })]);
  expect(await allOf(table)).toEqual(['e:3:0']);
});

test('leaves one complete version after concurrent replacements of an entry', async () => {
  const table = await newTable();
  const versions = [1, 2, 3, 4].map((revision) =>
    Array.from({ length: revision }, (_, at) => chunk('a', 'e', at, { revision })),
  );
  await Promise.all(versions.map((rows) => table.replace('a', 'e', rows)));
  const left = await table.read({ scopeKey: 'a', entryId: 'e', limit: 10 });
  const [first] = left;
  expect(left.map(({ revision, position }) => [revision, position])).toEqual(
    Array.from({ length: first?.revision ?? 0 }, (_, at) => [first?.revision, at]),
  );
});

test('replaces entries that arrive together in a few commits, each atomically', async () => {
  const location = await newLocation();
  const table = await (await newSearch(location)).chunks(SPACE);
  const versions = async () => (await readdir(join(location, `chunks-${SPACE.name}.lance`, '_versions'))).length;
  await table.replace('a', 'e1', [chunk('a', 'e1', 0), chunk('a', 'e1', 1)]);
  const before = await versions();
  const names = Array.from({ length: 40 }, (_, at) => `e${at}`);
  const wrong = expect(table.replace('a', 'e50', [chunk('a', 'e51', 0)])).rejects.toMatchObject({
    code: 'invalid_request',
  });
  const again = table.replace('a', 'e7', [chunk('a', 'e7', 0, { revision: 3 })]);
  await Promise.all(
    ['a', 'b'].flatMap((scope) =>
      names.map((name) => table.replace(scope, name, [chunk(scope, name, 0, { revision: 2 })])),
    ),
  );
  await again;
  await wrong;
  expect((await versions()) - before).toBeLessThan(16);
  const kept = names.map((name) => (name === 'e7' ? null : `${name}:2:0`)).filter((id) => id !== null);
  const left = await allOf(table);
  expect(left.filter((id) => !id.startsWith('e7:'))).toEqual([...kept, ...kept].sort());
  expect(left.filter((id) => id.startsWith('e7:'))).toHaveLength(2);
  expect(await table.count({ scopeKey: 'b' })).toBe(names.length);
});

test('shows changes of other processes in the next search', async () => {
  const location = await newLocation();
  const [ours, theirs] = [
    await (await newSearch(location)).chunks(SPACE),
    await (await newSearch(location)).chunks(SPACE),
  ];
  const [north, east] = [Float32Array.of(0, 1, 0, 0), Float32Array.of(1, 0, 0, 0)];
  const found = async (vector: Float32Array, more: object = {}) =>
    (await ours.find({ ...search, scopeKey: 'a', text: 'fox', vector, ...more })).map(
      ({ id, title, tags, vectorScore }) => `${id} ${title} ${tags} ${vectorScore.toFixed(1)}`,
    );
  for (const scope of ['a', 'b']) {
    const row = chunk(scope, 'e', 0, { text: 'fox', vector: north, tags: ['x'] });
    await theirs.replace(scope, 'e', [row, chunk(scope, 'e', 1, { text: 'a fox', vector: east })]);
  }
  const [hit] = await ours.find({ ...search, scopeKey: 'a', vector: north });
  hit?.tags.push('returns hits that callers may modify');
  expect(await found(north)).toEqual(['e:1:0 A title x 1.0', 'e:1:1 A title  0.0']);
  await theirs.setFacts('a', 'e', { title: 'Other', tags: ['y'] });
  expect(await found(north)).toEqual(['e:1:0 Other y 1.0', 'e:1:1 Other y 0.0']);
  expect(await found(north, { tags: ['x'] })).toEqual([]);
  expect(await found(east, { tags: ['y'], entryIds: ['e'] })).toEqual(['e:1:1 Other y 1.0', 'e:1:0 Other y 0.0']);
  await theirs.replace('a', 'e', [chunk('a', 'e', 0, { revision: 2, text: 'fox', vector: east })]);
  expect(await found(east)).toEqual(['e:2:0 A title  1.0']);
  await theirs.replace('a', 'f', [chunk('a', 'f', 0, { text: 'fox', vector: north })]);
  expect(await found(north)).toEqual(['f:1:0 A title  1.0', 'e:2:0 A title  0.0']);
  await theirs.remove('a', ['f']);
  expect(await found(east)).toEqual(['e:2:0 A title  1.0']);
  await theirs.removeScope('a');
  expect(await found(north)).toEqual([]);
  expect(await found(north, { scopeKey: 'b' })).toHaveLength(2);
});

test('refuses invalid rows and names', async () => {
  const opened = await newSearch();
  const table = await opened.chunks(SPACE);
  const wrong = [
    table.replace('a', 'e', [chunk('b', 'e', 0)]),
    table.replace('a', 'e', [chunk('a', 'f', 0)]),
    table.replace('a', 'e', [chunk('a', 'e', 0, { id: 'e:1:1' })]),
    table.replace('a', 'e', [chunk('a', 'e', 0, { vector: new Float32Array(3) })]),
    table.find({ ...search, scopeKey: 'a', vector: new Float32Array(5) }),
    opened.chunks({ ...SPACE, dimensions: 5 }),
    opened.chunks({ name: '../up', dimensions: 4 }),
    table.read({ scopeKey: 'a', entryId: 'e', after: Number.NaN, limit: 1 }),
  ];
  expect((await Promise.allSettled(wrong)).map((one) => one.status === 'rejected' && codeOf(one.reason))).toEqual(
    wrong.map(() => 'invalid_request'),
  );
  expect(await table.count()).toBe(0);
});

test('keeps a table per space, drops a single one, and removes a scope from all', async () => {
  const opened = await newSearch();
  const other = { name: 'other.model-2', dimensions: 2 };
  const [one, two] = [await opened.chunks(SPACE), await opened.chunks(other)];
  const texts = await opened.texts('archive');
  await texts.put([{ id: 't', scope_key: 'a', user_id: 'u', text: 'fox', facts: {} }]);
  await one.replace('a', 'e', [chunk('a', 'e', 0)]);
  await two.replace('a', 'e', [chunk('a', 'e', 0, { vector: Float32Array.of(1, 1) })]);
  await two.replace('b', 'e', [chunk('b', 'e', 0, { vector: null })]);
  expect((await opened.spaces()).sort()).toEqual([other.name, SPACE.name]);
  await opened.removeScope('a');
  expect([await one.count(), await two.count(), await texts.count()]).toEqual([0, 1, 0]);
  await opened.dropChunks(other.name);
  await opened.dropChunks(other.name);
  expect(await opened.spaces()).toEqual([SPACE.name]);
});
