import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, type Owner, scopeKey } from '@chorus/contract';
import { editMessage } from '@chorus/conversations';
import { createLogger } from '@chorus/runtime/log';
import { openSearch, type Search } from '@chorus/search';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { erase } from './erase.ts';
import { member, type OpenQueue, openQueue, personal, recordOf, turnRequest } from './test-queue.ts';

const SPACE = { name: 'erased', dimensions: 2 };

let open: OpenQueue;
beforeAll(async () => {
  open = await openQueue();
});
afterAll(() => open.close());

const removed: string[] = [];
const assets = { removeBytes: async (ids: readonly string[]) => void removed.push(...ids) };

let search: Search;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chorus-erase-'));
  search = openSearch({ location: join(folder, 'index'), log: createLogger({ name: 'test', level: 'silent' }) });
  return async () => {
    search.close();
    await rm(folder, { recursive: true, force: true });
  };
});

const removedEntries: string[] = [];
const removeEntry = async ({ id }: { id: string }) => void removedEntries.push(id);

const others = () => ({ assets, removeEntry, search });

/** Returns the ids of texts and entries that a search in a scope finds. */
async function foundOf(scope: string): Promise<string[]> {
  const query = { scopeKey: scope, text: 'fox', limit: 10 };
  const texts = await (await search.texts('sessions')).find(query);
  const chunks = await (await search.chunks(SPACE)).find({ ...query, weight: 0 });
  return [...texts.map(({ id }) => id), ...chunks.map(({ entry_id }) => entry_id)];
}

/** Indexes a text and a document of an owner. Returns their ids. */
async function beSearched(owner: Owner): Promise<{ entry: string; text: string }> {
  const scope = scopeKey(owner);
  const [entry, text] = [newId('knowledge'), newId('session')];
  await open.raw.collection<{ _id: string }>('knowledge_entries').insertOne({
    _id: entry,
    scope_key: scope,
    user_id: owner.user_id,
    metadata: [],
  } as { _id: string });
  await (await search.texts('sessions')).put([
    { id: text, scope_key: scope, user_id: owner.user_id, text: 'fox', facts: {} },
  ]);
  const chunk = {
    id: `${entry}:1:0`,
    scope_key: scope,
    entry_id: entry,
    revision: 1,
    tags: [],
    title: 't',
    text: 'fox',
  };
  const rest = { heading_path: [], page: null, position: 0, vector: null };
  await (await search.chunks(SPACE)).replace(scope, entry, [{ ...chunk, ...rest }]);
  return { entry, text };
}

/** Returns the places in the database and Redis that contain a text. */
async function tracesOf(text: string): Promise<string[]> {
  const traces: string[] = [];
  for (const { name } of await open.raw.listCollections().toArray())
    for (const document of await open.raw.collection(name).find().toArray())
      if (JSON.stringify(document).includes(text)) traces.push(name);
  for (const key of await open.redis.keys('*')) if (key.includes(text)) traces.push(key);
  return [...new Set(traces)].sort();
}

/** Creates one of everything for an owner: an edited message, a queued turn, an ended turn with events, and more. */
async function live(owner: Owner) {
  const { database, eventLog } = open;
  const dispatcher = open.dispatcher();
  const first = await dispatcher.dispatch(turnRequest(database, owner));
  const ended = recordOf(owner, { status: 'succeeded', finished_at: new Date(), session_id: first.record.session_id });
  await database.executions.insert(ended);
  await eventLog.append(ended.id, 1, 0, [{ type: 'execution.started', attempt: 1 }, { type: 'execution.succeeded' }]);
  const waiting = await dispatcher.dispatch(turnRequest(database, owner));
  const [question] = (await database.messages.listBySession(owner, String(first.record.session_id), { limit: 1 })).data;
  await dispatcher.cancel(owner, first.record.id);
  await editMessage(database, owner, question!.id, { content: 'edited', expected: null });
  const key = { fingerprint: 'x', execution_id: null, answer: '{}', started_at: new Date() };
  await database.idempotency.begin(owner, 'key', { ...key, expires_at: new Date(Date.now() + 60_000) });
  const asset = {
    id: newId('asset'),
    kind: 'document',
    mime_type: 'text/plain',
    size_bytes: 5,
    sha256: 'x',
    filename: 'a.txt',
    width: null,
    height: null,
    duration_ms: null,
    perceptual_hash: null,
    thumbnail: 'none',
    execution_id: null,
    batch_id: null,
    output_index: null,
    file: null,
  } as const;
  await database.assets.insert({ ...asset, owner, created_at: new Date() });
  await database.usage.collect();
  const batch = newId('batch');
  await database.batches.begin({
    id: batch,
    owner,
    kind: null,
    defaults: {},
    metadata: {},
    webhook_url: null,
    agent_id: null,
    api_key_id: null,
    request_id: null,
  });
  await database.batchItems.insert(owner, batch, [{ index: 0, id: 'a', kind: 'iris.image', body: {}, after: [] }]);
  await database.batches.commit(owner, batch, { total: 1, ordered: false });
  return { asset: asset.id, executions: [first.record.id, ended.id, waiting.record.id], dispatcher };
}

