import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, type Owner, scopeKey } from '@chorus/contract';
import { type ArchiveRecord, connectDatabase, type Database } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, type TestDatabases } from '@chorus/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openSearch, type Search, type TextTable } from '../index.ts';
import { findTexts } from './find-texts.ts';
import { TextIndexer } from './text-indexer.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const lease = { acquire: async () => true };

let store: TestDatabases;
let database: Database;
let folder: string;
let search: Search;
let owner: Owner;

beforeAll(async () => {
  store = await sharedStore();
  database = await connectDatabase({ uri: store.uri, log });
  folder = await mkdtemp(join(tmpdir(), 'chorus-texts-'));
  search = openSearch({ location: folder, log });
});
afterAll(async () => {
  search?.close();
  await database?.close();
  await store?.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  owner = { scope: 'workspace', user_id: newId('user'), workspace_id: crypto.randomUUID() };
});

const indexer = () => new TextIndexer({ database, search, lease, log });

async function write(title: string, content: string, made: Owner = owner): Promise<string> {
  const now = new Date();
  const record: ArchiveRecord = {
    id: newId('archive'),
    owner: made,
    title,
    content,
    tags: [],
    metadata: {},
    source: { type: 'text', id: null, taken_at: now },
    revision: 1,
    revised_by: made.user_id,
    created_at: now,
    updated_at: now,
  };
  await database.archive.insert(record);
  return record.id;
}

test('finds each of many equally good texts once', async () => {
  const table = await search.texts('archive');
  const rows = Array.from({ length: 450 }, (_, at) => ({
    id: `arc_${at}`,
    scope_key: scopeKey(owner),
    user_id: owner.user_id,
    text: 'a fox',
    facts: {},
  }));
  await table.put(rows);
  const found = await find('fox');
  expect([found.length, new Set(found).size]).toEqual([450, 450]);
});

async function find(text: string, asking: Owner = owner, ofMaker = false): Promise<string[]> {
  const batches = await Array.fromAsync(
    findTexts({ database, search }, { kind: 'archive', owner: asking, ofMaker, text }),
  );
  return batches.flat();
}

test('finds a text right after it was written, and once it is indexed', async () => {
  const tea = await write('Tea', 'Water for green tea must not boil.');
  const coffee = await write('Coffee', 'Gründlich mahlen, dann heißes Wasser. 東京の喫茶店。');
  const asked = async () => ({
    stem: await find('boiling waters'),
    folded: await find('GRUNDLICH'),
    unspaced: await find('喫茶店'),
    title: await find('coffee'),
    nothing: await find('chocolate'),
    stop: await find('the'),
  });
  const expected = { stem: [tea], folded: [coffee], unspaced: [coffee], title: [coffee], nothing: [], stop: [] };
  expect(await asked()).toEqual(expected);
  await indexer().round();
  expect(await database.texts.listUnindexedOf('archive', owner, { ofMaker: false, limit: 9 })).toEqual([]);
  expect(await asked()).toEqual(expected);
});

test('finds a changed text by its new words only, before and after indexing', async () => {
  const id = await write('Note', 'apples');
  await indexer().round();
  await database.archive.revise(owner, id, 1, { revised_by: owner.user_id, content: 'pears' });
  expect([await find('apples'), await find('pears')]).toEqual([[], [id]]);
  await indexer().round();
  expect([await find('apples'), await find('pears')]).toEqual([[], [id]]);
});

test('sorts by relevance, with texts not indexed yet first', async () => {
  const some = await write(
    'Rivers',
    'A long text about many things, and a river among all of the other things that it tells of.',
  );
  const best = await write('River', 'river');
  await indexer().round();
  const fresh = await write('New', 'mountain and river');
  const freshest = await write('New', 'a river in the valley');
  expect(await find('river valley')).toEqual([freshest, fresh, best, some]);
});

test('finds phrases first, then texts with every word, then the rest', async () => {
  const number = await write('One', 'The number of the boats is a large number, and no other number.');
  const apart = await write('Two', 'Berth 137 has no number of its own.');
  const phrase = await write(
    'Three',
    'A long list of berths, of which one has number 137 on its sign, and others none.',
  );
  expect(await find('number 137')).toEqual([phrase, apart, number]);
  await indexer().round();
  expect(await find('number 137')).toEqual([phrase, apart, number]);
  const freshRest = await write('Four', 'number');
  const fresh = await write('Five', 'Which one is 137? A number.');
  const freshPhrase = await write('Six', 'Numbers 137 and 138');
  expect(await find('number 137')).toEqual([freshPhrase, phrase, fresh, apart, freshRest, number]);
});

