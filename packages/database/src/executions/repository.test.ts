import { newId, type Owner } from '@chorus/contract';
import { MongoClient } from 'mongodb';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../connect-database.ts';
import { openTestDatabase } from '../test-database.ts';
import type { ExecutionRecord, Outcome } from './schema.ts';

let uri: string;
let database: Database;

beforeAll(async () => {
  const opened = await openTestDatabase();
  ({ uri, database } = opened);
  return opened.close;
});

const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });
const member = (workspace: string): Owner => ({
  scope: 'workspace',
  user_id: newId('user'),
  workspace_id: workspace,
});

function record(owner: Owner, fields: Partial<ExecutionRecord> = {}): ExecutionRecord {
  return {
    id: newId('job'),
    owner,
    kind: 'chat.completion',
    surface: 'chat',
    status: 'queued',
    model: 'openai/gpt',
    provider: 'openai',
    input: { model: 'openai/gpt' },
    output: [],
    progress: null,
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null },
    context: null,
    warnings: [],
    api_key_id: null,
    error: null,
    finish_reason: null,
    checkpoint: null,
    attempt: 1,
    retry_of: null,
    webhook_url: null,
    session_id: null,
    message_id: null,
    batch_id: null,
    request_id: null,
    metadata: {},
    created_at: new Date(),
    started_at: null,
    finished_at: null,
    ...fields,
  };
}

const succeeded = (text = 'hi'): Outcome => ({
  status: 'succeeded',
  output: [{ type: 'text', text }],
  usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3, cost_usd: 0.5 },
  error: null,
  model: 'openai/gpt',
  provider: 'openai',
  finish_reason: 'stop',
  finished_at: new Date(),
});

async function inserted(owner: Owner, fields: Partial<ExecutionRecord> = {}): Promise<ExecutionRecord> {
  const made = record(owner, fields);
  await database.executions.insert(made);
  return made;
}

describe('storage', () => {
  it('returns a record unchanged, with any field names in the input', async () => {
    const owner = personal();
    const made = await inserted(owner, {
      input: { $ref: 'a', $id: 'b', 'x.y': { $gt: 1 }, list: [null, 'ü\u0000🙂'], __proto__: null },
      metadata: { $set: 'x', 'a.b': 'y', $ref: 'r', $id: 'i' },
      started_at: new Date(5),
    });
    expect(await database.executions.get(owner, made.id)).toEqual(made);
  });

  it('rejects an existing id', async () => {
    const owner = personal();
    const made = await inserted(owner);
    await expect(database.executions.insert(made)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('fails alone when inserted with others', async () => {
    const owner = personal();
    const [stored, first, last] = [await inserted(owner), record(owner), record(owner)];
    const tooLarge = record(owner, { input: { text: 'a'.repeat(17_000_000) } });
    const inserting = [first, stored, tooLarge, last].map((one) => database.executions.insert(one));
    const settled = await Promise.allSettled(inserting);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(settled[1]).toMatchObject({ reason: { code: 'conflict' } });
    for (const { id } of [first, last]) expect(await database.executions.get(owner, id)).toMatchObject({ id });
  });
});

describe('visibility', () => {
  it('separates scopes', async () => {
    const made = await inserted(personal());
    const stranger = personal();
    expect(await database.executions.get(stranger, made.id)).toBeNull();
    expect(await database.executions.markCancelling(stranger, made.id)).toBeNull();
    expect(await database.executions.finish(stranger, made.id, null, succeeded())).toBeNull();
    const inWorkspace = { ...made.owner, scope: 'workspace', workspace_id: crypto.randomUUID() } as const;
    expect(await database.executions.get(inWorkspace, made.id)).toBeNull();
  });

  it('shares a workspace, except the executions of sessions', async () => {
    const workspace = crypto.randomUUID();
    const [maker, other] = [member(workspace), member(workspace)];
    const shared = await inserted(maker);
    const ofSession = await inserted(maker, { session_id: newId('session') });
    expect(await database.executions.get(other, shared.id)).toEqual(shared);
    expect(await database.executions.get(other, ofSession.id)).toBeNull();
    expect(await database.executions.markCancelling(other, ofSession.id)).toBeNull();
    const ids = async (owner: Owner) =>
      (await database.executions.list(owner, { limit: 10 })).data.map((found) => found.id).sort();
    expect(await ids(other)).toEqual([shared.id]);
    expect(await ids(maker)).toEqual([shared.id, ofSession.id].sort());
  });

  it('rejects query operators as an id', async () => {
    const owner = personal();
    await inserted(owner);
    await expect(database.executions.get(owner, { $gt: '' } as unknown as string)).rejects.toThrow(TypeError);
  });
});

describe('list', () => {
  it('lists newest first, in pages, with filters', async () => {
    const owner = personal();
    const made: ExecutionRecord[] = [];
    for (let index = 0; index < 7; index++) {
      made.push(await inserted(owner, { status: index % 2 === 0 ? 'queued' : 'running', kind: `kind.${index % 3}` }));
    }
    const newestFirst = made.map(({ id }) => id).sort((a, b) => (a < b ? 1 : -1));
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await database.executions.list(owner, { limit: 3, ...(after === undefined ? {} : { after }) });
      seen.push(...page.data.map(({ id }) => id));
      expect(page.has_more).toBe(page.next_cursor !== null);
      after = page.next_cursor ?? undefined;
    } while (after !== undefined);
    expect(seen).toEqual(newestFirst);

    const running = await database.executions.list(owner, { limit: 10, status: 'running' });
    expect(running.data).toHaveLength(3);
    expect(running.data.every(({ status }) => status === 'running')).toBe(true);
    expect(
      (await database.executions.list(owner, { limit: 10, kind: 'kind.0' as 'chat.completion' })).data,
    ).toHaveLength(3);
    expect((await database.executions.list(owner, { limit: 10, batch_id: 'bat_x' })).data).toHaveLength(0);
  });

  it('rejects an invalid cursor', async () => {
    await expect(database.executions.list(personal(), { limit: 3, after: 'x' })).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'query.after' }],
    });
  });
});

