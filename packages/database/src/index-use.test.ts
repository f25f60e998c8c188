import { type JobsQuery, newId, type Owner, sessionQuery } from '@chorus/contract';
import { createLogger } from '@chorus/log';
import { sharedStore, storeIsGiven, type TestDatabases } from '@chorus/testing';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAgentRepository, type StoredAgent } from './agent-repository.ts';
import { createApiKeyRepository, type StoredApiKey } from './api-key-repository.ts';
import type { StoredArchiveUnit } from './archive-model.ts';
import { createArchiveRepository } from './archive-repository.ts';
import { createArchiveRevisionRepository, type StoredArchiveRevision } from './archive-revision-repository.ts';
import { createAssetRepository, type StoredAsset } from './asset-repository.ts';
import { createAuditRepository, type StoredAuditEntry } from './audit-repository.ts';
import { createBatchItemRepository, type StoredBatchItem } from './batch-item-repository.ts';
import { createBatchRepository, type StoredBatch } from './batch-repository.ts';
import { connectDatabase } from './connect-database.ts';
import type { StoredExecution } from './execution-model.ts';
import { createExecutionRepository } from './execution-repository.ts';
import { createInvitationRepository, type StoredInvitation } from './invitation-repository.ts';
import type { StoredMessage } from './message-model.ts';
import { createMessageRepository } from './message-repository.ts';
import {
  createProvenanceRepository,
  type StoredCertificate,
  type StoredLedgerRecord,
} from './provenance-repository.ts';
import type { Outcome } from './records.ts';
import type { StoredSession } from './session-model.ts';
import { createSessionRepository } from './session-repository.ts';
import { TEXT_KINDS } from './text-records.ts';
import type { StoredTextRemoval } from './text-removals.ts';
import { createTextRepository } from './text-repository.ts';
import { createWebhookDeliveryRepository, type StoredWebhookDelivery } from './webhook-delivery-repository.ts';
import { createWorkspaceRepository, type StoredMembership, type StoredWorkspace } from './workspace-repository.ts';

let store: TestDatabases;
let client: mongo.MongoClient;
const commands: mongo.CommandStartedEvent[] = [];

beforeAll(async () => {
  store = await sharedStore();
  await (await connectDatabase({ uri: store.uri, log: createLogger({ name: 'test', level: 'silent' }) })).close();
  client = new mongo.MongoClient(store.uri, { monitorCommands: true });
  client.on('commandStarted', (event) => commands.push(event));
});
afterAll(async () => {
  await client?.close();
  await store?.stop();
});

const EXPLAINED = ['find', 'update', 'delete', 'findAndModify'];
const SENT_WITH = ['lsid', '$db', 'txnNumber', '$clusterTime'];

/** What the store would do for each command that `call` sends. */
async function plansOf(call: () => Promise<unknown>): Promise<string[]> {
  commands.length = 0;
  await call();
  const sent = commands.filter(({ commandName }) => EXPLAINED.includes(commandName));
  return Promise.all(
    sent.map(async ({ command }) => {
      const plain = Object.fromEntries(Object.entries(command).filter(([name]) => !SENT_WITH.includes(name)));
      const explained = await client.db().command({ explain: plain, verbosity: 'queryPlanner' });
      return JSON.stringify(explained.queryPlanner.winningPlan);
    }),
  );
}

