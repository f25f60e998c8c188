import { expect, test } from 'vitest';
import type { TextRow } from '../search.ts';
import { newLocation, newSearch } from '../test-search.ts';

const row = (id: string, text: string, more: Partial<TextRow> = {}): TextRow => ({
  id,
  scope_key: 'personal:a',
  user_id: 'usr_1',
  text,
  facts: { revision: 1 },
  ...more,
});
const idsOf = (found: { id: string }[]) => found.map(({ id }) => id);
const mine = { scopeKey: 'personal:a', limit: 10 };

test('finds texts by words, best first, within their scope and owner', async () => {
  const table = await (await newSearch()).texts('archive');
  await table.put([
    row('one', 'a fox among many other words that say nothing of it', { facts: { revision: 3, title: "it's" } }),
    row('two', 'foxes and foxes'),
    row('three', 'a fox of another user', { user_id: 'usr_2' }),
    row('four', 'a fox of another scope', { scope_key: "b' OR '1'='1" }),
  ]);
  expect(new Set(idsOf(await table.find({ ...mine, text: 'FOX' })))).toEqual(new Set(['one', 'two', 'three']));
  const [best, second] = await table.find({ ...mine, userId: 'usr_1', text: 'fox' });
  expect(best).toEqual({ id: 'two', score: expect.any(Number), isPhrase: false, facts: { revision: 1 } });
  expect(second).toMatchObject({ id: 'one', facts: { revision: 3, title: "it's" } });
  expect(idsOf(await table.find({ ...mine, scopeKey: "b' OR '1'='1", text: 'fox' }))).toEqual(['four']);
  expect(await table.find({ ...mine, text: 'badger' })).toEqual([]);
  expect(await table.find({ ...mine, text: '   ' })).toEqual([]);
});

test('replaces a text by id, even from several processes at once', async () => {
  const location = await newLocation();
  const tables = await Promise.all([1, 2, 3].map(async () => (await newSearch(location)).texts('sessions')));
  const [table] = tables;
  await table?.put([row('x', 'old fox'), row('x', 'newer badger')]);
  expect([await table?.count(), await table?.find({ ...mine, text: 'fox' })]).toEqual([1, []]);
  await Promise.all(tables.map((one, at) => one.put([row('x', `badger ${at}`), row('y', `hedgehog ${at}`)])));
  expect(await table?.count()).toBe(2);
  expect(idsOf((await table?.find({ ...mine, text: 'badger hedgehog' })) ?? []).sort()).toEqual(['x', 'y']);
  await table?.remove(['x', 'unknown']);
  for (const one of tables) expect(idsOf(await one.find({ ...mine, text: 'badger hedgehog' }))).toEqual(['y']);
});

test('refuses oversized calls', async () => {
  const table = await (await newSearch()).texts('archive');
  await expect(table.put(Array.from({ length: 1_001 }, (_, at) => row(`${at}`, 'x')))).rejects.toThrow('At most 1000');
  await expect(table.remove(Array.from({ length: 1_001 }, (_, at) => `${at}`))).rejects.toThrow('At most 1000');
});