describe('life cycle', () => {
  it('is marked as running once, and not after its end', async () => {
    const owner = personal();
    const { id } = await inserted(owner);
    const started = new Date(Date.now() - 50);
    await database.executions.markRunning(owner, id, started);
    await database.executions.markRunning(owner, id, new Date());
    expect(await database.executions.get(owner, id)).toMatchObject({ status: 'running', started_at: started });
    const finished = await database.executions.finish(owner, id, 1, succeeded());
    expect(finished).toMatchObject({ ...succeeded(), finished_at: expect.any(Date), started_at: started });
    await database.executions.markRunning(owner, id, new Date());
    expect(await database.executions.get(owner, id)).toEqual(finished);
  });

  it('returns the given input instead of reading it', async () => {
    const owner = personal();
    const { id } = await inserted(owner, { input: { stored: true } });
    const finished = await database.executions.finish(owner, id, 1, succeeded(), { given: true });
    const stored = await database.executions.get(owner, id);
    expect(stored?.input).toEqual({ stored: true });
    expect(finished).toEqual({ ...stored, input: { given: true } });
  });

  it('ends once when several calls finish it', async () => {
    const owner = personal();
    const { id } = await inserted(owner);
    const tries = Array.from({ length: 20 }, (_, index) =>
      database.executions.finish(owner, id, index % 2 === 0 ? 1 : null, succeeded(String(index))),
    );
    expect((await Promise.all(tries)).filter((finished) => finished !== null)).toHaveLength(1);
  });

  it('rejects older attempts', async () => {
    const owner = personal();
    const { id } = await inserted(owner);
    const first = new Date(1_000);
    await database.executions.markRunning(owner, id, first);
    const claimed = await database.executions.claim(owner, id, 3, new Date(2_000));
    expect(claimed).toMatchObject({ attempt: 3, status: 'running', started_at: first });
    expect(await database.executions.claim(owner, id, 2, new Date())).toBeNull();
    expect(await database.executions.finish(owner, id, 1, succeeded())).toBeNull();
    expect(await database.executions.finish(owner, id, 3, succeeded())).toMatchObject({ status: 'succeeded' });
    expect(await database.executions.claim(owner, id, 4, new Date())).toBeNull();
  });

  it('stays cancelling when another attempt takes over', async () => {
    const owner = personal();
    const { id } = await inserted(owner);
    expect(await database.executions.markCancelling(owner, id)).toMatchObject({ status: 'cancelling' });
    const claimed = await database.executions.claim(owner, id, 2, new Date(7));
    expect(claimed).toMatchObject({ status: 'cancelling', attempt: 2, started_at: new Date(7) });
    const outcome = { ...succeeded(), status: 'cancelled' } as const;
    expect(await database.executions.finish(owner, id, 2, outcome)).toMatchObject({ status: 'cancelled' });
    expect(await database.executions.markCancelling(owner, id)).toMatchObject({ status: 'cancelled' });
    expect(await database.executions.markCancelling(owner, newId('job'))).toBeNull();
  });

  it('is finished from the queue only while it is queued', async () => {
    const owner = personal();
    const [queued, running] = [await inserted(owner), await inserted(owner, { status: 'running' })];
    const outcome = { ...succeeded(), status: 'cancelled' } as const;
    expect(await database.executions.finishQueued(owner, running.id, outcome)).toBeNull();
    expect(await database.executions.finishQueued(owner, queued.id, outcome)).toMatchObject({ status: 'cancelled' });
  });

  it('takes the start time from the outcome if it was never marked as running', async () => {
    const owner = personal();
    const { id } = await inserted(owner);
    const started_at = new Date(9_000);
    expect(await database.executions.finish(owner, id, 1, { ...succeeded(), started_at })).toMatchObject({
      started_at,
    });
  });
});