test('erases everything of a user, and nothing of others', async () => {
  const owner = personal();
  const neighbour = personal();
  const theirs = await live(neighbour);
  const workspace = randomUUID();
  const { asset, executions, dispatcher } = await live(owner);
  await open
    .dispatcher()
    .dispatch(turnRequest(open.database, { ...owner, scope: 'workspace', workspace_id: workspace }));
  const shared: Owner = { ...owner, scope: 'workspace', workspace_id: workspace };
  const mine = [await beSearched(owner), await beSearched(shared)];
  const kept = await beSearched(neighbour);
  const colleague = await beSearched({ ...shared, user_id: newId('user') });
  const before = await tracesOf(neighbour.user_id);
  expect(await tracesOf(owner.user_id)).toEqual(
    expect.arrayContaining([
      'executions',
      'sessions',
      'messages',
      'message_revisions',
      'idempotency_keys',
      'assets',
      'batches',
      'batch_items',
      'usage_sums',
    ]),
  );

  // Finished work leaves entries for its owner in the fair queue.
  const ran = recordOf(owner, { kind: 'iris.image', input: {} });
  await dispatcher.redispatch(ran, 0);
  await open.redis.zrem('{chorus:media}:media:prioritized', ran.id);
  expect(await tracesOf(owner.user_id)).toContain(`{chorus:media}:fair:open:${owner.user_id}`);

  const target = { user_id: owner.user_id };
  const counts = await erase({ ...open, ...others(), dispatcher }, target);
  expect(removed).toEqual([asset]);
  expect([...removedEntries].sort()).toEqual(mine.map(({ entry }) => entry).sort());
  expect(await foundOf(scopeKey(owner))).toEqual([]);
  // `removeEntry` deletes the files derived from documents.
  expect(await foundOf(scopeKey(shared))).toEqual(expect.arrayContaining([colleague.text, colleague.entry]));
  expect(await foundOf(scopeKey(shared))).not.toContain(mine[1]?.text);
  expect(await foundOf(scopeKey(neighbour))).toEqual([kept.text, kept.entry]);
  expect(counts).toMatchObject({ executions: 4, sessions: 3, message_revisions: 2, batches: 1, batch_items: 1 });
  for (const text of [owner.user_id, ...executions]) expect([text, await tracesOf(text)]).toEqual([text, []]);
  expect(await tracesOf(neighbour.user_id)).toEqual(before);
  expect(await open.database.executions.get(neighbour, theirs.executions[1]!)).toMatchObject({ status: 'succeeded' });
  expect((await erase({ ...open, ...others(), dispatcher }, target)).executions).toBe(0);
});

test('keeps parts of batches that a provider may have, without their owner', async () => {
  const owner = personal();
  const { batchParts, erasure } = open.database;
  const part = { owner, batch_id: newId('batch'), model: 'openai/gpt-4o', ids: [newId('job')] };
  const due_at = new Date(Date.now() + 60_000);
  const [fresh, sent, deleted] = await Promise.all(
    Array.from({ length: 3 }, () => batchParts.insert({ ...part, due_at })),
  );
  const parts = open.raw.collection<{ _id: string }>('batch_parts');
  await parts.updateMany({ _id: { $in: [sent!, deleted!] } }, { $set: { submitted_at: new Date(), holder: 'one' } });
  await parts.updateOne({ _id: deleted! }, { $set: { deleted: true } });
  const { batch_parts } = await erasure.erase({ user_id: owner.user_id });
  expect(batch_parts).toBe(3);
  expect(await batchParts.get(fresh!)).toBeNull();
  expect(await batchParts.get(deleted!)).toBeNull();
  expect(await batchParts.get(sent!)).toMatchObject({ erased: true, stop: 'cancelled' });
  expect(await batchParts.keep(sent!, 'one', 60_000)).toBe(false);
  expect(await tracesOf(owner.user_id)).toEqual([]);
  await batchParts.removeOf(part.batch_id);
});

test('erases everything of a workspace, and keeps what its members own', async () => {
  const user = await open.database.users.create({
    email: `${randomUUID()}@example.com`,
    password_hash: 'x',
    operator: false,
  });
  const { id } = await open.database.workspaces.create({ name: 'Plans' }, user.id);
  const owner = { ...member(id), user_id: user.id };
  const alone: Owner = { scope: 'personal', user_id: user.id, workspace_id: null };
  await live(owner);
  await live(alone);
  await beSearched(owner);
  const { text, entry } = await beSearched(alone);
  // The workspace of a sole member is erased, too. With other members, it needs another owner first.
  expect(await open.database.erasure.findSoleOwned(user.id)).toEqual([]);
  expect(await open.database.erasure.findLeftEmpty(user.id)).toEqual([{ id, name: 'Plans' }]);
  await open.database.workspaces.addMember(id, newId('user'), 'viewer');
  expect(await open.database.erasure.findSoleOwned(user.id)).toEqual([{ id, name: 'Plans' }]);
  expect(await open.database.erasure.findLeftEmpty(user.id)).toEqual([]);
  await erase({ ...open, ...others(), dispatcher: open.dispatcher() }, { workspace_id: id });
  expect(await tracesOf(id)).toEqual([]);
  expect(await foundOf(scopeKey(owner))).toEqual([]);
  expect(await foundOf(scopeKey(alone))).toEqual([text, entry]);
  expect(await tracesOf(user.id)).toEqual(expect.arrayContaining(['users', 'sessions', 'executions']));
  expect(await open.database.erasure.findSoleOwned(user.id)).toEqual([]);
});

test('deletes nothing while an execution refuses to stop', async () => {
  const owner = personal();
  const id = newId('job');
  await open.database.executions.insert(recordOf(owner, { id, status: 'running' }));
  const never = { cancel: async () => null, forget: async () => undefined, forgetUser: async () => undefined };
  const stuck = erase({ ...open, ...others(), dispatcher: never, stopsWithinMs: 50 }, { user_id: owner.user_id });
  await expect(stuck).rejects.toMatchObject({ code: 'conflict' });
  expect(await open.database.executions.get(owner, id)).not.toBeNull();
});
