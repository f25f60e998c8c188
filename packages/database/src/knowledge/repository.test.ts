import { ChorusError, newId, type Owner, toErrorBody } from '@chorus/contract';
import { beforeAll, expect, test } from 'vitest';
import type { Database } from '../connect-database.ts';
import { openTestDatabase } from '../test-database.ts';
import type { KnowledgeRecord } from './schema.ts';

let database: Database;

beforeAll(async () => {
  const opened = await openTestDatabase();
  database = opened.database;
  return opened.close;
});

const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });
const ERROR = toErrorBody(new ChorusError('timeout', 'It took too long.'), null);

function entry(owner: Owner, over: Partial<KnowledgeRecord> = {}): KnowledgeRecord {
  const now = new Date();
  return {
    id: newId('knowledge'),
    owner,
    title: 'Garden book',
    title_given: false,
    source: { type: 'text', format: 'markdown' },
    languages: [],
    text_name: 'text-1',
    former_asset_ids: [],
    status: 'processing',
    stage: null,
    error: null,
    tags: ['garden'],
    metadata: { 'a.b': '$c' },
    size_bytes: 5,
    sha256: 'a'.repeat(64),
    page_count: null,
    chunk_count: 0,
    revision: 1,
    searchable_revision: null,
    spaces: [],
    embedding_model: null,
    execution_id: newId('job'),
    facts_revision: 0,
    warnings: [],
    session_ids: null,
    processing_since: now,
    created_at: now,
    updated_at: now,
    ...over,
  };
}

async function inserted(owner: Owner, over: Partial<KnowledgeRecord> = {}): Promise<KnowledgeRecord> {
  const record = entry(owner, over);
  expect(await database.knowledge.insert(record, false)).toBe(true);
  return record;
}

const publication = (record: KnowledgeRecord) => ({
  execution_id: String(record.execution_id),
  revision: record.revision,
  chunk_count: 3,
  embedding_model: 'embedded/use-lite',
  spaces: ['use-lite-512'],
});

test('an entry is returned unchanged, only to its scope', async () => {
  const owner = personal();
  const record = await inserted(owner);
  expect(await database.knowledge.get(owner, record.id)).toEqual(record);
  expect(await database.knowledge.titles(owner, [record.id, newId('knowledge')])).toEqual(
    new Map([[record.id, record.title]]),
  );
  const other = personal();
  expect(await database.knowledge.get(other, record.id)).toBeNull();
  expect((await database.knowledge.titles(other, [record.id])).size).toBe(0);
  expect(await database.knowledge.findContent(other, 'a'.repeat(64))).toBeNull();
  expect(await database.knowledge.hide(other, record.id)).toBeNull();
});

test('each member of a workspace may have an entry with the same content', async () => {
  const workspace_id = crypto.randomUUID();
  const [one, other] = [personal(), personal()].map(({ user_id }) => ({
    scope: 'workspace' as const,
    user_id,
    workspace_id,
  })) as [Owner, Owner];
  const sha256 = 'e'.repeat(64);
  const first = entry(one, { sha256 });
  expect(await database.knowledge.insert(first, true)).toBe(true);
  expect(await database.knowledge.findContent(other, sha256)).toBeNull();
  expect(await database.knowledge.insert(entry(other, { sha256 }), true)).toBe(true);
  expect(await database.knowledge.insert(entry(one, { sha256 }), true)).toBe(false);
  expect((await database.knowledge.findContent(one, sha256))?.id).toBe(first.id);
});

test('one of several concurrent entries claims its content, and others without a claim are stored', async () => {
  const owner = personal();
  const all = Array.from({ length: 8 }, () => entry(owner));
  const got = await Promise.all(all.map((record) => database.knowledge.insert(record, true)));
  expect(got.filter(Boolean)).toHaveLength(1);
  expect(await database.knowledge.insert(entry(owner), false)).toBe(true);
  expect(await database.knowledge.insert(entry(personal()), true)).toBe(true);
  const winner = all[got.indexOf(true)] as KnowledgeRecord;
  await database.knowledge.hide(owner, winner.id);
  expect(await database.knowledge.insert(entry(owner), true)).toBe(true);
});

test('only the execution that holds an entry changes it, and it ends once', async () => {
  const owner = personal();
  const record = await inserted(owner);
  const { knowledge } = database;
  const executionId = String(record.execution_id);
  expect(await knowledge.saveProgress(owner, record.id, newId('job'), { stage: 'parsing' })).toBe(false);
  const known = { title: 'Roses', page_count: 2, warnings: ['One page is blank.'] };
  expect(await knowledge.saveProgress(owner, record.id, executionId, { stage: 'chunking', ...known })).toBe(true);
  expect(await knowledge.get(owner, record.id)).toMatchObject({ stage: 'chunking', ...known, facts_revision: 1 });

  expect(await knowledge.fail(owner, record.id, newId('job'), ERROR)).toBe(false);
  expect(await knowledge.fail(owner, record.id, executionId, ERROR)).toBe(true);
  expect(await knowledge.fail(owner, record.id, executionId, ERROR)).toBe(false);
  expect(await knowledge.get(owner, record.id)).toMatchObject({ status: 'failed', stage: 'chunking', error: ERROR });
  expect(await knowledge.publish(owner, record.id, publication(record))).toBeNull();

  const again = newId('job');
  const begun = await knowledge.begin(owner, record.id, again);
  expect(begun).toMatchObject({ status: 'processing', error: null, stage: null, execution_id: again, warnings: [] });
  expect(await knowledge.begin(owner, record.id, newId('job'))).toBeNull();
  const ready = await knowledge.publish(owner, record.id, publication({ ...record, execution_id: again }));
  expect(ready).toMatchObject({ status: 'ready', searchable_revision: 1, chunk_count: 3, processing_since: null });
  expect(await knowledge.fail(owner, record.id, again, ERROR)).toBe(false);
});

