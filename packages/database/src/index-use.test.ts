import { type JobsQuery, newId, type Owner, sessionQuery } from '@chorus/contract';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, storeIsGiven, type TestDatabases } from '@chorus/testing';
import { type CommandStartedEvent, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiKeyRepository } from './accounts/api-keys.ts';
import { createAgentRepository } from './agents/repository.ts';
import { createArchiveRepository, createArchiveRevisionRepository } from './archive/repository.ts';
import { createAssetRepository } from './assets/repository.ts';
import { createAuditRepository } from './audit/repository.ts';
import { createBatchPartRepository } from './batch-parts/repository.ts';
import { createFileBatchRepository } from './batches/file-batches.ts';
import { createBatchItemRepository } from './batches/items.ts';
import { createBatchRepository } from './batches/repository.ts';
import { connectDatabase } from './connect-database.ts';
import { createExecutionRepository } from './executions/repository.ts';
import type { Outcome } from './executions/schema.ts';
import { createFolderRepository } from './folders/repository.ts';
import { createMessageRepository } from './messages/repository.ts';
import { createProvenanceRepository } from './provenance/repository.ts';
import { createSessionRepository } from './sessions/repository.ts';
import { createShareRepository } from './shares/repository.ts';
import { TEXT_KINDS } from './texts/marks.ts';
import { createTextRepository } from './texts/repository.ts';
import { createWebhookDeliveryRepository } from './webhooks/deliveries.ts';
import { createInvitationRepository } from './workspaces/invitations.ts';
import { createWorkspaceRepository } from './workspaces/repository.ts';

let store: TestDatabases;
let client: MongoClient;
const commands: CommandStartedEvent[] = [];

beforeAll(async () => {
  store = await sharedStore();
  await (await connectDatabase({ uri: store.uri, log: createLogger({ name: 'test', level: 'silent' }) })).close();
  client = new MongoClient(store.uri, { monitorCommands: true });
  client.on('commandStarted', (event) => commands.push(event));
});
afterAll(async () => {
  await client?.close();
  await store?.stop();
});

const EXPLAINED = ['find', 'update', 'delete', 'findAndModify'];
const SENT_WITH = ['lsid', '$db', 'txnNumber', '$clusterTime'];

/** Returns the store's plan for each command that `call` sends. */
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

// Plans differ between servers. These are the embedded store's.
it.skipIf(storeIsGiven)('answers requests and sweeps from indexes, in list order', async () => {
  const executions = createExecutionRepository(client.db());
  const sessions = createSessionRepository(client.db());
  const folders = createFolderRepository(client.db());
  const shares = createShareRepository(client.db());
  const messages = createMessageRepository(client.db());
  const webhooks = createWebhookDeliveryRepository(client.db());
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
  const archivedCursor = Buffer.from(JSON.stringify([-1, 0, newId('session')])).toString('base64url');

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
    'states of many': () => executions.listStates([id, newId('job')]),
    'executions due for batches': () => executions.listBatchesDue(10),
    'executions noted by batches': () => executions.markBatchesNoted([id]),
    'executions whose webhooks are due': () => executions.listWebhooksDue(10),
    'executions whose webhooks are stored': () => executions.markWebhooksStored([id]),
    'executions unfinished': () => executions.listUnfinished({ olderThan: new Date(), limit: 10, after: id }),
    'sessions, first page': sessionList({}),
    'sessions, next page': sessionList({ after: cursor }),
    'sessions, archived': sessionList({ archived: 'true', after: archivedCursor }),
    'sessions of a folder': sessionList({ folder_id: newId('folder'), after: cursor }),
    'sessions that leave a folder': () => sessions.leaveFolder(owner, newId('folder')),
    'session of an import': () => sessions.findImported(owner, 'x'),
    folders: () => folders.list(owner, { limit: 20 }),
    'share by token': () => shares.findByToken('x'),
    shares: () => shares.list(owner, { limit: 20 }),
    'shares of a scope': () => shares.listOfScope(owner, { limit: 20 }),
    'shares of a session': () => shares.list(owner, { limit: 20, session_id: newId('session') }),
    'shares of a session, removed': () => shares.removeBySession(owner, newId('session')),
    'sessions pinned': sessionList({ pinned: 'true', q: 'word' }),
    'session lock': () => sessions.lock(owner, newId('session'), id, 2),
    'sessions temporary': () => sessions.listTemporary({ before: new Date(), limit: 10 }),
    'sessions locked': () => sessions.listLocked({ olderThan: new Date(), limit: 10 }),
    'messages of a session': () => messages.listBySession(owner, newId('session'), { limit: 20, after: '5' }),
    'messages for a context': () => messages.context(owner, newId('session'), 10, { maxMessages: 9, maxBytes: 99 }),
    'message after a position': () => messages.next(owner, newId('session'), 5),
    'versions of answers': () => messages.versions(owner, [newId('message'), newId('message')]),
    'webhooks due': () => webhooks.listDue({ now: new Date(), limit: 9, exceptHosts: ['a'], exceptScopes: ['b'] }),
    'webhooks, next page': () => webhooks.list(owner, { limit: 20, after: newId('webhookDelivery') }),
    'webhooks of an execution': () => webhooks.list(member, { limit: 20, execution_id: id }),
    'messages, many at once': () => messages.sessionsOf(owner, [newId('message'), newId('message')]),
    'messages that attach a file': () => messages.isAttachedElsewhere(newId('asset'), newId('session')),
    'executions that may mention a file': () =>
      executions.mayMention({ id: newId('asset'), owner, created_at: new Date() }, { exceptSession: newId('session') }),
    'sessions, many at once': () => sessions.getMany(owner, [newId('session')], { pinned: true }),
    'messages of a turn, removed': () => messages.removeTurn(owner, newId('session'), id),
  };
  await expectIndexes(calls);
});