test('finds texts with every word, in any language that the question may have', async () => {
  const both = await write('Garten', 'Die Bäume im Garten müssen wir noch heute gießen, denn es ist sehr warm.');
  await write('Other', 'Wir gehen heute in den Garten, und das ist sehr schön für die Kinder.');
  await indexer().round();
  expect((await find('Bäume gießen'))[0]).toBe(both);
  expect((await find('Wann müssen wir die Bäume gießen'))[0]).toBe(both);
});

test('isolates owners with the same words, and creators on request', async () => {
  const member: Owner = { ...owner, user_id: newId('user') };
  const stranger: Owner = { ...owner, workspace_id: crypto.randomUUID() };
  const ids = { mine: await write('x', 'secret plan'), theirs: await write('x', 'secret plan', member) };
  const elsewhere = await write('x', 'secret plan', stranger);
  const look = async () => ({
    shared: (await find('secret')).sort(),
    own: await find('secret', owner, true),
    elsewhere: await find('secret', stranger),
    hostile: await find("secret' OR scope_key != '", { ...stranger, workspace_id: `x' OR '1'='1` }),
  });
  const expected = { shared: Object.values(ids).sort(), own: [ids.mine], elsewhere: [elsewhere], hostile: [] };
  expect(await look()).toEqual(expected);
  await indexer().round();
  expect(await look()).toEqual(expected);
});

test('removes deleted texts from the index, even if they were being indexed', async () => {
  const table = await search.texts('archive');
  const id = await write('x', 'ephemeral');
  await indexer().round();
  const before = await table.count({ scopeKey: `workspace:${owner.workspace_id}` });
  await database.archive.remove(owner, id, null);
  expect(before).toBe(1);
  await indexer().round();
  expect(await find('ephemeral')).toEqual([]);
  // Simulates a slower indexer that read the words before the deletion.
  await table.put([
    { id, scope_key: `workspace:${owner.workspace_id}`, user_id: owner.user_id, text: 'ephemeral', facts: {} },
  ]);
  const later = Date.now() + 61_000;
  await indexer().round(later);
  expect(await find('ephemeral')).toEqual([]);
  expect(
    (await database.texts.listRemovals(new Date(later + 99_000), 99)).flatMap((one) => one.record_ids),
  ).not.toContain(id);
});

test('keeps texts whose deletion was never finished', async () => {
  const id = await write('x', 'still here');
  await indexer().round();
  expect(await database.archive.remove(owner, id, 99)).toBe(false);
  await indexer().round();
  await indexer().round(Date.now() + 61_000);
  expect(await find('here still')).toEqual([id]);
});

test('fills a new or lost index from the records', async () => {
  const ids = await Promise.all(['one', 'two', 'three'].map((word) => write(word, 'common')));
  await indexer().round();
  expect((await find('common')).sort()).toEqual(ids.sort());
  search.close();
  await rm(folder, { recursive: true });
  search = openSearch({ location: folder, log });
  expect(await find('common')).toEqual([]);
  await indexer().round();
  expect((await find('common')).sort()).toEqual(ids.sort());
});

/** A table that rejects some texts, as an engine may. */
function refusing(isRefused: (text: string) => boolean): Search {
  return {
    ...search,
    texts: async (name) => {
      const table = await search.texts(name);
      return {
        ...table,
        put: async (rows: Parameters<TextTable['put']>[0]) => {
          if (rows.some(({ text }) => isRefused(text))) throw new Error('the engine rejects this text');
          return table.put(rows);
        },
      };
    },
  };
}

test('skips a record that cannot be indexed and retries it later', async () => {
  const ids = await Promise.all(
    Array.from({ length: 5 }, (_, nth) => write(`t${nth}`, `common ${nth === 2 ? 'poison' : ''}`)),
  );
  let broken = true;
  const one = new TextIndexer({ database, search: refusing((text) => broken && text.includes('poison')), lease, log });
  for (let rounds = 0; rounds < 10; rounds++) await one.round().catch(() => undefined);
  const left = await database.texts.listUnindexedOf('archive', owner, { ofMaker: false, limit: 9 });
  expect(left.map(({ id }) => id)).toEqual([ids[2]]);
  expect((await find('common')).sort()).toEqual(ids.toSorted());
  broken = false;
  await one.round(Date.now() + 601_000);
  expect(await database.texts.listUnindexedOf('archive', owner, { ofMaker: false, limit: 9 })).toEqual([]);
});

test('does nothing without the lease', async () => {
  await write('x', 'y');
  const idle = new TextIndexer({ database, search, lease: { acquire: async () => false }, log });
  expect(await idle.round()).toEqual({ indexed: 0, removed: 0 });
});
