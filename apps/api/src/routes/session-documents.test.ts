import { ChorusError, newId, toErrorBody } from '@chorus/contract';
import { cancelledOutcome, settle } from '@chorus/executions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { publishChatModels } from '../test-chat.ts';
import { freshPerson, freshWorkspace, type Person } from '../test-people.ts';

let api: TestApi;
let maker: Person;
let admin: Person;
let workspace: string;
beforeAll(async () => {
  api = await startTestApi({ DEFAULT_MODEL: 'embedded/assistant' });
  await publishChatModels(api, ['embedded/assistant']);
  [maker, admin] = await Promise.all([freshPerson(api), freshPerson(api)]);
  workspace = await freshWorkspace(api, admin, [[maker, 'editor']]);
});
afterAll(() => api.stop());

const as = ({ token }: Person) => ({
  authorization: `Bearer ${token}`,
  'x-scope-type': 'workspace',
  'x-workspace-id': workspace,
  prefer: 'respond-async',
});
const call = (method: string, path: string, body?: object, person = maker) =>
  api.call(method, path, { ...(body && { body }), headers: as(person) });

const owner = () => ({ scope: 'workspace', user_id: maker.id, workspace_id: workspace }) as const;

/** Adds a document for a conversation. No worker processes it here. */
async function document(content = 'Words'): Promise<string> {
  const made = await call('POST', '/console/knowledge', { content, for_conversation: true });
  expect(made.body).toMatchObject({ status: 'processing', session_ids: [] });
  return made.body.id;
}

async function send(body: object) {
  const sent = await call('POST', '/chat/completions', { message: 'Hi', ...body });
  if (sent.status !== 200) return sent;
  await settle(api.services.database, { owner: owner(), id: sent.body.id, attempt: null, outcome: cancelledOutcome() });
  return sent;
}

const statusOf = async (id: string, person = maker) =>
  (await call('GET', `/console/knowledge/${id}`, undefined, person)).status;

test('limits a document to its creator and its conversation', async () => {
  const id = await document();
  const [listed] = [await call('GET', '/console/knowledge')];
  expect([listed.body.data, listed.body.counts.total]).toEqual([[], 0]);
  expect([await statusOf(id), await statusOf(id, admin)]).toEqual([200, 404]);
  for (const [method, path] of [
    ['DELETE', ''],
    ['GET', '/chunks'],
    ['PATCH', ''],
  ] as const)
    expect(
      (await call(method, `/console/knowledge/${id}${path}`, method === 'PATCH' ? { title: 'x' } : undefined, admin))
        .status,
    ).toBe(404);
  const other = await call('POST', '/chat/completions', { message: 'Hi', attachments: [id] }, admin);
  expect(other.body.error.details).toEqual([{ path: 'body.attachments.0', message: 'is not a document of yours' }]);

  const { session_id } = (await send({ attachments: [id] })).body;
  const [message] = (await call('GET', `/sessions/${session_id}/messages`)).body.data;
  expect(message.attachments).toEqual([id]);
  const documents = await call('GET', `/console/knowledge?session_id=${session_id}`);
  expect(documents.body).toMatchObject({ data: [{ id, session_ids: [session_id] }], counts: { total: 1 } });
  const foreign = await call('GET', `/console/knowledge?session_id=${session_id}`, undefined, admin);
  expect(foreign.body.data).toEqual([]);
});

test('keeps the file of a document from other members, too', async () => {
  const form = new FormData();
  form.append('file', new File(['# Plan'], 'plan.md', { type: 'text/markdown' }));
  form.append('for_conversation', 'true');
  const made = await api.call('POST', '/console/knowledge/upload', { body: form, headers: as(maker) });
  const { asset_id } = made.body.source;
  const seen = async (person: Person) => {
    const { data } = (await call('GET', '/assets', undefined, person)).body;
    const { status } = await call('GET', `/assets/${asset_id}`, undefined, person);
    return [data.some(({ id }: { id: string }) => id === asset_id), status];
  };
  expect([await seen(maker), await seen(admin)]).toEqual([
    [true, 200],
    [false, 404],
  ]);
});

test('refuses documents that are shared, unknown, or unreadable, and takes the same content twice', async () => {
  const shared = (await call('POST', '/console/knowledge', { content: 'Shared' })).body.id;
  const failed = await document('Shared');
  const error = toErrorBody(new ChorusError('invalid_request', 'It is encrypted.'), null);
  await api.services.database.knowledge.fail(owner(), failed, null, error);
  const { status, body } = await send({ attachments: [shared, newId('knowledge'), failed] });
  expect(status).toBe(400);
  expect(body.error.details.map(({ message }: { message: string }) => message)).toEqual([
    expect.stringContaining('is shared by the scope'),
    'is not a document of yours',
    'could not be read: It is encrypted. Retry it, or leave it out',
  ]);
  expect(await document('Shared')).not.toBe(await document('Shared'));
});

test('a refused turn leaves its documents unused', async () => {
  const { session_id } = (await send({})).body;
  await call('POST', '/chat/completions', { message: 'Hi', session_id });
  const id = await document();
  expect((await call('POST', '/chat/completions', { message: 'Hi', session_id, attachments: [id] })).status).toBe(409);
  expect((await call('GET', `/console/knowledge/${id}`)).body.session_ids).toEqual([]);
});

test('deletes a document with the last conversation that uses it', async () => {
  const [kept, gone] = [await document('One'), await document('Two')];
  const { session_id } = (await send({ attachments: [kept] })).body;
  const { message_id } = (await send({ attachments: [gone], session_id })).body;
  const fork = (await call('POST', `/sessions/${session_id}/fork`, {})).body.id;
  expect((await call('GET', `/console/knowledge/${kept}`)).body.session_ids.sort()).toEqual([session_id, fork].sort());

  await call('DELETE', `/sessions/${fork}`);
  expect([await statusOf(kept), await statusOf(gone)]).toEqual([200, 200]);
  const messages = (await call('GET', `/sessions/${session_id}/messages`)).body.data;
  const question = messages[messages.findIndex(({ id }: { id: string }) => id === message_id) - 1];
  await call('DELETE', `/messages/${question.id}`);
  expect([await statusOf(kept), await statusOf(gone)]).toEqual([200, 404]);
  await call('DELETE', `/sessions/${session_id}`);
  expect(await statusOf(kept)).toBe(404);
});