// How a plan reads differs from server to server: these are the embedded store's.
it.skipIf(storeIsGiven)('answers every question of requests and sweeps by an index, lists in its order', async () => {
  const database = client.db();
  const executions = createExecutionRepository(database.collection<StoredExecution>('executions'));
  const sessions = createSessionRepository(
    database.collection<StoredSession>('sessions'),
    database.collection<StoredTextRemoval>('text_removals'),
  );
  const messages = createMessageRepository(
    database.collection<StoredMessage>('messages'),
    database.collection<StoredTextRemoval>('text_removals'),
  );
  const webhooks = createWebhookDeliveryRepository(database.collection<StoredWebhookDelivery>('webhook_deliveries'));
  const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
  const member: Owner = { ...owner, scope: 'workspace', workspace_id: crypto.randomUUID() };
  const id = newId('job');
  const list = (query: Partial<JobsQuery>) => () => executions.list(member, { limit: 20, ...query });
  const sessionList = (query: Record<string, string>) => () => sessions.list(owner, sessionQuery.parse(query));
  const outcome: Outcome = {
    status: 'cancelled',
    output: [],
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null },
    error: null,
    model: null,
    provider: null,
    finish_reason: null,
    finished_at: new Date(),
  };
  const cursor = Buffer.from(JSON.stringify([1, 0, newId('session')])).toString('base64url');

  const calls: Record<string, () => Promise<unknown>> = {
    'execution by id': () => executions.get(member, id),
    'execution finished': () => executions.finish(owner, id, 1, outcome),
    'execution claimed': () => executions.claim(owner, id, 2, new Date()),
    'executions, newest': list({}),
    'executions, next page': list({ after: id }),
    'executions by status': list({ status: 'running', after: id }),
    'executions by kind': list({ kind: 'chat.completion', after: id }),
    'executions of a batch, next page': list({ batch_id: newId('batch'), after: id }),
    'executions, many at once': () => executions.getMany(member, [id, newId('job')]),
    'standings of many': () => executions.standings([id, newId('job')]),
    'executions that batches take note of': () => executions.listBatchesDue(10),
    'executions that batches took note of': () => executions.noteBatches([id]),
    'executions to be told of': () => executions.listWebhooksDue(10),
    'executions told of': () => executions.noteWebhooks([id]),
    'executions unfinished': () => executions.listUnfinished({ olderThan: new Date(), limit: 10, after: id }),
    'sessions, first page': sessionList({}),
    'sessions, next page': sessionList({ after: cursor }),
    'sessions pinned': sessionList({ pinned: 'true', q: 'word' }),
    'session lock': () => sessions.lock(owner, newId('session'), id, 2),
    'sessions locked': () => sessions.listLocked({ olderThan: new Date(), limit: 10 }),
    'messages of a session': () => messages.listBySession(owner, newId('session'), { limit: 20, after: '5' }),
    'messages for a context': () => messages.context(owner, newId('session'), 10, { maxMessages: 9, maxBytes: 99 }),
    'webhooks due': () => webhooks.listDue({ now: new Date(), limit: 9, exceptHosts: ['a'], exceptScopes: ['b'] }),
    'webhooks, next page': () => webhooks.list(owner, { limit: 20, after: newId('webhookDelivery') }),
    'webhooks of an execution': () => webhooks.list(member, { limit: 20, execution_id: id }),
    'messages, many at once': () => messages.placesOf(owner, [newId('message'), newId('message')]),
    'sessions, many at once': () => sessions.getMany(owner, [newId('session')], { pinned: true }),
    'messages of a turn, gone': () => messages.removeTurn(owner, newId('session'), id),
  };
  await expectIndexes(calls);
});

