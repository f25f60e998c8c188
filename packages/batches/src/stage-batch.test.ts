import type { Owner } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { sharedStore, type TestDatabases } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stageBatch } from './stage-batch.ts';
import { personal, silent } from './test-batches.ts';

let store: TestDatabases;
let database: Database;

beforeAll(async () => {
  store = await sharedStore();
  database = await connectDatabase({ uri: store.uri, log: silent });
});
afterAll(async () => {
  await database?.close();
  await store?.stop();
});

const head = { kind: 'iris.image', defaults: { size: '64x64' } };
const item = (value: unknown) => ({ value, chars: JSON.stringify(value)?.length ?? 0 });
const sun = (over: object = {}) => item({ body: { prompt: 'A sun' }, ...over });

function stage(items: Iterable<ReturnType<typeof item>>, over: { owner?: Owner; head?: unknown } = {}) {
  const { owner = personal(), ...rest } = over;
  return stageBatch(database, {
    owner,
    agentId: null,
    apiKeyId: 'key_1',
    requestId: 'req',
    upload: { head, items, ...rest },
  });
}

/** Counts all stored records of batches. */
async function stored(): Promise<number> {
  const soon = new Date(Date.now() + 60_000);
  const [made, making] = await Promise.all([
    database.batches.listUnfinished({ limit: 1_000 }),
    database.batches.listAbandoned(soon, 1_000),
  ]);
  const items = await Promise.all(
    [...made.map(({ id }) => id), ...making].map((id) => database.batchItems.list(id, { limit: 1 })),
  );
  return made.length + making.length + items.flatMap(({ data }) => data).length;
}

test('shows a batch only when it is committed', async () => {
  const owner = personal();
  const staged = await stage([sun(), sun({ id: 'b', after: ['0'] }), sun({ kind: 'iris.video' })], { owner });
  expect(await database.batches.get(owner, staged.id)).toBeNull();
  const batch = await staged.commit();
  expect(batch).toMatchObject({
    id: staged.id,
    kind: 'iris.image',
    ordered: true,
    api_key_id: 'key_1',
    counts: { total: 3 },
  });
  expect(await database.batches.get(owner, staged.id)).toEqual(batch);
  const items = await database.batchItems.getMany(staged.id, [0, 1, 2]);
  expect(items.map(({ id, kind, after, body }) => [id, kind, after, body])).toEqual([
    ['0', 'iris.image', [], { prompt: 'A sun' }],
    ['b', 'iris.image', ['0'], { prompt: 'A sun' }],
    ['2', 'iris.video', [], { prompt: 'A sun' }],
  ]);
});

test('leaves nothing of a batch that is discarded or removed before its commit', async () => {
  const before = await stored();
  await (await stage([sun()])).discard();
  expect(await stored()).toBe(before);
  const given = await stage([sun()]);
  await database.batchItems.remove(given.id);
  await database.batches.remove(given.id);
  await expect(given.commit()).rejects.toMatchObject({ code: 'conflict' });
});

const many = (count: number, value = sun()) => Array.from({ length: count }, () => value);

test.each([
  ['no items', [], ['body.items']],
  ['an invalid item after a thousand valid ones', [...many(1_000), sun({ body: {} })], ['body.items.1000.body.prompt']],
  [
    'many invalid items, 20 of them reported',
    many(50, sun({ body: {} })),
    Array.from({ length: 20 }, (_, i) => `body.items.${i}.body.prompt`),
  ],
  ['a duplicate id', [sun({ id: 'a' }), sun({ id: 'a' })], ['body.items.1.id']],
  ["an id that is another item's index", [sun(), sun({ id: '0' })], ['body.items.1.id']],
  ['a cycle', [sun({ after: ['1'] }), sun({ after: ['0'] })], ['body.items.0.after', 'body.items.1.after']],
  ['an unknown item in `after`', [sun(), sun({ after: ['0', 'z'] })], ['body.items.1.after.1']],
  ['one item too many', many(10_001), ['body.items']],
  ['an oversized item', [{ ...sun(), chars: 5_000_000 }], ['body.items.0']],
])('rejects %s and stores nothing', async (_, items, paths) => {
  const before = await stored();
  const refused = stage(items);
  await expect(refused).rejects.toMatchObject({ code: 'invalid_request' });
  const { details } = await refused.catch((error) => error);
  expect(details.map(({ path }: { path: string }) => path)).toEqual(paths);
  expect(await stored()).toBe(before);
});

test.each([
  [{ kind: 'iris.song' }, 'body.kind'],
  [{ ...head, extra: 1 }, 'body.extra'],
  [{ ...head, webhook_url: 'file:///x' }, 'body.webhook_url'],
  [{ ...head, defaults: { prompt: 'x'.repeat(1_100_000) } }, 'body.defaults'],
  [{ ...head, defaults: JSON.parse(`${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`) }, 'body.defaults'],
  [null, 'body'],
])('rejects an invalid head before reading items', async (wrong, path) => {
  const before = await stored();
  const items = {
    [Symbol.iterator]: () => {
      throw new Error('read');
    },
  };
  await expect(stage(items, { head: wrong })).rejects.toMatchObject({ details: [{ path }] });
  expect(await stored()).toBe(before);
});

test('leaves nothing if the upload is interrupted', async () => {
  const before = await stored();
  function* broken() {
    yield* many(700);
    throw new Error('the client disconnected');
  }
  await expect(stage(broken())).rejects.toThrow('the client disconnected');
  expect(await stored()).toBe(before);
});

/** Returns the CPU time of this thread, which a busy machine does not distort. */
function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

test('does not block other requests while it checks and stores ten thousand items', async () => {
  const items = Array.from({ length: 10_000 }, (_, index) => sun({ body: { prompt: `Sun ${index}` } }));
  const began = computedMs();
  const turns = [began];
  const others = setInterval(() => turns.push(computedMs()), 1);
  const staged = await stage(items);
  clearInterval(others);
  turns.push(computedMs());
  expect((await staged.commit()).counts.total).toBe(10_000);
  // The longest time without yielding to other requests.
  const longest = Math.max(...turns.map((at, turn) => at - (turns[turn - 1] ?? began)));
  expect(longest).toBeLessThan((computedMs() - began) / 2);
});
