import { createLogger } from '@chorus/runtime/log';
import { sharedStore, type TestDatabases } from '@chorus/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../connect-database.ts';

let store: TestDatabases;
let database: Database;

beforeEach(async () => {
  store = await sharedStore();
  database = await connectDatabase({ uri: store.uri, log: createLogger({ name: 'test', level: 'silent' }) });
});
afterEach(async () => {
  await database?.close();
  await store?.stop();
});

const space = (name: string) => ({ name, model: `test/${name}`, dimensions: 4 });

test('the first space becomes current, and a prepared one replaces it once', async () => {
  const { knowledgeSpaces: spaces } = database;
  expect(await spaces.get()).toEqual({ wanted: null, current: null, next: null, former: [] });
  expect(await spaces.setWanted('test/a')).toMatchObject({ wanted: 'test/a', current: null });
  const found = await Promise.all(['a', 'b', 'c'].map((name) => spaces.setFirst(space(name))));
  const first = found[0]?.current;
  expect(new Set(found.map(({ current }) => current?.name)).size).toBe(1);

  await spaces.prepare(first ?? null);
  expect((await spaces.get()).next).toBeNull();
  expect((await spaces.prepare(space('d'))).next).toEqual(space('d'));
  expect(await spaces.switchTo(space('e'))).toBe(false);
  const switched = await Promise.all([1, 2, 3].map(() => spaces.switchTo(space('d'))));
  expect(switched.filter(Boolean)).toHaveLength(1);
  expect(await spaces.get()).toEqual({
    wanted: 'test/a',
    current: space('d'),
    next: null,
    former: [{ ...first, since: expect.any(Date) }],
  });
  await spaces.removeFormer(String(first?.name));
  expect((await spaces.get()).former).toEqual([]);
});