describe('decisions about calls', () => {
  const call = (tool_call_id: string) => ({
    ...{ tool_call_id, name: 'mail', decision: null },
    ...{ reason: null, user_id: null, decided_at: null },
  });
  const suspension = (...ids: string[]) => ({
    ...{ approvals: ids.map(call), approvals_expire_at: new Date(Date.now() + 60_000), started_at: new Date() },
    ...{ output: succeeded().output, usage: succeeded().usage, model: 'openai/gpt', provider: 'openai' },
  });
  const decision = (tool_call_id: string, decision: 'approve' | 'deny') => ({
    ...{ tool_call_id, decision, reason: null, user_id: 'usr_x' },
  });

  it('suspend an execution of the attempt until all are made', async () => {
    const owner = personal();
    const { id } = await inserted(owner);
    const { executions } = database;
    expect(await executions.suspend(owner, id, 2, suspension('a'))).toBeNull();
    expect(await executions.suspend(owner, id, 1, suspension('a', 'b'))).toMatchObject({ status: 'requires_action' });
    expect(await executions.suspend(owner, id, 1, suspension('a'))).toBeNull();
    expect(await executions.claim(owner, id, 2, new Date())).toBeNull();
    expect(await executions.markCancelling(owner, id)).toMatchObject({ status: 'requires_action' });
    expect(await executions.decide(owner, id, decision('c', 'approve'))).toBeNull();
    expect(await executions.decide(owner, id, decision('b', 'approve'))).toMatchObject({
      approvals: [{ decision: null }, { tool_call_id: 'b', decision: 'approve', user_id: 'usr_x' }],
    });
    expect(await executions.decide(owner, id, decision('b', 'deny'))).toBeNull();
    expect(await executions.resume(owner, id)).toBeNull();
    await executions.decide(owner, id, decision('a', 'deny'));
    const resumed = await Promise.all([1, 2, 3].map(() => executions.resume(owner, id)));
    expect(resumed.filter((one) => one !== null)).toHaveLength(1);
    expect(await executions.claim(owner, id, 2, new Date())).toMatchObject({ status: 'running', attempt: 2 });
    expect(await executions.finish(owner, id, 2, succeeded())).toMatchObject({ approvals: [{}, {}] });
  });

  it('are refused after the deadline, and may wait for a webhook', async () => {
    const owner = personal();
    const { executions } = database;
    const late = await inserted(owner);
    await executions.suspend(owner, late.id, 1, { ...suspension('a'), approvals_expire_at: new Date() });
    expect(await executions.decide(owner, late.id, decision('a', 'approve'))).toBeNull();
    const noted = await inserted(owner, { webhook_url: 'https://example.com' });
    await executions.suspend(owner, noted.id, 1, suspension('a'));
    const due = async () => (await executions.listActionWebhooksDue(1_000)).filter(({ id }) => id === noted.id);
    expect(await due()).toMatchObject([{ attempt: 1, webhook_url: 'https://example.com', owner }]);
    await executions.markActionWebhooksStored(await due());
    expect(await due()).toEqual([]);
  });

  it('finds results of calls that quote an entry', async () => {
    const owner = personal();
    const { id } = await inserted(owner);
    const item = {
      ...({ type: 'tool_call', id: 'a', name: 'search', arguments: '{}', status: 'succeeded' } as const),
      ...{ result: 'words', started_at: null, finished_at: null, step: 0, sources: ['kno_in_result'] },
    };
    await database.executions.finish(owner, id, 1, { ...succeeded(), output: [item] });
    const found = await database.executions.listQuoting('kno_in_result', 10);
    expect(found).toMatchObject([{ id, output: [{ sources: ['kno_in_result'] }] }]);
  });
});