it('answers every question of logins, keys, members, invitations, agents and the audit log by an index', async () => {
  const database = client.db();
  const apiKeys = createApiKeyRepository(database.collection<StoredApiKey>('api_keys'));
  const audit = createAuditRepository(database.collection<StoredAuditEntry>('audit_log'));
  const invitations = createInvitationRepository(database.collection<StoredInvitation>('invitations'));
  const agents = createAgentRepository(database.collection<StoredAgent>('agents'));
  const workspaces = createWorkspaceRepository(
    database.collection<StoredWorkspace>('workspaces'),
    database.collection<StoredMembership>('workspace_members'),
  );
  const user = newId('user');
  const owner: Owner = { scope: 'personal', user_id: user, workspace_id: null };
  const workspace = crypto.randomUUID();
  const page = { limit: 20 };
  const scope = `workspace:${workspace}`;

  await expectIndexes({
    'key by its beginning': () => apiKeys.findByPrefix('chk_000000000000'),
    'keys of a user, next page': () => apiKeys.list(user, { ...page, after: newId('apiKey') }),
    'key revoked': () => apiKeys.setStatus(user, newId('apiKey'), 'revoked'),
    'uses of keys': () => apiKeys.noteUse([{ id: newId('apiKey'), at: new Date() }], new Date()),
    'role of a member': () => workspaces.membership(workspace, user),
    'members of a workspace, next page': () => workspaces.listMembers(workspace, { ...page, after: user }),
    'workspaces of a user, next page': () => workspaces.listOfUser(user, { ...page, after: workspace }),
    'invitation by token': () => invitations.findByToken('x'),
    'invitations of a workspace, next page': () => invitations.list(workspace, { ...page, after: newId('invitation') }),
    'agents of a scope, next page': () => agents.list(owner, { ...page, after: newId('agent') }),
    'audit log, next page': () => audit.list(scope, { ...page, after: newId('audit') }),
    'audit log by action': () => audit.list(scope, { ...page, action: 'member.removed' }),
    'audit log by user': () => audit.list(scope, { ...page, user_id: user }),
  });
});

it('answers every question about what was made here by an index', async () => {
  const database = client.db();
  const ledger = createProvenanceRepository(
    database.collection<StoredLedgerRecord>('provenance_ledger'),
    database.collection<StoredCertificate>('provenance_certificates'),
  );
  const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
  await expectIndexes({
    'ledger by content': () => ledger.withContent(owner, 'x', 5),
    'ledger by parts of a hash': () => ledger.withBands(owner, [1, 65_537, 131_072], 100),
    'ledger by id': () => ledger.getMany(owner, [newId('asset')]),
  });
});

it.skipIf(storeIsGiven)(
  'answers every question about batches and their items by an index, lists in its order',
  async () => {
    const batches = createBatchRepository(client.db().collection<StoredBatch>('batches'));
    const items = createBatchItemRepository(client.db().collection<StoredBatchItem>('batch_items'));
    const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
    const id = newId('batch');
    const ending = { index: 1, status: 'failed', error: null, finished_at: new Date() } as const;

    await expectIndexes({
      'batch by id': () => batches.get(owner, id),
      'batches, next page': () => batches.list(owner, { limit: 20, after: id }),
      'batches unfinished': () => batches.listUnfinished({ limit: 20, after: id }),
      'batches whose end is untold': () => batches.listUntold(20),
      'batches given up': () => batches.listAbandoned(new Date(), 20),
      'batches old': () => batches.listOld({ before: new Date(), limit: 20 }),
      'items, next page': () => items.list(id, { limit: 20, after: '7' }),
      'items by status': () => items.list(id, { limit: 20, after: '7', status: 'failed' }),
      'items that have ended': () => items.listEnded(id, { after: { seq: 3, index: 4 }, upTo: 9, limit: 20 }),
      'states of items': () => items.listStates(id, { from: 40, limit: 20 }),
      'items, many at once': () => items.getMany(id, [3, 4]),
      'items claimed': () => items.claim(id, [{ index: 1, execution_id: newId('job'), retry_of: null }]),
      'items ended': () => items.end(id, 1, [ending]),
      'items set back': () => items.reset(id, 1),
      'items of a batch, gone': () => items.remove(id),
    });
  },
);

