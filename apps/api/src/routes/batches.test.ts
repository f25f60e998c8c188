import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, get as open, request } from 'node:http';
import { newId } from '@chorus/contract';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type CallOptions, startTestApi, type TestApi } from '../test-api.ts';
import { startBatchWorkers } from '../test-batch-workers.ts';

let api: TestApi;
let workers: Awaited<ReturnType<typeof startBatchWorkers>>;

beforeAll(async () => {
  api = await startTestApi({ BATCH_LIMIT_BYTES: '200000', BATCH_UPLOAD_LIMIT_BYTES: '400000' });
  workers = await startBatchWorkers(api);
});
afterAll(async () => {
  await workers?.stop();
  await api?.stop();
});

const image = (prompt: string, over: object = {}) => ({ body: { prompt }, ...over });
const head = { kind: 'iris.image', defaults: { size: '64x64' }, metadata: { order: '7' } };
const create = (items: unknown[], over: object = {}, options: CallOptions = {}) =>
  api.call('POST', '/batches', { body: { ...head, items, ...over }, ...options });
const ndjson = (lines: unknown[], headers: CallOptions['headers'] = {}) =>
  api.call('POST', '/batches', {
    body: lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
    headers: { 'content-type': 'application/x-ndjson', ...headers },
  });
const get = async (path: string) => (await api.call('GET', path)).body;
const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