describe('sweeps', () => {
  it('are listed until they end, oldest first, over all owners', async () => {
    const before = new Date(Date.UTC(2001, 0, 1));
    const made: string[] = [];
    for (let index = 0; index < 5; index++) {
      made.push((await inserted(personal(), { created_at: new Date(before.getTime() - 1_000) })).id);
    }
    const ended = await inserted(personal(), { created_at: new Date(before.getTime() - 1_000) });
    await database.executions.finish(ended.owner, ended.id, null, succeeded());
    await inserted(personal());
    const seen: string[] = [];
    for (;;) {
      const after = seen.at(-1);
      const page = await database.executions.listUnfinished({
        olderThan: before,
        limit: 2,
        ...(after === undefined ? {} : { after }),
      });
      seen.push(...page.map(({ id }) => id));
      if (page.length < 2) break;
    }
    expect(seen).toEqual([...made].sort());
  });
});

describe('bulk operations', () => {
  it('store new executions, return their ids, and leave existing ones unchanged', async () => {
    const owner = personal();
    const [one, two, three] = [record(owner), record(owner), record(owner)];
    await database.executions.insert(two);
    const again = { ...two, model: 'another/model' };
    expect(await database.executions.insertMany([one, again, three])).toEqual(new Set([one.id, three.id]));
    expect(await database.executions.insertMany([one, again])).toEqual(new Set());
    expect(await database.executions.get(owner, two.id)).toEqual(two);
    expect(await database.executions.get(owner, three.id)).toEqual(three);
  });

  it('read records for their scope, and states for all owners', async () => {
    const [owner, other] = [personal(), personal()];
    const [one, two, foreign] = [record(owner), record(owner), record(other)];
    await database.executions.insertMany([one, two, foreign]);
    const ids = [one.id, two.id, foreign.id, newId('job')];
    const found = await database.executions.getMany(owner, ids);
    expect(found.map(({ id }) => id).sort()).toEqual([one.id, two.id].sort());
    const { kind, model } = one;
    const standing = { kind, model, batch_id: null, status: 'queued', error: null, finished_at: null };
    const states = await database.executions.listStates(ids);
    expect(states.sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
      [one, two, foreign].map(({ id }) => ({ id, ...standing })),
    );
  });

  it('list ended executions of batches until the batch has noted them', async () => {
    const owner = personal();
    const batch_id = newId('batch');
    const [one, two, single] = [record(owner, { batch_id }), record(owner, { batch_id }), record(owner)];
    await database.executions.insertMany([one, two, single]);
    const due = async () =>
      (await database.executions.listBatchesDue(100)).filter((each) => each.batch_id === batch_id);
    expect(await due()).toEqual([]);
    const outcome = { ...succeeded(), status: 'failed' as const };
    await database.executions.finish(owner, two.id, 1, outcome);
    await database.executions.finish(owner, single.id, 1, outcome);
    const { finished_at, error } = outcome;
    const { kind, model } = two;
    expect(await due()).toEqual([{ id: two.id, kind, model, batch_id, status: 'failed', error, finished_at }]);
    await database.executions.markBatchesNoted([two.id]);
    expect(await due()).toEqual([]);
    await database.executions.finishQueued(owner, one.id, outcome);
    expect((await due()).map(({ id }) => id)).toEqual([one.id]);
    expect((await database.executions.listBatchesDue(100)).map(({ id }) => id)).not.toContain(single.id);
  });

  it('list the executions of a batch, newest first, in pages', async () => {
    const owner = personal();
    const batch_id = newId('batch');
    const records = Array.from({ length: 5 }, () => record(owner, { batch_id }));
    await database.executions.insertMany([...records, record(owner), record(owner, { batch_id: newId('batch') })]);
    const newest = records.map(({ id }) => id).reverse();
    const first = await database.executions.list(owner, { limit: 2, batch_id });
    expect(first.data.map(({ id }) => id)).toEqual(newest.slice(0, 2));
    const rest = await database.executions.list(owner, { limit: 9, batch_id, after: first.next_cursor as string });
    expect([rest.data.map(({ id }) => id), rest.has_more]).toEqual([newest.slice(2), false]);
    expect((await database.executions.list(personal(), { limit: 9, batch_id })).data).toEqual([]);
    expect((await database.executions.list(owner, { limit: 9, batch_id, status: 'failed' })).data).toEqual([]);
  });
});

