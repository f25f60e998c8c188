import { randomBytes, randomUUID } from 'node:crypto';
import { createUnit } from '@chorus/archive';
import { createFileBatch, type FileLine, stageBatch } from '@chorus/batches';
import {
  AGENT_WORK_DEFAULTS,
  ChorusError,
  dependentId,
  fileIdOf,
  idOfBytes,
  NO_ACTOR,
  newId,
  type Owner,
  PERMISSIONS,
  publicBatchId,
  type Role,
  responseId,
  toErrorBody,
} from '@chorus/contract';
import { createShare, editMessage, regenerateTurn, startTurn } from '@chorus/conversations';
import type { ExecutionRecord } from '@chorus/database';
import { newExecution } from '@chorus/executions';
import { planEntry } from '@chorus/knowledge';
import { TINY_PNG } from '@chorus/testing';
import { noteDelivery } from '@chorus/webhooks';
import type { Services } from './services.ts';
import type { TestApi } from './test-api.ts';

/** A user with a login and keys. */
export interface Person {
  id: string;
  email: string;
  token: string;
  /** Has every permission that a user who is not an operator can grant. */
  fullKey: string;
  readKey: string;
}

export const PASSWORD = 'correct horse battery';

/** Hash of PASSWORD with little memory and time: real hashes take 30 ms of CPU to create and to check. */
const CHEAP_HASH = '$argon2id$v=19$m=8,t=1,p=1$AlvY/cEBFHqkF9WspOaVQQ$5VH82wmTXI/v6rJojyLC1p2mftM2fec8Xca0mFBx8HE';

export const KEY_PERMISSIONS = PERMISSIONS.filter((name) => name !== 'operator');

export async function freshPerson({ services }: TestApi): Promise<Person> {
  const { apiKeys } = services.accounts;
  const made = { email: `${randomUUID()}@example.com`, password_hash: CHEAP_HASH, operator: false };
  const user = await services.database.users.create(made);
  const { id, email } = user;
  const { access_token } = await services.accounts.login({ email, password: PASSWORD }, { address: '127.0.0.1' });
  const key = async (permissions: (typeof PERMISSIONS)[number][]) =>
    (await apiKeys.create(NO_ACTOR, user, { name: 'test', permissions })).secret;
  return { id, email, token: access_token, fullKey: await key(KEY_PERMISSIONS), readKey: await key(['read']) };
}

/** Creates a key with every permission, bound to a workspace. */
export async function boundKey({ services }: TestApi, { id }: Person, workspace_id: string): Promise<string> {
  const wanted = { name: 'bound', permissions: KEY_PERMISSIONS, workspace_id };
  return (await services.accounts.apiKeys.create(NO_ACTOR, { id, operator: false }, wanted)).secret;
}

/** Creates a workspace with these members, owned by `founder`. */
export async function freshWorkspace(api: TestApi, founder: Person, members: [Person, Role][]): Promise<string> {
  const { workspaces } = api.services.database;
  const { id } = await workspaces.create({ name: 'Team' }, founder.id);
  await Promise.all(members.map(([person, role]) => workspaces.addMember(id, person.id, role)));
  return id;
}

