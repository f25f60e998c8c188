import OpenAI, { BadRequestError, NotFoundError, toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../test-api.ts';
import { freshPerson } from '../../test-people.ts';

let api: TestApi;
let client: OpenAI;
let stranger: OpenAI;

const clientOf = async () =>
  new OpenAI({ baseURL: `${api.url}/openai/v1`, apiKey: (await freshPerson(api)).fullKey, maxRetries: 0 });

beforeAll(async () => {
  api = await startTestApi();
  [client, stranger] = await Promise.all([clientOf(), clientOf()]);
});
afterAll(() => api.stop());

const upload = (name: string, text: string, more: Partial<OpenAI.FileCreateParams> = {}) =>
  toFile(Buffer.from(text), name).then((file) => client.files.create({ file, purpose: 'user_data', ...more }));

test('a file is stored, read back, and deleted', async () => {
  const file = await upload('notes.txt', 'Some notes.');
  expect(file).toEqual({
    id: expect.stringMatching(/^file-[0-9a-z]{26}$/),
    object: 'file',
    bytes: 11,
    created_at: expect.any(Number),
    filename: 'notes.txt',
    purpose: 'user_data',
    status: 'processed',
  });
  expect(await client.files.retrieve(file.id)).toEqual(file);
  const content = await client.files.content(file.id);
  expect([await content.text(), content.headers.get('content-type')]).toEqual(['Some notes.', 'text/plain']);
  for (const call of [
    () => stranger.files.retrieve(file.id),
    () => stranger.files.content(file.id),
    () => stranger.files.delete(file.id),
    () => client.files.retrieve('file-nope'),
  ])
    await expect(call()).rejects.toBeInstanceOf(NotFoundError);
  expect(await client.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true });
  await expect(client.files.retrieve(file.id)).rejects.toBeInstanceOf(NotFoundError);
  await expect(client.files.content(file.id)).rejects.toBeInstanceOf(NotFoundError);
});

test('a file is also an asset, but other assets are no files', async () => {
  const file = await upload('both.txt', 'Both.');
  const assetId = file.id.replace('file-', 'ast_');
  const owner = await ownerOf(client);
  expect(await api.services.assets.get(owner, assetId)).toMatchObject({ filename: 'both.txt', size_bytes: 5 });
  const { id } = await api.services.assets.create({ owner, body: Buffer.from('x'), filename: 'asset.txt' });
  await expect(client.files.retrieve(id.replace('ast_', 'file-'))).rejects.toBeInstanceOf(NotFoundError);
  const listed = await Array.fromAsync(client.files.list());
  expect(listed.map(({ filename }) => filename)).not.toContain('asset.txt');
});

test('lists files by purpose, in both orders, page by page', async () => {
  client = await clientOf();
  const made = [];
  for (const purpose of ['vision', 'assistants', 'batch', 'vision'] as const)
    made.push((await upload(`${purpose}.txt`, purpose, { purpose })).id);
  const idsOf = async (query: OpenAI.FileListParams) =>
    (await Array.fromAsync(client.files.list(query))).map(({ id }) => id);
  expect(await idsOf({})).toEqual(made.toReversed());
  expect(await idsOf({ order: 'asc', limit: 1 })).toEqual(made);
  expect(await idsOf({ limit: 3 })).toEqual(made.toReversed());
  expect(await idsOf({ purpose: 'vision', limit: 1 })).toEqual([made[3], made[0]]);
  const headers = { authorization: `Bearer ${client.apiKey}`, 'x-scope-type': null };
  const { data, ...page } = (await api.call('GET', '/openai/v1/files?limit=3', { headers })).body;
  expect(page).toEqual({ object: 'list', first_id: made[3], last_id: made[1], has_more: true });
  expect(data).toHaveLength(3);
  await expect(client.files.list({ after: 'file-nope' })).rejects.toBeInstanceOf(BadRequestError);
});

test('an expired file is gone', async () => {
  const file = await upload('short.txt', 'Short.', { expires_after: { anchor: 'created_at', seconds: 3_600 } });
  expect(file.expires_at).toBe(file.created_at + 3_600);
  expect(await client.files.retrieve(file.id)).toEqual(file);
  const { database } = api.services;
  const owner = await ownerOf(client);
  const past = { purpose: 'user_data', expires_at: new Date(Date.now() - 1) };
  await database.assets.setFile(owner, file.id.replace('file-', 'ast_'), past);
  await expect(client.files.retrieve(file.id)).rejects.toBeInstanceOf(NotFoundError);
  expect((await Array.fromAsync(client.files.list())).map(({ id }) => id)).not.toContain(file.id);
});

test.each([
  ['fine-tune', {}, 'purpose'],
  [undefined, {}, 'purpose'],
  ['batch', { 'expires_after[anchor]': 'last_active_at', 'expires_after[seconds]': '3600' }, 'expires_after.anchor'],
  ['batch', { 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '60' }, 'expires_after.seconds'],
])('refuses the purpose %s with %o, and stores nothing', async (purpose, more, param) => {
  const form = new FormData();
  form.set('file', new Blob(['refused']), 'refused.txt');
  if (purpose) form.set('purpose', purpose);
  for (const [name, value] of Object.entries(more)) form.set(name, value);
  const headers = { authorization: `Bearer ${client.apiKey}`, 'x-scope-type': null };
  const { status, body } = await api.call('POST', '/openai/v1/files', { body: form, headers });
  expect([status, body.error.type, body.error.param]).toEqual([400, 'invalid_request_error', param]);
  const { data } = await api.services.database.assets.list(await ownerOf(client), { limit: 100 });
  expect(data.map(({ filename }) => filename)).not.toContain('refused.txt');
});

async function ownerOf({ apiKey }: OpenAI) {
  const headers = { authorization: `Bearer ${apiKey}` };
  const { id } = (await api.call('GET', '/me', { headers })).body;
  return { scope: 'personal', user_id: id, workspace_id: null } as const;
}
