import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ArchiveCreate, archiveQuery, NO_ACTOR, newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { openSearch, type Search } from '@chorus/search';
import { TextIndexer } from '@chorus/search/records';
import { sharedStore, type TestDatabases } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeUnit, removeUnit } from './change-unit.ts';
import { createUnit } from './create-unit.ts';
import { listUnits } from './list-units.ts';
import { messageText } from './take-snapshot.ts';
import { unitHistory } from './unit-history.ts';

const log = createLogger({ name: 'test', level: 'silent' });

let store: TestDatabases;
let database: Database;
let folder: string;
let search: Search;

beforeAll(async () => {
  store = await sharedStore();
  database = await connectDatabase({ uri: store.uri, log });
  folder = await mkdtemp(join(tmpdir(), 'chorus-archive-'));
  search = openSearch({ location: folder, log });
});
afterAll(async () => {
  search?.close();
  await database?.close();
  await store?.stop();
  await rm(folder, { recursive: true, force: true });
});

const somebody = (): Owner => ({ scope: 'workspace', user_id: newId('user'), workspace_id: crypto.randomUUID() });
const auditContext = {
  actor: NO_ACTOR,
  audit: { record: async () => undefined },
};

/** Binds an owner's archive operations. */
function archiveOf(owner: Owner) {
  const asking = { owner, role: 'owner' } as const;
  const parts = { database, search, readEntry: async () => null };
  return {
    write: async (wanted: Partial<ArchiveCreate>) =>
      (await createUnit(parts, owner, { tags: [], metadata: {}, ...wanted })).id,
    change: (id: string, content: string) => changeUnit(database, asking, id, { patch: { content }, expected: null }),
    remove: (id: string) =>
      removeUnit({ ...database, audit: auditContext.audit }, asking, auditContext.actor, id, null),
    find: async (query: Record<string, string>) => {
      const page = await listUnits({ database, search }, owner, archiveQuery.parse(query));
      return { ...page, ids: page.data.map(({ id }) => id) };
    },
  };
}

const indexAll = () => new TextIndexer({ database, search, lease: { acquire: async () => true }, log }).round();

test('finds units after writing and after indexing, in pages by rank, within the filters, for their owner only', async () => {
  const owner = somebody();
  const archive = archiveOf(owner);
  const tea = await archive.write({ title: 'Green tea', content: 'The water must not boil.', tags: ['drinks'] });
  const soup = await archive.write({ title: 'Soup', content: 'Let it boil: boil, and boil again.', tags: ['food'] });
  expect((await archive.find({ q: 'boiling' })).ids.sort()).toEqual([tea, soup].sort());
  await indexAll();
  expect((await archive.find({ q: 'boiling water' })).ids).toEqual([tea, soup]);
  expect((await archive.find({ q: 'boiling', tag: 'food' })).ids).toEqual([soup]);
  expect((await archive.find({ q: 'boiling', source: 'session' })).ids).toEqual([]);
  expect((await archiveOf(somebody()).find({ q: 'boiling' })).ids).toEqual([]);

  const first = await archive.find({ q: 'boiling water', limit: '1' });
  expect(first).toMatchObject({ ids: [tea], has_more: true });
  const second = await archive.find({ q: 'boiling water', limit: '1', after: String(first.next_cursor) });
  expect(second).toMatchObject({ ids: [soup], has_more: false, next_cursor: null });
  await expect(archive.find({ q: 'boiling', after: tea })).rejects.toMatchObject({ code: 'invalid_request' });

  await archive.change(soup, 'Eat it cold.');
  const look = async () => [(await archive.find({ q: 'boiling' })).ids, (await archive.find({ q: 'cold' })).ids];
  expect(await look()).toEqual([[tea], [soup]]);
  await archive.remove(tea);
  expect(await look()).toEqual([[], [soup]]);
  await indexAll();
  expect(await look()).toEqual([[], [soup]]);
});

test('long units end a page early, without gaps', async () => {
  const owner = somebody();
  const archive = archiveOf(owner);
  const content = '漢'.repeat(3_000_000);
  const made = [await archive.write({ content }), await archive.write({ content })];
  const [newest] = made.toReversed();
  const first = await archive.find({ limit: '100' });
  expect(first).toMatchObject({ ids: [newest], has_more: true, next_cursor: newest });
  const second = await archive.find({ limit: '100', after: String(first.next_cursor) });
  expect(second).toMatchObject({ ids: [made[0]], has_more: false });
  const oldest = await database.archive.listOldest(owner, { limit: 100 });
  expect(oldest.data.map(({ id }) => id)).toEqual([made[0]]);
  await Promise.all(made.map((id) => database.archive.remove(owner, id, null)));
});

test('a revision left by a dead process is not listed, and the next change succeeds', async () => {
  const owner = somebody();
  const archive = archiveOf(owner);
  const id = await archive.write({ content: 'one' });
  const record = await database.archive.get(owner, id);
  if (record === null) throw new Error('it was just created');
  await database.archiveRevisions.keep(record);
  const history = async () => (await unitHistory(database, owner, id, { limit: 9 })).data;
  expect(await history()).toMatchObject([{ revision: 1, content: 'one' }]);
  await archive.change(id, 'two');
  expect(await history()).toMatchObject([
    { revision: 1, content: 'one' },
    { revision: 2, content: 'two' },
  ]);
});

test('a message keeps its tool calls, citations and attachments', () => {
  const source = { type: 'citation', entry_id: 'kno_x', chunk_id: 'c', heading_path: [], score: 1 } as const;
  const message = {
    content: 'It rains [1].',
    citations: [{ ...source, marker: 1, title: 'Weather', page: 3, quote: `It\n  rains ${'often '.repeat(90)}` }],
    attachments: ['ast_x'],
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{"up":true}' } }],
  };
  const text = messageText(message as unknown as Parameters<typeof messageText>[0]);
  expect(text).toMatch(
    /^It rains \[1\]\.\n\nCalls `look`: `\{"up":true\}`\n\nSources:\n\n- \[1\] Weather, page 3: "It rains often [a-z ]+…"\n\nAttachments: `ast_x`$/,
  );
});