/** Creates records for any owner, as the routes would. */
export function recordMakers({ services }: TestApi) {
  const { database, accounts } = services;
  const execution = (owner: Owner, status: ExecutionRecord['status']): ExecutionRecord => {
    const model = 'embedded/assistant';
    const input = { model, settings: {}, source: { type: 'messages', messages: [{ role: 'user', content: 'Hi' }] } };
    const record = newExecution({ id: newId('job'), kind: 'chat.completion', owner, model, input });
    return { ...record, status, finished_at: status === 'queued' ? null : new Date() };
  };
  const insert = async (record: ExecutionRecord) => {
    await database.executions.insert(record);
    return record.id;
  };

  const response = async (owner: Owner, status: ExecutionRecord['status']) => {
    const input = { model: 'embedded/assistant', items: [], options: { background: true } };
    return responseId(await insert({ ...execution(owner, status), kind: 'response', input }));
  };

  const batch = async (owner: Owner, ended = false) => {
    const upload = { head: { kind: 'iris.image' }, items: [{ value: { body: { prompt: 'A sun' } }, chars: 30 }] };
    const staged = await stageBatch(database, { owner, agentId: null, apiKeyId: null, requestId: null, upload });
    const made = await staged.commit();
    if (!ended) return made.id;
    const finished_at = new Date();
    await database.batchItems.end(made.id, 1, [{ index: 0, status: 'cancelled', error: null, finished_at }]);
    const counts = { ...made.counts, waiting: 0, cancelled: 1 };
    await database.batches.finish(made, { status: 'completed', counts, ended_seq: 1, started_at: null });
    return made.id;
  };

  const turnOf = async (owner: Owner) => {
    const executionId = newId('job');
    const turn = await startTurn(database, owner, { message: 'One', executionId });
    const done = { content: 'Two', status: 'succeeded', usage: null, execution_id: executionId } as const;
    await database.messages.complete(owner, turn.assistant_message_id, done);
    await database.sessions.release(owner, turn.session_id, executionId);
    return turn;
  };
  const message = async (owner: Owner) => (await turnOf(owner)).user_message_id;

  const share = async (owner: Owner) => {
    const actor = { user_id: owner.user_id, key_id: null, address: null, request_id: null };
    const { session_id } = await turnOf(owner);
    return createShare(database, owner, session_id, {}, { actor, audit: accounts.audit });
  };

  return {
    answeredSession: async (owner: Owner) => (await turnOf(owner)).session_id,
    share: async (owner: Owner) => (await share(owner)).share.id,
    shareToken: async (owner: Owner) => (await share(owner)).token,
    folder: async (owner: Owner) => (await database.folders.create(owner, { name: 'Work' })).id,
    session: async (owner: Owner) =>
      (await database.sessions.create(owner, { title: 'Mine', pinned: false, starred: false, metadata: {} })).id,
    message,
    answer: async (owner: Owner) => (await turnOf(owner)).assistant_message_id,
    editedMessage: async (owner: Owner) => {
      const id = await message(owner);
      await editMessage(database, owner, id, { content: 'Edited', expected: null });
      return id;
    },
    replacedAnswer: async (owner: Owner) => {
      const { session_id, assistant_message_id: message_id } = await turnOf(owner);
      const executionId = newId('job');
      await regenerateTurn(database, owner, { message_id, executionId });
      await database.sessions.release(owner, session_id, executionId);
      return message_id;
    },
    queuedJob: (owner: Owner) => insert(execution(owner, 'queued')),
    waitingJob: (owner: Owner) => {
      const undecided = { decision: null, reason: null, user_id: null, decided_at: null };
      const approvals = [{ tool_call_id: 'call_1', name: 'mail', ...undecided }];
      const waiting = { approvals, approvals_expire_at: new Date(Date.now() + 3_600_000), finished_at: null };
      return insert({ ...execution(owner, 'requires_action'), ...waiting });
    },
    endedJob: (owner: Owner) => insert(execution(owner, 'failed')),
    queuedResponse: (owner: Owner) => response(owner, 'queued'),
    endedResponse: (owner: Owner) => response(owner, 'failed'),
    runningBatch: (owner: Owner) => batch(owner),
    endedBatch: (owner: Owner) => batch(owner, true),
    file: async (owner: Owner) => {
      const file = { purpose: 'user_data', expires_at: null };
      return fileIdOf((await services.assets.create({ owner, body: TINY_PNG, filename: 'tiny.png', file })).id);
    },
    fileBatch: async (owner: Owner) => {
      const files = { endpoint: '/v1/embeddings', input: newId('asset'), keep_s: null };
      const item = { id: 'one', kind: 'embedding', body: { input: 'Hi' }, kept: {} } as const;
      async function* lines(): AsyncGenerator<FileLine> {
        yield { number: 1, chars: 20, item };
      }
      const made = { agentId: null, apiKeyId: null, requestId: null, metadata: {}, files, lines: lines() };
      return publicBatchId((await createFileBatch(database, { owner, ...made })).id);
    },
    agent: async (owner: Owner) => {
      const id = newId('agent');
      const now = new Date();
      const empty = { instructions: null, model: null, temperature: null, voice: null };
      const record = { id, owner, name: 'Agent', ...empty, ...AGENT_WORK_DEFAULTS, knowledge_tags: [], fallbacks: [] };
      await database.agents.insert({ ...record, created_at: now, updated_at: now });
      return id;
    },
    prompt: async (owner: Owner) => {
      const id = newId('prompt');
      const now = new Date();
      await database.prompts.insert({ id, owner, name: 'Prompt', content: 'Hi', created_at: now, updated_at: now });
      return id;
    },
    mcpServer: async (owner: Owner) => {
      const id = newId('mcpServer');
      const now = new Date();
      const settings = {
        header_names: ['authorization'],
        allowed_tools: null,
        enabled: true,
        min_approval: 'never' as const,
      };
      const record = { id, owner, name: 'Server', url: 'http://127.0.0.1:1025/mcp', ...settings };
      await database.mcpServers.insert({ ...record, created_at: now, updated_at: now }, { authorization: 'Bearer x' });
      return id;
    },
    toolApi: async (owner: Owner) => {
      const id = newId('toolApi');
      const now = new Date();
      const auth = { type: 'bearer', name: null } as const;
      const address = { document_url: null, base_url: 'https://api.example.org/' };
      const record = {
        id,
        owner,
        name: 'API',
        ...address,
        auth,
        operations: [],
        warnings: [],
        enabled: true,
        min_approval: 'never' as const,
      };
      await database.toolApis.insert({ ...record, created_at: now, updated_at: now }, '[]', '{"type":"none"}');
      return id;
    },
    archiveUnit: async (owner: Owner) =>
      (await createUnit(services, owner, { content: 'Words', tags: [], metadata: {} })).id,
    entry: (owner: Owner) => knowledgeEntry(services, owner),
    failedEntry: async (owner: Owner) => {
      const id = await knowledgeEntry(services, owner);
      await database.knowledge.fail(owner, id, null, toErrorBody(new ChorusError('timeout', 'Too late.'), null));
      return id;
    },
    asset: async (owner: Owner) => (await services.assets.create({ owner, body: TINY_PNG, filename: 'tiny.png' })).id,
    delivery: async (owner: Owner) => {
      const execution_id = newId('job');
      const wish = { owner, event: 'execution.failed', url: 'https://hooks.test/?token=x', session_id: null } as const;
      await noteDelivery(database, { ...wish, subject: { execution_id } }, 60_000);
      return dependentId('webhookDelivery', execution_id);
    },
    user: async () => newId('user'),
    login: async ({ user_id }: Owner) => {
      const id = randomBytes(16).toString('base64url');
      const device = { address: null, user_agent: null };
      const expires_at = new Date(Date.now() + 60_000);
      await database.refreshTokens.open({ id, user_id, current_hash: 'x', expires_at, ...device });
      return idOfBytes('login', Buffer.from(id, 'base64url'));
    },
    apiKey: async ({ user_id }: Owner) =>
      (
        await accounts.apiKeys.create(
          NO_ACTOR,
          { id: user_id, operator: false },
          { name: 'test', permissions: ['read'] },
        )
      ).id,
  };
}

/** Creates an entry whose ingestion has not started. */
async function knowledgeEntry(
  { database, blobs, assets, knowledgeKeys: keys }: Services,
  owner: Owner,
): Promise<string> {
  const wanted = { metadata: {}, on_duplicate: 'create' } as const;
  const material = { type: 'text', content: 'Words', format: 'text' } as const;
  const plan = await planEntry({ database, blobs, assets, keys }, owner, { ...wanted, tags: [], material });
  return (await plan.begin(newId('job'))).input.entry_id;
}