async function ended(id: string) {
  for (;;) {
    const batch = await get(`/batches/${id}`);
    if (batch.finished_at !== null) return batch;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const total = async () => (await get('/batches?limit=100')).data.length;

test('from creation to results', async () => {
  const created = await create([
    image('sun', { id: 'sun' }),
    image('fail'),
    image('moon after {{sun.output.0.text}}', { after: ['sun'] }),
  ]);
  expect(created.status).toBe(200);
  const { id } = created.body;
  expect(created.body).toMatchObject({
    object: 'batch',
    kind: 'iris.image',
    status: 'running',
    counts: { total: 3, waiting: 3, succeeded: 0 },
    progress: { completed: 0, total: 3 },
    webhook_url: null,
    metadata: { order: '7' },
    finished_at: null,
    urls: { self: `${api.url}/api/v1/batches/${id}`, results: `${api.url}/api/v1/batches/${id}/results` },
  });
  const batch = await ended(id);
  expect(batch).toMatchObject({
    status: 'completed',
    counts: {
      total: 3,
      waiting: 0,
      queued: 0,
      running: 0,
      requires_action: 0,
      succeeded: 2,
      failed: 1,
      cancelled: 0,
      skipped: 0,
      expired: 0,
    },
    progress: { completed: 3, total: 3 },
  });
  expect((await get('/batches?limit=1')).data).toEqual([batch]);
  expect((await get('/batches?status=cancelling')).data).toEqual([]);

  const items = await get(`/batches/${id}/items?limit=2`);
  expect(items).toMatchObject({
    has_more: true,
    data: [
      { id: 'sun', object: 'batch.item', index: 0, kind: 'iris.image', status: 'succeeded', after: [], error: null },
      { id: '1', index: 1, status: 'failed', error: { code: 'provider_error' } },
    ],
  });
  const rest = await get(`/batches/${id}/items?after=${items.next_cursor}`);
  expect(rest.data.map((item: { id: string }) => item.id)).toEqual(['2']);
  expect((await get(`/batches/${id}/items?status=failed`)).data).toHaveLength(1);

  const answer = await api.call('GET', `/batches/${id}/results`);
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  const results = linesOf(answer.body);
  expect(results.map((line) => line.index).sort()).toEqual([0, 1, 2]);
  const last = results.find((line) => line.index === 2);
  expect(last).toMatchObject({
    item_id: '2',
    status: 'succeeded',
    execution: {
      object: 'execution',
      batch_id: id,
      output: [{ type: 'text', text: 'drawn: moon after drawn: sun' }],
      urls: { self: expect.stringContaining('/jobs/job_') },
    },
  });
  expect(results.find((line) => line.index === 1)).toMatchObject({
    status: 'failed',
    error: { code: 'provider_error' },
  });
  const after = linesOf(await get(`/batches/${id}/results?after=${results[0].cursor}`));
  expect(after).toEqual(results.slice(1).map((line) => ({ ...line, execution: expect.anything() })));
  const jobs = await get(`/jobs?batch_id=${id}`);
  expect(jobs.data).toHaveLength(3);
  const alone = await get('/jobs?standalone=true&mine=true&limit=100');
  expect(alone.data.filter(({ batch_id }: { batch_id: string | null }) => batch_id !== null)).toEqual([]);
});

test('as NDJSON: the same, with defaults', async () => {
  const { status, body } = await ndjson([head, '', image('one'), `${JSON.stringify(image('two'))}\r`, '']);
  expect([status, body.counts?.total, body.metadata]).toEqual([200, 2, { order: '7' }]);
  const batch = await ended(body.id);
  expect(batch.counts.succeeded).toBe(2);
});

describe('reports what is wrong, and stores nothing', () => {
  test.each([
    [[image('a'), image('')], 'body.items.1.body.prompt'],
    [[image('a', { colour: 1 })], 'body.items.0.colour'],
    [[image('a', { after: ['z'] })], 'body.items.0.after.0'],
    [[], 'body.items'],
    ['none', 'body.items'],
  ])('%j', async (items, path) => {
    const before = await total();
    const json = await create(items as unknown[]);
    expect([json.status, json.body.error.code]).toEqual([400, items === 'none' ? 'invalid_json' : 'invalid_request']);
    if (items !== 'none') {
      expect(json.body.error.details[0].path).toBe(path);
      const lines = await ndjson([head, ...items]);
      expect([lines.status, lines.body.error.details[0].path]).toEqual([400, path]);
    }
    expect(await total()).toBe(before);
  });

  test('checks kinds and sizes', async () => {
    const before = await total();
    const type = { headers: { 'content-type': 'text/plain' } };
    expect((await create([image('a')], {}, type)).status).toBe(415);
    const long = image('x'.repeat(30_000));
    expect((await create(Array.from({ length: 8 }, () => long))).status).toBe(413);
    expect((await ndjson([head, ...Array.from({ length: 20 }, () => long)])).status).toBe(413);
    expect(await ndjson([head, '{"body":'])).toMatchObject({ status: 400, body: { error: { code: 'invalid_json' } } });
    expect((await ndjson([head, image('a'), '{"id": "\\ud800"}'])).body.error.message).toContain('Line 3');
    expect((await create([image('a')], { webhook_url: 'http://127.0.0.1/x' })).body.error.details[0].path).toBe(
      'body.webhook_url',
    );
    expect((await api.call('POST', '/batches')).status).toBe(415);
    expect(await total()).toBe(before);
  });

  test('is unknown in another scope, like one that never existed', async () => {
    const { body } = await create([image('a')]);
    const elsewhere = { headers: { 'x-scope-type': 'workspace', 'x-workspace-id': randomUUID() } };
    expect((await api.call('GET', `/batches/${body.id}`, elsewhere)).status).toBe(403);
    for (const path of ['', '/items', '/results', '/events'])
      expect((await api.call('GET', `/batches/${newId('batch')}${path}`)).status).toBe(404);
    for (const action of ['cancel', 'retry'])
      expect((await api.call('POST', `/batches/${newId('batch')}/${action}`, { body: {} })).status).toBe(404);
    expect((await api.call('GET', `/batches/${body.id}/results?after=x`)).body.error.details[0].path).toBe(
      'query.after',
    );
    expect((await api.call('POST', `/batches/${(await ended(body.id)).id}/retry`, { body: {} })).body.error.code).toBe(
      'job_not_retryable',
    );
  });
});

describe('expires_at', () => {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

  test('is 24 hours from now by default, or as requested', async () => {
    const before = Date.now();
    const { body: usual } = await create([image('sun')]);
    expect(Date.parse(usual.expires_at)).toBeGreaterThanOrEqual(before + 86_400_000);
    expect(Date.parse(usual.expires_at) - Date.parse(usual.created_at)).toBe(86_400_000);
    const expires_at = inHours(7 * 24 - 1);
    expect((await create([image('sun')], { expires_at })).body.expires_at).toBe(expires_at);
    const lines = await ndjson([{ ...head, expires_at: '2000-01-01T12:00:00+02:00' }, image('sun')]);
    expect(lines.status).toBe(400);
    expect((await ndjson([{ ...head, expires_at }, image('sun')])).body.expires_at).toBe(expires_at);
  });

  test.each([
    ['in the past', inHours(-1), 'must be in the future, at most 7 days from now'],
    ['too late', inHours(7 * 24 + 1), 'must be in the future, at most 7 days from now'],
    ['not a time', 'tomorrow', 'must be a time such as 2026-01-31T18:00:00Z'],
  ])('is refused if it is %s', async (_, expires_at, message) => {
    const before = await total();
    const { status, body } = await create([image('sun')], { expires_at });
    expect([status, body.error.details]).toEqual([400, [{ path: 'body.expires_at', message }]]);
    expect(await total()).toBe(before);
  });

  test('ends items that have not started, which a retry runs', async () => {
    const hold = `hold ${randomUUID()}`;
    const expires_at = new Date(Date.now() + 1_500).toISOString();
    // At most half of them find a place.
    const { body } = await create(
      Array.from({ length: 40 }, () => image(hold)),
      { expires_at },
    );
    const isOver = async () => {
      const { counts } = await get(`/batches/${body.id}`);
      return counts.expired > 0 && counts.waiting + counts.queued === 0;
    };
    await expect.poll(isOver, { timeout: 40_000 }).toBe(true);
    workers.letGo(hold);
    const first = await ended(body.id);
    const { expired } = first.counts;
    expect(first).toMatchObject({ status: 'completed', expires_at, counts: { succeeded: 40 - expired } });
    expect(expired).toBeGreaterThanOrEqual(20);
    const { data } = await get(`/batches/${body.id}/items?status=expired&limit=1`);
    expect(data).toMatchObject([{ status: 'expired', error: { code: 'expired', status: 409 } }]);
    const results = linesOf((await api.call('GET', `/batches/${body.id}/results`)).body);
    const late = results.filter(({ status }) => status === 'expired');
    expect(late).toHaveLength(expired);
    for (const { execution } of late)
      if (execution !== null) expect(execution).toMatchObject({ status: 'cancelled', error: { code: 'expired' } });

    const before = Date.now();
    const { body: retried } = await api.call('POST', `/batches/${body.id}/retry`, { body: {} });
    // As much time again, which may be short here.
    expect(Date.parse(retried.expires_at)).toBeGreaterThan(before + 1_000);
    await ended(body.id);
  });
});

test('is created once with an Idempotency-Key, also as NDJSON', async () => {
  for (const make of [
    (prompt: string, headers: Record<string, string>) => create([image(prompt)], {}, { headers }),
    (prompt: string, headers: Record<string, string>) => ndjson([head, image(prompt)], headers),
  ]) {
    const key = { 'idempotency-key': randomUUID() };
    const before = await total();
    const [first, second, third] = await Promise.all([make('sun', key), make('sun', key), make('sun', key)]);
    const made = [first, second, third].filter(({ status }) => status === 200);
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
    const again = await make('sun', key);
    expect([again.status, again.body.id]).toEqual([200, made[0]?.body.id]);
    expect(await make('moon', key)).toMatchObject({ status: 422, body: { error: { code: 'idempotency_mismatch' } } });
    expect(await total()).toBe(before + 1);
  }
  const abandoned = await api.services.database.batches.listAbandoned(new Date(Date.now() + 60_000), 99);
  expect(abandoned).toEqual([]);
});

describe('while it runs', () => {
  /** Reads a stream until `enough`, or to its end. */
  async function read(path: string, enough: (text: string) => boolean = () => false): Promise<string> {
    const response = await fetch(`${api.url}/api/v1${path}`, {
      headers: { authorization: `Bearer ${api.accessToken}`, 'x-scope-type': 'personal' },
    });
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (enough(text)) break;
    }
    return text;
  }
  const frames = (text: string) =>
    [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => (data === '[DONE]' ? data : JSON.parse(data)));

  test('can be followed: its counts, and its results as they arrive', async () => {
    const { body } = await create([image('hold'), ...Array.from({ length: 30 }, (_, index) => image(`sun ${index}`))]);
    const events = read(`/batches/${body.id}/events`);
    const results = read(`/batches/${body.id}/results?follow=true`);
    const some = await read(
      `/batches/${body.id}/results?follow=true`,
      (text) => linesOf(text.slice(0, text.lastIndexOf('\n'))).length >= 30,
    );
    expect(some).not.toContain('drawn: hold');
    const seen = frames(
      await read(`/batches/${body.id}/events`, (text) => /"running":1,"requires_action":0,"succeeded":30/.test(text)),
    );
    expect(seen.at(-1)).toMatchObject({
      type: 'batch.progress',
      batch: { id: body.id, counts: { succeeded: 30, running: 1 } },
    });
    workers.letGo('hold');
    const all = frames(await events);
    expect(all.at(-1)).toBe('[DONE]');
    expect(all.at(-2)).toMatchObject({
      type: 'batch.completed',
      batch: { status: 'completed', counts: { succeeded: 31 } },
    });
    expect(all.slice(0, -2).every(({ type }) => type === 'batch.progress')).toBe(true);
    const lines = linesOf(await results);
    expect(lines.map(({ index }) => index).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 31 }, (_, index) => index),
    );
    expect(lines.at(-1).index).toBe(0);
    expect(frames(await read(`/batches/${body.id}/events`)).map((frame) => frame.type ?? frame)).toEqual([
      'batch.completed',
      '[DONE]',
    ]);
  });

  test('can be cancelled, and retried', async () => {
    const others = [image('hold back'), ...Array.from({ length: 40 }, () => image('moon'))];
    const { body } = await create([image('sun'), image('fail'), ...others]);
    const cancelled = await api.call('POST', `/batches/${body.id}/cancel`, { body: {} });
    expect([cancelled.status, ['cancelling', 'cancelled'].includes(cancelled.body.status)]).toEqual([200, true]);
    const first = await ended(body.id);
    expect(first.status).toBe('cancelled');
    expect(first.counts.succeeded + first.counts.cancelled + first.counts.failed).toBe(43);
    workers.letGo('hold back');
    expect((await api.call('POST', `/batches/${body.id}/cancel`, { body: {} })).body.status).toBe('cancelled');
    const retry = () => api.call('POST', `/batches/${body.id}/retry`, { body: {} });
    const answers = await Promise.all([retry(), retry(), retry()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const second = await ended(body.id);
    expect(second).toMatchObject({ status: 'completed', counts: { succeeded: 42, failed: 1, cancelled: 0 } });
    expect(linesOf(await read(`/batches/${body.id}/results`))).toHaveLength(43);
    // Simultaneous requests were one retry: each item ran once more.
    const { body: jobs } = await api.call('GET', `/jobs?batch_id=${body.id}&limit=100`);
    const retried = jobs.data.flatMap(({ retry_of }: { retry_of: string | null }) => retry_of ?? []);
    expect(new Set(retried).size).toBe(retried.length);
  });
});

test('a client that disconnects or sends too slowly leaves nothing', async () => {
  const { database } = api.services;
  const making = () => database.batches.listAbandoned(new Date(Date.now() + 60_000), 99);
  const sending = request(`${api.url}/api/v1/batches`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${api.accessToken}`,
      'x-scope-type': 'personal',
      'content-type': 'application/x-ndjson',
    },
  });
  sending.on('error', () => undefined);
  sending.write(`${JSON.stringify(head)}\n${JSON.stringify(image('sun'))}\n`);
  while ((await making()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  sending.destroy();
  while ((await making()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
});

test('waits for slow clients of results, and reads no further', async () => {
  const COUNT = 2_000;
  const { database } = api.services;
  const { body: made } = await create(Array.from({ length: COUNT }, () => image('hold')));
  await api.call('POST', `/batches/${made.id}/cancel`, { body: {} });
  const owner = { scope: 'personal', user_id: (await get('/me')).id, workspace_id: null } as const;
  expect((await ended(made.id)).progress.completed).toBe(COUNT);
  const [some] = (await database.executions.list(owner, { limit: 1 })).data;
  if (!some) throw new Error('nothing was executed');
  // As if each item had run and returned 20 KB.
  const { getMany } = database.executions;
  const { listEnded } = database.batchItems;
  let read = 0;
  database.executions.getMany = async () => {
    read += 20;
    return [{ ...some, output: [{ type: 'text', text: 'x'.repeat(20_000) }] }];
  };
  database.batchItems.listEnded = async (...args) =>
    (await listEnded(...args)).map((item) => ({ ...item, execution_id: some.id }));
  onTestFinished(() => {
    Object.assign(database.executions, { getMany });
    Object.assign(database.batchItems, { listEnded });
  });
  const headers = { authorization: `Bearer ${api.accessToken}`, 'x-scope-type': 'personal' };
  const asking = open(`${api.url}/api/v1/batches/${made.id}/results`, { headers });
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  for (let before = -1; before !== read; ) {
    before = read;
    await new Promise((again) => setTimeout(again, 200));
  }
  expect(read).toBeLessThan(COUNT / 2);
  let lines = 0;
  for await (const chunk of answer.setEncoding('utf8')) lines += String(chunk).split('\n').length - 1;
  expect([lines, read]).toEqual([COUNT, COUNT]);
});
