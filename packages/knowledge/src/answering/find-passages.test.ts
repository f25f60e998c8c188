import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, type Owner, scopeKey } from '@chorus/contract';
import { NO_USAGE } from '@chorus/providers/usage';
import { createLogger } from '@chorus/runtime/log';
import { openSearch } from '@chorus/search';
import { expect, onTestFinished, test } from 'vitest';
import { findPassages, type PassageParts } from './find-passages.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const space = { name: 'space-2', model: 'embedded/use-lite', dimensions: 2 };
const options = { signal: new AbortController().signal, executionId: 'job_test' };

/** Indexes entries, each with a less frequent word, and knows the titles of some. */
async function newParts(count: number, titles: (id: string) => string | null) {
  const location = await mkdtemp(join(tmpdir(), 'chorus-passages-'));
  const search = openSearch({ location, log });
  onTestFinished(async () => {
    search.close();
    await rm(location, { recursive: true, force: true });
  });
  const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
  const table = await search.chunks(space);
  const asked: string[][] = [];
  for (let at = 0; at < count; at += 1) {
    const entry_id = `e${at}`;
    const row = { id: `${entry_id}:1:0`, scope_key: scopeKey(owner), entry_id, revision: 1, position: 0, page: null };
    const text = `The fox ${'sleeps and '.repeat(at)}dreams.`;
    const chunk = { ...row, text, tags: [], title: 'Old', heading_path: [], vector: Float32Array.of(1, at) };
    await table.replace(scopeKey(owner), entry_id, [chunk]);
  }
  const parts: PassageParts = {
    search,
    database: {
      knowledgeSpaces: { get: async () => ({ current: space, next: null, former: [] }) } as never,
      knowledge: {
        titles: async (_owner, ids) => {
          asked.push([...ids]);
          return new Map(ids.flatMap((id) => (titles(id) === null ? [] : [[id, titles(id)!]])));
        },
      },
    },
    embed: async () => ({ vectors: [Float32Array.of(1, 0)], usage: NO_USAGE }),
    log,
  };
  return { owner, parts, asked };
}

test('replaces deleted entries with further hits, and uses current titles', async () => {
  const { owner, parts, asked } = await newParts(8, (id) => (id === 'e0' || id === 'e2' ? null : `Title of ${id}`));
  const { passages } = await findPassages(parts, owner, { question: 'fox', top_k: 3 }, options);
  expect(passages.map(({ entry_id, title }) => [entry_id, title])).toEqual([
    ['e1', 'Title of e1'],
    ['e3', 'Title of e3'],
    ['e4', 'Title of e4'],
  ]);
  expect(asked).toHaveLength(2);
});

test('asks the database once if nothing was deleted', async () => {
  const { owner, parts, asked } = await newParts(8, (id) => id);
  expect((await findPassages(parts, owner, { question: 'fox', top_k: 3 }, options)).passages).toHaveLength(3);
  expect(asked).toEqual([['e0', 'e1', 'e2']]);
});

test('searches by words, and reports that, if the question cannot be embedded', async () => {
  const { owner, parts } = await newParts(2, (id) => id);
  const embed = async () => Promise.reject(new Error('away'));
  const found = await findPassages({ ...parts, embed }, owner, { question: 'dreams', top_k: 3 }, options);
  expect(found).toMatchObject({ model: null, warnings: [expect.stringContaining('only words')] });
  expect(found.passages).toHaveLength(2);
});

test('searches a new space immediately after a replacement, and nothing without a space', async () => {
  const { owner, parts } = await newParts(2, (id) => id);
  const asked: string[] = [];
  let current: typeof space | null = space;
  const database = {
    ...parts.database,
    knowledgeSpaces: { get: async () => ({ current, next: null, former: [] }) } as never,
  };
  const embed: PassageParts['embed'] = async (call, options) => {
    asked.push(call.model);
    return parts.embed(call, options);
  };
  const find = () => findPassages({ ...parts, database, embed }, owner, { question: 'fox', top_k: 3 }, options);
  expect((await find()).passages).toHaveLength(2);
  expect((await find()).passages).toHaveLength(2);
  current = { name: 'other-2', model: 'compatible/other', dimensions: 2 };
  expect(await find()).toMatchObject({ passages: [], model: 'compatible/other' });
  expect(asked).toEqual([space.model, space.model, space.model, 'compatible/other']);
  current = null;
  expect(await find()).toMatchObject({ passages: [], model: null });
});
