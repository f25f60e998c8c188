import { randomUUID } from 'node:crypto';
import { newId, type Owner } from '@chorus/contract';
import { TINY_PNG } from '@chorus/testing';
import { type Collection, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSecondApi, startTestApi, type TestApi } from '../test-api.ts';
import { publishModels } from '../test-chat.ts';

let api: TestApi;
let client: MongoClient;
let executions: Collection<{ _id: string; retried_as?: string; retried_at?: Date; finished_at?: Date; input?: string }>;

beforeAll(async () => {
  api = await startTestApi();
  await publishModels(api, 'media', { 'embedded/canvas': ['image'], 'embedded/canvas-video': ['video'] });
  await publishModels(api, 'vision', { 'embedded/ocr': ['ocr'] });
});
beforeAll(async () => {
  client = await new MongoClient(api.store.uri).connect();
  executions = client.db().collection('executions');
});
afterAll(async () => {
  await client.close();
  await api.stop();
});

let owner: Owner;
beforeAll(async () => {
  const { id: user_id } = (await api.call('GET', '/me')).body;
  owner = { scope: 'personal', user_id, workspace_id: null };
});

const now = { headers: { prefer: 'respond-async' } };
const paths = (answer: { body: { error: { details: { path: string }[] } } }) =>
  answer.body.error.details.map(({ path }) => path);

test('queues a request with a chosen model and its metadata', async () => {
  const body = { prompts: ['a sun', 'a moon'], n: 2, size: '256x128', seed: 7, metadata: { order: '12' } };
  const answer = await api.call('POST', '/iris/generate', { body, ...now });
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    object: 'execution',
    kind: 'iris.image',
    surface: 'iris',
    status: 'queued',
    model: 'embedded/canvas',
    provider: 'embedded',
    output: [],
    metadata: { order: '12' },
  });
  const film = await api.call('POST', '/iris/video', { body: { prompt: 'waves' }, ...now });
  expect(film.body).toMatchObject({ kind: 'iris.video', model: 'embedded/canvas-video' });
  const page = await api.call('POST', '/iris/ocr', { body: { url: 'https://example.org/a.pdf' }, ...now });
  expect(page.body).toMatchObject({ kind: 'iris.ocr', model: 'embedded/ocr' });
  const check = await api.call('POST', '/iris/verify', { body: { url: 'https://example.org/a.png' }, ...now });
  expect(check.body).toMatchObject({ kind: 'iris.verify', model: null });
  const jobs = await api.call('GET', '/jobs?limit=100');
  const subjects = new Map(jobs.body.data.map(({ id, subject }: Record<string, string>) => [id, subject]));
  expect([answer, film, page].map(({ body }) => subjects.get(body.id))).toEqual([
    'a sun',
    'waves',
    'https://example.org/a.pdf',
  ]);
});

test.each([
  [{}, 'body.prompt'],
  [{ prompt: 'a', prompts: ['b'] }, 'body.prompt'],
  [{ prompt: 'a', n: 11 }, 'body.n'],
  [{ prompt: 'a', size: '16x16' }, 'body.size'],
  [{ prompt: 'a', size: 'large' }, 'body.size'],
  [{ prompt: 'a', seed: -1 }, 'body.seed'],
  [{ prompt: '  ' }, 'body.prompt'],
  [{ prompt: 'a', model: 'canvas' }, 'body.model'],
  [{ prompt: 'a', model: 'embedded/none' }, 'body.model'],
  [{ prompt: 'a', reference_asset_ids: ['ast_1'] }, 'body.reference_asset_ids.0'],
  [{ prompt: 'a', reference_asset_ids: [newId('asset')] }, 'body.reference_asset_ids.0'],
  [{ prompt: 'a', webhook_url: 'file:///etc/passwd' }, 'body.webhook_url'],
])('refuses images of %j at %s', async (body, path) => {
  const answer = await api.call('POST', '/iris/generate', { body, ...now });
  expect([answer.status, paths(answer)]).toEqual([400, [path]]);
});

test.each([
  ['/iris/ocr', {}, 'body.asset_id'],
  ['/iris/ocr', { asset_id: newId('asset'), url: 'https://example.org/' }, 'body.asset_id'],
  ['/iris/ocr', { url: 'https://example.org/a.pdf', pages: 'all' }, 'body.pages'],
  ['/iris/ocr', { url: 'https://example.org/a.pdf', pages: '0' }, 'body.pages'],
  ['/iris/ocr', { url: 'https://example.org/a.pdf', pages: '1,7-3' }, 'body.pages'],
  ['/iris/ocr', { url: 'https://example.org/a.pdf', languages: ['english'] }, 'body.languages.0'],
  ['/iris/ocr', { asset_id: newId('asset') }, 'body.asset_id'],
  ['/iris/verify', { url: 'gopher://example.org' }, 'body.url'],
  ['/iris/ocr', { url: 'http://[::1]:6379/' }, 'body.url'],
  ['/iris/video', { prompt: 'a', duration_s: 600 }, 'body.duration_s'],
])('%s of %j is refused at %s', async (path, body, at) => {
  const answer = await api.call('POST', path, { body, ...now });
  expect([answer.status, paths(answer)]).toEqual([400, [at]]);
});

