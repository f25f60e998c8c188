import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@chorus/runtime/log';
import { Schema } from 'apache-arrow';
import { expect, onTestFinished, test } from 'vitest';
import { openSearch } from '../open-search.ts';
import { TEXT_SCHEMA } from '../texts/text-schema.ts';
import { connectIndex } from './connect-index.ts';
import { loadLanceDB } from './load-lancedb.ts';
import { TERMS, WORDS } from './words.ts';

async function newLocation(): Promise<string> {
  const location = await mkdtemp(join(tmpdir(), 'chorus-words-'));
  onTestFinished(() => rm(location, { recursive: true, force: true }));
  return location;
}

function open(location: string) {
  const search = openSearch({ location, log: createLogger({ name: 'test', level: 'silent' }) });
  onTestFinished(() => search.close());
  return search;
}

test('finds texts that repeat a word, even as the only text', async () => {
  const search = open(await newLocation());
  const scope_key = 'personal:usr_x';
  const text = 'A river, and a river, and a river.';

  const texts = await search.texts('units');
  await texts.put([{ id: 'a', scope_key, user_id: 'usr_x', text, facts: {} }]);
  expect((await texts.find({ scopeKey: scope_key, text: 'rivers', limit: 5 })).map(({ id }) => id)).toEqual(['a']);
  await texts.put([{ id: 'b', scope_key, user_id: 'usr_x', text: `${text} ${text}`, facts: {} }]);
  expect((await texts.find({ scopeKey: scope_key, text: 'rivers', limit: 5 })).length).toBe(2);

  const chunks = await search.chunks({ name: 'none', dimensions: 2 });
  const chunk = {
    scope_key,
    entry_id: 'kno_x',
    tags: [],
    title: 'x',
    text,
    heading_path: [],
    page: null,
    vector: null,
  };
  const found = async () => (await chunks.find({ scopeKey: scope_key, text: 'rivers', limit: 5, weight: 0 })).length;
  await chunks.replace(scope_key, 'kno_x', [{ ...chunk, id: 'kno_x:1:0', revision: 1, position: 0 }]);
  expect(await found()).toBe(1);
  await chunks.replace(scope_key, 'kno_x', [{ ...chunk, id: 'kno_x:2:0', revision: 2, position: 0 }]);
  expect(await found()).toBe(1);
  await chunks.setFacts(scope_key, 'kno_x', { title: 'y' });
  expect(await found()).toBe(1);
});

test('upgrades a table of an earlier version, even if several processes do so at once', async () => {
  const location = await newLocation();
  const { Index, makeArrowTable } = await loadLanceDB();
  const { latest, close } = await connectIndex({ location });
  const old = new Schema(TEXT_SCHEMA.fields.filter(({ name }) => name !== WORDS));
  const table = await latest.createEmptyTable('texts-units', old);
  await table.createIndex(TERMS, { config: Index.fts({ baseTokenizer: 'whitespace' }) });
  const row = { id: 'a', scope_key: 'personal:a', user_id: 'usr_x', facts: '{}', terms: 'river river sea' };
  await table.add(makeArrowTable([row], { schema: old }));
  await table.optimize();
  close();

  const query = { scopeKey: 'personal:a', text: 'rivers', limit: 5 };
  const find = async () => (await open(location).texts('units')).find(query);
  for (const hits of await Promise.all([find(), find(), find()])) expect(hits.map(({ id }) => id)).toEqual(['a']);
  const indices = await (await (await connectIndex({ location })).latest.openTable('texts-units')).listIndices();
  expect(indices.flatMap(({ columns }) => columns).sort()).toEqual(['id', 'scope_key', 'user_id', WORDS]);
});
