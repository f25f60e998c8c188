import { newId, type Owner } from '@chorus/contract';
import { beforeAll, expect, it } from 'vitest';
import type { ArchiveRecord } from '../archive/schema.ts';
import type { Database } from '../connect-database.ts';
import type { MessageRecord } from '../messages/schema.ts';
import { openTestDatabase } from '../test-database.ts';
import type { UnindexedText } from './repository.ts';

let database: Database;

beforeAll(async () => {
  const opened = await openTestDatabase();
  database = opened.database;
  return opened.close;
});

const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });
const member = (workspace_id: string): Owner => ({ scope: 'workspace', user_id: newId('user'), workspace_id });

const unit = (owner: Owner, content: string): ArchiveRecord => ({
  id: newId('archive'),
  owner,
  title: 'Title',
  content,
  tags: [],
  metadata: {},
  source: { type: 'text', id: null, taken_at: new Date() },
  revision: 1,
  revised_by: owner.user_id,
  created_at: new Date(),
  updated_at: new Date(),
});

async function insertUnit(owner: Owner, content: string): Promise<string> {
  const record = unit(owner, content);
  await database.archive.insert(record);
  return record.id;
}

const unindexed = (owner: Owner) => database.texts.listUnindexedOf('archive', owner, { ofMaker: false, limit: 99 });
const contents = (texts: UnindexedText[]) => texts.map(({ text }) => text);

it('lists the last written text first, even within a millisecond', async () => {
  const owner = personal();
  const written = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  await Promise.all(written.map((content) => insertUnit(owner, content)));
  expect(contents(await unindexed(owner))).toEqual(written.toReversed().map((content) => `Title\n\n${content}`));
});

it('finds only unindexed text of a scope or a creator', async () => {
  const workspace = crypto.randomUUID();
  const [one, two, other] = [member(workspace), member(workspace), personal()];
  const first = await insertUnit(one, 'a');
  const second = await insertUnit(two, 'b');
  await insertUnit(other, 'c');
  const found = await unindexed(one);
  expect(found.map(({ id }) => id).sort()).toEqual([first, second].sort());
  expect(found.find(({ id }) => id === first)).toMatchObject({
    scope_key: `workspace:${workspace}`,
    user_id: one.user_id,
    text: 'Title\n\na',
  });
  const own = await database.texts.listUnindexedOf('archive', two, { ofMaker: true, limit: 9 });
  expect(own.map(({ id }) => id)).toEqual([second]);

  await database.texts.clearMarks('archive', found);
  expect(await unindexed(two)).toEqual([]);
  expect((await unindexed(other)).length).toBe(1);
  await database.archive.revise(one, first, 1, { revised_by: one.user_id, content: 'changed' });
  expect(contents(await unindexed(one))).toEqual(['Title\n\nchanged']);
});

it('lists unindexed texts of all owners once, in pages', async () => {
  const owners = [personal(), personal(), personal()];
  const made = await Promise.all(owners.flatMap((owner) => [insertUnit(owner, 'x'), insertUnit(owner, 'y')]));
  const seen: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await database.texts.listUnindexed('archive', { after, limit: 4 });
    seen.push(...page.map(({ id }) => id));
    if (page.length === 0) break;
    after = page.at(-1)?.mark;
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toEqual(expect.arrayContaining(made));
});

it('keeps the mark of a text that changed while it was indexed, and marks overtaken ones again', async () => {
  const owner = personal();
  const [id] = await Promise.all([insertUnit(owner, 'old'), insertUnit(owner, 'other')]);
  const slow = await unindexed(owner);
  await database.archive.revise(owner, id, 1, { revised_by: owner.user_id, content: 'new' });
  await database.texts.clearMarks('archive', slow);
  const left = await unindexed(owner);
  expect(contents(left)).toEqual(['Title\n\nnew']);

  // Another indexer has stored the new text; a slow one may have overwritten it.
  await database.texts.clearMarks('archive', left);
  await database.texts.clearMarks('archive', slow);
  expect(contents(await unindexed(owner))).toContain('Title\n\nnew');
});