test('the document title does not replace a title set by a user', async () => {
  const owner = personal();
  const record = await inserted(owner);
  await database.knowledge.patch(owner, record.id, { title: 'Mine', tags: ['x'], metadata: { k: 'v' } });
  const stage = { stage: 'chunking', title: 'Its own' } as const;
  await database.knowledge.saveProgress(owner, record.id, String(record.execution_id), stage);
  const changed = await database.knowledge.get(owner, record.id);
  expect(changed).toMatchObject({ title: 'Mine', tags: ['x'], metadata: { k: 'v' }, facts_revision: 1 });
});

test('a revision is created once, and takes the entry over from the earlier execution', async () => {
  const owner = personal();
  const record = await inserted(owner);
  const { knowledge } = database;
  await knowledge.publish(owner, record.id, publication(record));
  const revision = () => ({
    execution_id: newId('job'),
    source: { type: 'text', format: 'text' } as const,
    text_name: 'text-2',
    size_bytes: 9,
    sha256: 'b'.repeat(64),
    former_asset_ids: ['ast_x'],
  });
  const tries = await Promise.all([1, 2, 3, 4].map(() => knowledge.revise(owner, record.id, 1, revision())));
  const [revised] = tries.filter((one) => one !== null);
  expect(tries.filter((one) => one !== null)).toHaveLength(1);
  expect(revised).toMatchObject({ revision: 2, searchable_revision: 1, status: 'processing', chunk_count: 3 });
  expect(await knowledge.publish(owner, record.id, publication(record))).toBeNull();
  expect(await knowledge.fail(owner, record.id, String(record.execution_id), ERROR)).toBe(false);
  const done = await knowledge.publish(owner, record.id, publication(revised as KnowledgeRecord));
  expect(done).toMatchObject({ status: 'ready', searchable_revision: 2, former_asset_ids: [] });
});

test('sweeps find long processing and hidden entries', async () => {
  const owner = personal();
  const old = await inserted(owner, { processing_since: new Date(Date.now() - 60_000) });
  const fresh = await inserted(owner);
  const since = new Date(Date.now() - 30_000);
  const found = (await database.knowledge.listProcessing({ since, limit: 1_000 })).map(({ id }) => id);
  expect(found).toContain(old.id);
  expect(found).not.toContain(fresh.id);
  const hidden = await database.knowledge.hide(owner, old.id);
  expect(hidden?.id).toBe(old.id);
  expect(await database.knowledge.get(owner, old.id)).toBeNull();
  expect(await database.knowledge.hide(owner, old.id)).toBeNull();
  expect((await database.knowledge.listHidden({ limit: 1_000 })).map(({ id }) => id)).toContain(old.id);
  expect(await database.knowledge.existing([old.id, newId('knowledge')])).toEqual(new Set([old.id]));
  await database.knowledge.remove(owner, old.id);
  expect(await database.knowledge.existing([old.id])).toEqual(new Set());
});

test('lists filter, and counts follow the filters', async () => {
  const owner = personal();
  const url = { source: { type: 'url', url: 'https://example.org/', mime_type: null } } as const;
  const a = await inserted(owner, { title: 'Roses (red)', tags: ['x', 'y'] });
  const b = await inserted(owner, { title: 'Tulips and roses', tags: ['y'], ...url });
  await inserted(owner, { title: 'Oaks', tags: [] });
  await database.knowledge.fail(owner, a.id, a.execution_id, ERROR);
  await database.knowledge.publish(owner, b.id, publication(b));
  const ids = async (query: object) =>
    (await database.knowledge.list(owner, { limit: 10, ...query })).data.map(({ id }) => id);
  expect(await ids({ q: 'ROSES' })).toEqual([b.id, a.id]);
  expect(await ids({ q: '(red' })).toEqual([a.id]);
  expect(await ids({ tag: 'y', status: 'ready' })).toEqual([b.id]);
  expect(await ids({ source: 'url' })).toEqual([b.id]);
  expect(await database.knowledge.counts(owner, {})).toEqual({ total: 3, processing: 1, ready: 1, failed: 1 });
  expect(await database.knowledge.counts(owner, { tag: 'y' })).toEqual({
    total: 2,
    processing: 0,
    ready: 1,
    failed: 1,
  });
  const page = await database.knowledge.list(owner, { limit: 2 });
  expect(page.has_more).toBe(true);
  expect(await ids({ after: page.next_cursor })).toHaveLength(1);
});

test('an abandoned creation leaves nothing behind, but searchable content stays', async () => {
  const owner = personal();
  const record = await inserted(owner);
  await database.knowledge.abandon(owner, record.id, newId('job'));
  expect(await database.knowledge.get(owner, record.id)).not.toBeNull();
  await database.knowledge.abandon(owner, record.id, String(record.execution_id));
  expect(await database.knowledge.get(owner, record.id)).toBeNull();
});