test('accepts a file with the request, which becomes an asset of the scope', async () => {
  const form = (fields: Record<string, string>) => {
    const all = new FormData();
    for (const [name, value] of Object.entries(fields)) all.append(name, value);
    all.append('file', new Blob([TINY_PNG]), 'page.png');
    return all;
  };
  const before = (await api.call('GET', '/assets')).body.data.length;
  const key = { 'idempotency-key': newId('job') };
  const fields = { languages: '["eng","deu"]', pages: '1-2', metadata: '{"order":"12"}' };
  const read = () => api.call('POST', '/iris/ocr', { body: form(fields), headers: { ...now.headers, ...key } });
  const first = await read();
  expect([first.status, first.body.kind, first.body.metadata]).toEqual([200, 'iris.ocr', { order: '12' }]);
  const [asset, ...others] = (await api.call('GET', '/assets')).body.data;
  expect([asset.filename, others.length]).toEqual(['page.png', before]);
  const { input } = (await api.services.database.executions.get(owner, first.body.id)) ?? {};
  expect(input).toMatchObject({
    source: { type: 'asset', asset_id: asset.id },
    languages: ['eng', 'deu'],
    pages: '1-2',
  });

  // The repeated request joins it, and leaves no second asset.
  expect((await read()).body.id).toBe(first.body.id);
  const one = await api.call('POST', '/iris/verify', { body: form({ prompt: 'a cat', expected_text: '42' }), ...now });
  expect([one.status, one.body.error?.details]).toEqual([200, undefined]);
  for (const [given, path] of [
    [{ asset_id: asset.id }, 'body.asset_id'],
    [{ url: 'https://example.org/a.png' }, 'body.asset_id'],
    [{ model: 'embedded/none' }, 'body.model'],
    [{ colour: 'red' }, 'body.colour'],
  ] as const) {
    const refused = await api.call('POST', '/iris/ocr', { body: form(given), ...now });
    expect([refused.status, paths(refused)]).toEqual([400, [path]]);
  }
  expect((await api.call('GET', '/assets')).body.data.length).toBe(before + 2);
  expect(await api.services.assets.sweep(new Date(Date.now() + 60_000))).toBe(0);
});

test('a cancelled execution can be retried with the same input', async () => {
  const body = { prompt: 'a sun', seed: 3 };
  const { body: first } = await api.call('POST', '/iris/generate', { body, ...now });
  const cancelled = await api.call('POST', `/jobs/${first.id}/cancel`, { body: {} });
  expect(cancelled.body.status).toBe('cancelled');
  const again = await api.call('POST', `/jobs/${first.id}/retry`, { body: {}, ...now });
  expect(again.body).toMatchObject({ kind: 'iris.image', status: 'queued', retry_of: first.id, model: first.model });
});

test('simultaneous retries on two processes are one; after it has ended, the next one is new', async () => {
  const other = await startSecondApi(api);
  try {
    const { body: first } = await api.call('POST', '/iris/generate', { body: { prompt: 'a moon' }, ...now });
    await api.call('POST', `/jobs/${first.id}/cancel`, { body: {} });
    const retry = (from: Pick<TestApi, 'call'>, headers = {}) =>
      from.call('POST', `/jobs/${first.id}/retry`, { body: {}, headers: { ...now.headers, ...headers } });
    const answers = await Promise.all([retry(api), retry(other), retry(api), retry(other), retry(api)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const [id, ...more] = new Set(answers.map(({ body }) => body.id));
    expect(more).toEqual([]);
    const { body: jobs } = await api.call('GET', '/jobs?limit=100');
    expect(jobs.data.filter((job: { retry_of: string }) => job.retry_of === first.id)).toHaveLength(1);

    // Later requests get the same retry while it runs. One that joins is repeated with its key.
    const key = { 'idempotency-key': randomUUID() };
    for (let time = 0; time < 2; time += 1) expect((await retry(api, key)).body.id).toBe(id);

    await api.call('POST', `/jobs/${id}/cancel`, { body: {} });
    const next = await retry(api);
    expect(next.body).toMatchObject({ status: 'queued', retry_of: first.id });
    expect(next.body.id).not.toBe(id);
  } finally {
    await other.stop();
  }
});

test('the next request starts a retry whose process died; a refused retry leaves no claim', async () => {
  const { body: first } = await api.call('POST', '/iris/generate', { body: { prompt: 'a star' }, ...now });
  await api.call('POST', `/jobs/${first.id}/cancel`, { body: {} });
  const lost = { retried_as: newId('job'), retried_at: new Date(Date.now() - 60_000) };
  await executions.updateOne({ _id: first.id }, { $set: lost });
  await executions.updateOne({ _id: first.id }, { $set: { input: JSON.stringify({ prompt: 1 }) } });
  expect((await api.call('POST', `/jobs/${first.id}/retry`, { body: {}, ...now })).status).toBeGreaterThanOrEqual(400);
  expect((await executions.findOne({ _id: first.id }))?.retried_as).toBeUndefined();
});