it.skipIf(storeIsGiven)('answers every question of the indexes of words by an index, in its order', async () => {
  const database = client.db();
  const texts = createTextRepository({
    archive: database.collection<StoredArchiveUnit>('archive_units'),
    sessions: database.collection<StoredSession>('sessions'),
    messages: database.collection<StoredMessage>('messages'),
    removals: database.collection<StoredTextRemoval>('text_removals'),
  });
  const owner: Owner = { scope: 'workspace', user_id: newId('user'), workspace_id: crypto.randomUUID() };
  const ids = [newId('message'), newId('message')];
  for (const kind of TEXT_KINDS) {
    await expectIndexes({
      [`${kind} to index`]: () => texts.listUnindexed(kind, { limit: 9 }),
      [`${kind} to index, next`]: () => texts.listUnindexed(kind, { limit: 9, after: 'workspace:x|y|z' }),
      [`${kind} of a scope`]: () => texts.unindexedOf(kind, owner, { ofMaker: false, limit: 9 }),
      [`${kind} of a maker`]: () => texts.unindexedOf(kind, owner, { ofMaker: true, limit: 9 }),
      [`${kind} indexed`]: () => texts.noteIndexed(kind, [{ id: ids[0] as string, mark: 'x' }]),
      [`${kind} all`]: () => texts.markAll(kind, { after: ids[0] as string, limit: 9 }),
      [`${kind} there are`]: () => texts.existing(kind, ids),
    });
  }
  await expectIndexes({
    'removals due': () => texts.listRemovals(new Date(), 9),
    'removal done': () => texts.setRemovalDue('x', null),
  });
});

it.skipIf(storeIsGiven)('answers every question of the archive by an index, lists in its order', async () => {
  const archive = createArchiveRepository(
    client.db().collection<StoredArchiveUnit>('archive_units'),
    client.db().collection<StoredTextRemoval>('text_removals'),
  );
  const revisions = createArchiveRevisionRepository(client.db().collection<StoredArchiveRevision>('archive_revisions'));
  const owner: Owner = { scope: 'workspace', user_id: newId('user'), workspace_id: crypto.randomUUID() };
  const [id, after] = [newId('archive'), newId('archive')];
  const page = { limit: 20, after };
  await expectIndexes({
    'unit by id': () => archive.get(owner, id),
    'units, many at once': () => archive.matching(owner, [id, after], { tag: 'a' }),
    'units, next page': () => archive.list(owner, page),
    'units with a tag': () => archive.list(owner, { ...page, tag: 'a' }),
    'units from messages': () => archive.list(owner, { ...page, source: 'message' }),
    'units from one message': () => archive.list(owner, { ...page, source_id: newId('message') }),
    'units, oldest first': () => archive.listOldest(owner, page),
    'unit revised': () => archive.revise(owner, id, 3, { revised_by: owner.user_id, title: 'x' }),
    'unit gone': () => archive.remove(owner, id, 3),
    'revisions, next page': () => revisions.list(owner, id, { limit: 20, after: '3' }),
    'revisions gone': () => revisions.removeByUnit(owner, id),
  });
});

it('answers every question of files by an index', async () => {
  const assets = createAssetRepository(client.db().collection<StoredAsset>('assets'));
  const owner: Owner = { scope: 'workspace', user_id: newId('user'), workspace_id: crypto.randomUUID() };
  const [id, execution_id] = [newId('asset'), newId('job')];
  await expectIndexes({
    'asset by id': () => assets.get(owner, id),
    'asset by its address': () => assets.getSigned(id),
    'asset at a place': () => assets.getMade(owner, execution_id, 0),
    'assets of an execution': () => assets.ofExecution(owner, execution_id),
    'assets, next page': () => assets.list(owner, { limit: 20, after: id }),
    'assets of a kind': () => assets.list(owner, { limit: 20, after: id, kind: 'image' }),
    'assets of an execution, listed': () => assets.list(owner, { limit: 20, after: id, execution_id }),
    'assets that there are': () => assets.existing([id, newId('asset')]),
    'asset gone': () => assets.remove(owner, id),
  });
});

async function expectIndexes(calls: Record<string, () => Promise<unknown>>): Promise<void> {
  for (const [name, call] of Object.entries(calls)) {
    const plans = await plansOf(call);
    expect([name, plans.length > 0]).toEqual([name, true]);
    for (const plan of plans) {
      expect([name, plan]).toEqual([name, expect.stringMatching(/IXSCAN|IDHACK|EXPRESS/)]);
      expect([name, plan]).toEqual([name, expect.not.stringMatching(/COLLSCAN|"SORT"/)]);
    }
  }
}
