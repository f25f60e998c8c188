import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chunk, newLocation, newSearch, SPACE } from '../test-search.ts';
import { copyIndex, restoreIndex } from './copy-index.ts';

const fox = { scopeKey: 'a', text: 'fox', limit: 50, weight: 0 };

test('copies an index while it is written to, and restores it', async () => {
  const location = await newLocation();
  const copy = `${location}-copy`;
  const search = await newSearch(location);
  const table = await search.chunks(SPACE);
  const texts = await search.texts('archive');
  await texts.put([{ id: 't', scope_key: 'a', user_id: 'u', text: 'fox', facts: {} }]);
  for (let entry = 0; entry < 3; entry += 1)
    await table.replace('a', `e${entry}`, [chunk('a', `e${entry}`, 0, { text: 'fox' })]);
  let writing = true;
  const writer = (async () => {
    for (let revision = 2; writing; revision += 1)
      await table.replace('a', 'e0', [chunk('a', 'e0', 0, { revision, text: 'fox' })]);
  })();
  const copied = await copyIndex(location, copy);
  writing = false;
  await writer;
  expect(copied?.tables).toBe(2);
  expect(copied?.rows).toBeGreaterThanOrEqual(4);
  await expect(copyIndex(location, copy)).rejects.toThrow('already exists');

  await table.remove('a', ['e1', 'e2']);
  await search.maintain({ signal: new AbortController().signal });
  search.close();
  const now = new Date('2026-01-02T03:04:05Z');
  const aside = `${location}.before-restore-2026-01-02T03-04-05-000Z`;
  expect(await restoreIndex(copy, location, now)).toEqual({ aside });
  await rm(copy, { recursive: true });
  const again = await newSearch(location);
  const found = await (await again.chunks(SPACE)).find(fox);
  expect(found.map(({ entry_id }) => entry_id).sort()).toEqual(['e0', 'e1', 'e2']);
  expect(await (await again.texts('archive')).count()).toBe(1);
  expect(await readdir(aside)).not.toEqual([]);
  // No partial copy is left.
  expect((await readdir(join(location, '..'))).sort()).toEqual(['index', aside.slice(aside.lastIndexOf('/') + 1)]);
});

test('copies and restores nothing without an index', async () => {
  const location = await newLocation();
  expect(await copyIndex(location, `${location}-copy`)).toBeNull();
  expect(await restoreIndex(`${location}-copy`, location, new Date())).toBeNull();
});