it.skipIf(storeIsGiven)('leaves out items of batches by indexes that do not hold them', async () => {
  const executions = createExecutionRepository(client.db());
  const owner: Owner = { scope: 'workspace', user_id: newId('user'), workspace_id: crypto.randomUUID() };
  for (const query of [{}, { mine: true }, { after: newId('job') }]) {
    const asked = { kind: 'iris.image', limit: 20, standalone: true, ...query } as const;
    const [plan] = await plansOf(() => executions.list(owner, asked));
    expect(plan).toContain('"isPartial":true');
    expect(plan).not.toContain('"SORT"');
  }
});

it('answers queries for accounts, workspaces, agents, and the audit log from indexes', async () => {
  const apiKeys = createApiKeyRepository(client.db());
  const audit = createAuditRepository(client.db());
  const invitations = createInvitationRepository(client.db());
  const agents = createAgentRepository(client.db());
  const workspaces = createWorkspaceRepository(client.db());
  const user = newId('user');
  const owner: Owner = { scope: 'personal', user_id: user, workspace_id: null };
  const workspace = crypto.randomUUID();
  const page = { limit: 20 };
  const scope = `workspace:${workspace}`;

  await expectIndexes({
    'key by prefix': () => apiKeys.findByPrefix('chk_000000000000'),
    'keys of a user, next page': () => apiKeys.list(user, { ...page, after: newId('apiKey') }),
    'key revoked': () => apiKeys.setStatus(user, newId('apiKey'), 'revoked'),
    'uses of keys': () => apiKeys.recordUse([{ id: newId('apiKey'), at: new Date() }], new Date()),
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

it('answers provenance queries from indexes', async () => {
  const ledger = createProvenanceRepository(client.db());
  const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
  await expectIndexes({
    'ledger by content': () => ledger.withContent(owner, 'x', 5),
    'ledger by parts of a hash': () => ledger.withBands(owner, [1, 65_537, 131_072], 100),
    'ledger by id': () => ledger.getMany(owner, [newId('asset')]),
  });
});

it.skipIf(storeIsGiven)('answers batch queries from indexes, in list order', async () => {
  const batches = createBatchRepository(client.db());
  const items = createBatchItemRepository(client.db());
  const parts = createBatchPartRepository(client.db());
  const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
  const id = newId('batch');
  const ending = { index: 1, status: 'failed', error: null, finished_at: new Date() } as const;

  await expectIndexes({
    'batch by id': () => batches.get(owner, id),
    'batches, next page': () => batches.list(owner, { limit: 20, after: id }),
    'batches unfinished': () => batches.listUnfinished({ limit: 20, after: id }),
    'batches without a stored delivery': () => batches.listWebhooksDue(20),
    'batches abandoned': () => batches.listAbandoned(new Date(), 20),
    'parts due': () => parts.claimDue('x', 1_000),
    'parts of a batch': () => parts.listOf(id),
    'parts to stop': () => parts.stop(id, 'cancelled'),
    'operations of a provider': () => parts.listOperations('openai', new Date()),
    'batches old': () => batches.listOld({ before: new Date(), limit: 20 }),
    'items, next page': () => items.list(id, { limit: 20, after: '7' }),
    'items by status': () => items.list(id, { limit: 20, after: '7', status: 'failed' }),
    'items that have ended': () => items.listEnded(id, { after: { seq: 3, index: 4 }, upTo: 9, limit: 20 }),
    'states of items': () => items.listStates(id, { from: 40, limit: 20 }),
    'items, many at once': () => items.getMany(id, [3, 4]),
    'items claimed': () => items.claim(id, [{ index: 1, execution_id: newId('job'), retry_of: null }]),
    'items ended': () => items.end(id, 1, [ending]),
    'items reset': () => items.reset(id, 1),
    'items of a batch, removed': () => items.remove(id),
  });
});

it.skipIf(storeIsGiven)('answers full-text queue queries from indexes, in their order', async () => {
  const texts = createTextRepository(client.db());
  const owner: Owner = { scope: 'workspace', user_id: newId('user'), workspace_id: crypto.randomUUID() };
  const ids = [newId('message'), newId('message')];
  for (const kind of TEXT_KINDS) {
    await expectIndexes({
      [`${kind} to index`]: () => texts.listUnindexed(kind, { limit: 9 }),
      [`${kind} to index, next`]: () => texts.listUnindexed(kind, { limit: 9, after: 'workspace:x|y|z' }),
      [`${kind} of a scope`]: () => texts.listUnindexedOf(kind, owner, { ofMaker: false, limit: 9 }),
      [`${kind} of a maker`]: () => texts.listUnindexedOf(kind, owner, { ofMaker: true, limit: 9 }),
      [`${kind} indexed`]: () => texts.clearMarks(kind, [{ id: ids[0] as string, mark: 'x' }]),
      [`${kind} all`]: () => texts.markAll(kind, { after: ids[0] as string, limit: 9 }),
      [`${kind} there are`]: () => texts.existing(kind, ids),
    });
  }
  await expectIndexes({
    'removals due': () => texts.listRemovals(new Date(), 9),
    'removal done': () => texts.setRemovalDue('x', null),
  });
});

it.skipIf(storeIsGiven)('answers archive queries from indexes, in list order', async () => {
  const archive = createArchiveRepository(client.db());
  const revisions = createArchiveRevisionRepository(client.db());
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

it('answers queries for batches from files from indexes', async () => {
  const batches = createFileBatchRepository(client.db());
  const owner: Owner = { scope: 'workspace', user_id: newId('user'), workspace_id: crypto.randomUUID() };
  const id = newId('batch');
  await expectIndexes({
    'batch by id': () => batches.get(owner, id),
    'batches, next page': () => batches.list(owner, { limit: 20, after: id }),
    'batch failed': () => batches.fail(owner, id, []),
    'batches whose files are due': () => batches.listDue(9),
    'files saved': () => batches.saveFiles(id, { output: null, errors: null }),
  });
});

it('answers asset queries from indexes', async () => {
  const assets = createAssetRepository(client.db());
  const owner: Owner = { scope: 'workspace', user_id: newId('user'), workspace_id: crypto.randomUUID() };
  const [id, execution_id] = [newId('asset'), newId('job')];
  await expectIndexes({
    'asset by id': () => assets.get(owner, id),
    'asset by its signed URL': () => assets.getSigned(id),
    'asset at a position': () => assets.getByPosition(owner, execution_id, 0),
    'assets of an execution': () => assets.listByExecution(owner, execution_id),
    'assets, next page': () => assets.list(owner, { limit: 20, after: id }),
    'assets of a kind': () => assets.list(owner, { limit: 20, after: id, kind: 'image' }),
    'assets of an execution, listed': () => assets.list(owner, { limit: 20, after: id, execution_id }),
    'assets that exist': () => assets.existing([id, newId('asset')]),
    'asset gone': () => assets.remove(owner, id),
    'files, newest': () => assets.listFiles(owner, { limit: 20, order: 'desc' }),
    'files of a purpose, oldest, next page': () =>
      assets.listFiles(owner, { limit: 20, order: 'asc', after: id, purpose: 'batch' }),
    'file marked': () => assets.setFile(owner, id, { purpose: 'batch', expires_at: null }),
    'files expired': () => assets.listExpired({ before: new Date(), limit: 9 }),
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