describe('webhooks', () => {
  it('are due from the end until their delivery is stored', async () => {
    const owner = personal();
    const url = 'https://hooks.test/a?b=c';
    const [ended, failed, silent] = await Promise.all([
      inserted(owner, { webhook_url: url, session_id: newId('session') }),
      inserted(owner, { webhook_url: url }),
      inserted(owner),
    ]);
    const ids = [ended, failed, silent].map(({ id }) => id);
    const due = async () => (await database.executions.listWebhooksDue(1_000)).filter(({ id }) => ids.includes(id));
    expect(await due()).toEqual([]);
    const outcome = succeeded();
    await database.executions.finish(owner, ended.id, 1, outcome);
    await database.executions.finishQueued(owner, failed.id, { ...outcome, status: 'failed' });
    await database.executions.finish(owner, silent.id, null, outcome);
    const { finished_at } = outcome;
    const wish = { owner, webhook_url: url, finished_at };
    expect(await due()).toEqual([
      { ...wish, id: ended.id, status: 'succeeded', session_id: ended.session_id },
      { ...wish, id: failed.id, status: 'failed', session_id: null },
    ]);
    expect(await database.executions.finish(owner, ended.id, 1, outcome)).toBeNull();
    await database.executions.markWebhooksStored([ended.id]);
    expect((await due()).map(({ id }) => id)).toEqual([failed.id]);
    expect(await database.executions.get(owner, ended.id)).toMatchObject({ webhook_url: url });
  });
});

describe('deletion', () => {
  it('blanks an ended execution, and shows it only to deletions', async () => {
    const owner = personal();
    const session_id = newId('session');
    const [ended, running] = [
      await inserted(owner, { session_id }),
      await inserted(owner, { session_id, message_id: newId('message') }),
    ];
    const outcome = { ...succeeded(), output: [{ type: 'text' as const, text: 'Secret' }] };
    await database.executions.finish(owner, ended.id, 1, outcome);
    await database.executions.blank([ended.id, running.id]);
    expect(await database.executions.get(owner, ended.id)).toBeNull();
    expect(await database.executions.getMany(owner, [ended.id])).toEqual([]);
    expect((await database.executions.list(owner, { limit: 9 })).data.map(({ id }) => id)).toEqual([running.id]);
    expect(await database.executions.isDeleted(ended.id)).toBe(true);
    expect(await database.executions.isDeleted(running.id)).toBe(false);
    expect(await database.executions.finish(owner, ended.id, 1, outcome)).toBeNull();
    const found = await database.executions.listForDeletion(owner, { session_id }, { after: '', limit: 9 });
    expect(found).toMatchObject([
      { id: ended.id, ended: true, deleted: true, input: {} },
      { id: running.id, ended: false, deleted: false },
    ]);
    expect(await database.executions.findUnfinished(session_id)).toBe(running.id);
    expect(await database.executions.findUnfinished(newId('session'))).toBeNull();
  });

  it('finds executions by session, batch, entry, and quotes through indexes', async () => {
    const client = await new MongoClient(uri).connect();
    onTestFinished(() => client.close());
    const quotes = { entry_id: 'kno_x', quote: { $ne: '' } };
    const passage = { 'passage.entry_id': 'kno_x', 'passage.text': { $ne: '' } };
    const filters: [collection: string, filter: object, index: string][] = [
      ['executions', { session_id: 'ses_x', _id: { $gt: '' } }, 'session_id'],
      ['executions', { entry_id: 'kno_x', _id: { $gt: '' } }, 'entry_id'],
      ['executions', { status: 'failed', deleted: null, retried_as: { $exists: false }, batch_id: null }, 'status'],
      ['executions', { 'output.entry_id': 'kno_x', output: { $elemMatch: quotes } }, 'output.entry_id'],
      [
        'executions',
        { 'output.passage.entry_id': 'kno_x', output: { $elemMatch: passage } },
        'output.passage.entry_id',
      ],
      ['messages', { 'citations.entry_id': 'kno_x', citations: { $elemMatch: quotes } }, 'citations.entry_id'],
      ['message_revisions', { 'citations.entry_id': 'kno_x', citations: { $elemMatch: quotes } }, 'citations.entry_id'],
      ['idempotency_keys', { about: { $in: ['ses_x', 'msg_x'] } }, 'about'],
      ['deletions', { due: { $lte: new Date() } }, 'due'],
    ];
    for (const [name, filter, index] of filters) {
      const found = client.db().collection(name).find(filter);
      if ('_id' in filter) found.sort({ _id: 1 });
      const { queryPlanner } = await found.explain();
      expect([filter, JSON.stringify(queryPlanner.winningPlan)]).toEqual([
        filter,
        expect.stringContaining(`"keyPattern":{"${index}":`),
      ]);
    }
  });
});