it('marks messages when they have content, and when it changes', async () => {
  const owner = personal();
  const message = (content: string, position: number): MessageRecord => ({
    id: newId('message'),
    owner,
    session_id: session.id,
    role: 'user',
    content,
    status: 'succeeded',
    position,
    revision: 1,
    effective_revision: 1,
    superseded_by: null,
    execution_id: 'job_x',
    citations: [],
    reasoning: [],
    tool_calls: [],
    tool_call_id: null,
    attachments: [],
    usage: null,
    created_at: new Date(),
    updated_at: new Date(),
  });
  const session = await database.sessions.create(owner, { title: 't', pinned: false, starred: false, metadata: {} });
  const [question, answer] = [message('Why?', 0), message('', 1)];
  await database.messages.insert(owner, [question, answer]);
  const due = () => database.texts.listUnindexedOf('messages', owner, { ofMaker: true, limit: 9 });
  expect((await due()).map(({ id, text }) => [id, text])).toEqual([[question.id, 'Why?']]);
  expect(await database.messages.get(owner, question.id)).toEqual(question);
  await database.texts.clearMarks('messages', await due());
  const done = { content: 'Because.', status: 'succeeded', usage: null, execution_id: 'job_x' } as const;
  await database.messages.complete(owner, answer.id, done);
  expect((await due()).map(({ id }) => id)).toEqual([answer.id]);
  await database.messages.revise(owner, question.id, 1, { revision: 2, effective_revision: 2, content: 'How?' });
  expect(contents(await due()).sort()).toEqual(['Because.', 'How?']);

  const places = await database.messages.sessionsOf(owner, [question.id, answer.id, newId('message')]);
  expect([...places.values()]).toEqual([session.id, session.id]);
  expect((await database.messages.sessionsOf(personal(), [question.id])).size).toBe(0);
});

it('notes removals before the deletion, and returns them twice', async () => {
  const owner = personal();
  const id = await insertUnit(owner, 'x');
  expect(await database.archive.remove(owner, id, 7)).toBe(false);
  expect(await database.archive.remove(owner, id, 1)).toBe(true);
  const later = new Date(Date.now() + 1_000);
  const ours = async (now: Date) =>
    (await database.texts.listRemovals(now, 99)).filter(({ record_ids }) => record_ids.includes(id));
  const [first, second, ...none] = await ours(later);
  expect([first, second, none]).toEqual([
    { id: expect.any(String), kind: 'archive', record_ids: [id], seen: false },
    { id: expect.any(String), kind: 'archive', record_ids: [id], seen: false },
    [],
  ]);
  expect(await database.texts.existing('archive', [id])).toEqual(new Set());
  await database.texts.setRemovalDue(first!.id, new Date(later.getTime() + 60_000));
  await database.texts.setRemovalDue(second!.id, null);
  expect(await ours(later)).toEqual([]);
  expect(await ours(new Date(later.getTime() + 60_001))).toEqual([{ ...first, seen: true }]);
});

it('can mark all records again, in pages', async () => {
  const owner = personal();
  await Promise.all(['a', 'b', 'c'].map((content) => insertUnit(owner, content)));
  await database.texts.clearMarks('archive', await unindexed(owner));
  expect(await unindexed(owner)).toEqual([]);
  for (let after: string | null = ''; after !== null; )
    after = await database.texts.markAll('archive', { after, limit: 2 });
  expect(contents(await unindexed(owner)).sort()).toEqual(['Title\n\na', 'Title\n\nb', 'Title\n\nc']);
});

it('notes removals for an erasure in all scopes', async () => {
  const maker = member(crypto.randomUUID());
  const own: Owner = { scope: 'personal', user_id: maker.user_id, workspace_id: null };
  const ids = [await insertUnit(maker, 'shared'), await insertUnit(own, 'own')];
  const kept = await insertUnit({ ...maker, user_id: newId('user') }, 'of another member');
  const counts = await database.erasure.erase({ user_id: maker.user_id });
  expect(counts.archive_units).toBe(2);
  const removed = (await database.texts.listRemovals(new Date(), 99)).flatMap(({ record_ids }) => record_ids);
  expect(removed).toEqual(expect.arrayContaining(ids));
  expect(removed).not.toContain(kept);
});
