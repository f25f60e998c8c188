import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@chorus/runtime/log';
import { expect, onTestFinished, test } from 'vitest';
import { openSearch } from '../open-search.ts';

test('finds texts that repeat a word, even as the only text', async () => {
  const location = await mkdtemp(join(tmpdir(), 'chorus-small-'));
  const search = openSearch({ location, log: createLogger({ name: 'test', level: 'silent' }) });
  onTestFinished(async () => {
    search.close();
    await rm(location, { recursive: true, force: true });
  });
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
