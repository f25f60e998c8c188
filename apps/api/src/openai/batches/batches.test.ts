import type { Owner } from '@chorus/contract';
import { BATCHES_CHANNEL } from '@chorus/events';
import { MongoClient } from 'mongodb';
import OpenAI, { BadRequestError, ConflictError, NotFoundError, toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runFileBatches } from '../../test-file-batches.ts';
import { freshPerson } from '../../test-people.ts';
import { startWorkersApi, type TestWorkersApi } from '../../test-workers.ts';

let api: TestWorkersApi;
let client: OpenAI;
let stop: () => Promise<void>;

beforeAll(async () => {
  api = await startWorkersApi({ models: ['words-3', 'echo', 'call-weather', 'refuse', 'words-embedding'] });
  stop = await runFileBatches(api);
  client = new OpenAI({ baseURL: `${api.url}/openai/v1`, apiKey: (await freshPerson(api)).fullKey, maxRetries: 0 });
});
afterAll(async () => {
  await stop?.();
  await api?.stop();
});

const CHAT = '/v1/chat/completions';
const EMBEDDINGS = '/v1/embeddings';
const RESPONSES = '/v1/responses';
type Endpoint = typeof CHAT | typeof EMBEDDINGS | typeof RESPONSES;

const line = (custom_id: string, url: string, body: object) => JSON.stringify({ custom_id, method: 'POST', url, body });
const chat = (custom_id: string, model: string, content = 'Hello', more: object = {}) =>
  line(custom_id, CHAT, { model, messages: [{ role: 'user', content }], ...more });

async function create(
  lines: readonly string[],
  endpoint: Endpoint = CHAT,
  more: Partial<OpenAI.BatchCreateParams> = {},
) {
  const file = await client.files.create({
    file: await toFile(Buffer.from(lines.join('\n')), 'in.jsonl'),
    purpose: 'batch',
  });
  return client.batches.create({ input_file_id: file.id, endpoint, completion_window: '24h', ...more });
}

async function settled({ id }: OpenAI.Batch, statuses = ['completed', 'failed', 'expired', 'cancelled']) {
  await expect
    .poll(async () => statuses.includes((await client.batches.retrieve(id)).status), { timeout: 40_000 })
    .toBe(true);
  return client.batches.retrieve(id);
}

// biome-ignore lint/suspicious/noExplicitAny: lines of any shape
async function linesOf(id: string | undefined): Promise<any[]> {
  const text = await (await client.files.content(id ?? '')).text();
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one));
}

describe('a batch of chats', () => {
  test('ends with a file of answers, as the endpoint gives them, and one of errors', async () => {
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }];
    const made = await create(
      [
        chat('first', 'compatible/words-3'),
        chat('ünï códe #2', 'compatible/echo', 'Say this.', { seed: 1 }),
        '',
        chat('broken', 'compatible/refuse'),
        chat('tool', 'compatible/call-weather', 'Hi', { tools }),
        line('no messages', CHAT, { model: 'compatible/echo' }),
        chat('sessions', 'compatible/echo', 'Hi', { session_id: 'ses_1' }),
        chat('streamed', 'compatible/echo', 'Hi', { stream: true }),
        chat('no model', 'nowhere/model'),
      ],
      CHAT,
      { metadata: { run: '7' } },
    );
    expect(made).toEqual({
      id: expect.stringMatching(/^batch_[0-9a-z]{26}$/),
      object: 'batch',
      endpoint: CHAT,
      errors: null,
      input_file_id: expect.stringMatching(/^file-/),
      completion_window: '24h',
      status: 'in_progress',
      output_file_id: null,
      error_file_id: null,
      created_at: expect.any(Number),
      in_progress_at: expect.any(Number),
      expires_at: made.created_at + 86_400,
      finalizing_at: null,
      completed_at: null,
      failed_at: null,
      expired_at: null,
      cancelling_at: null,
      cancelled_at: null,
      request_counts: { total: 8, completed: 0, failed: 3 },
      metadata: { run: '7' },
    });
    const batch = await settled(made);
    expect(batch).toMatchObject({
      status: 'completed',
      request_counts: { total: 8, completed: 3, failed: 5 },
      finalizing_at: expect.any(Number),
      completed_at: expect.any(Number),
    });

    const output = await linesOf(batch.output_file_id);
    expect(output.map(({ custom_id }) => custom_id)).toEqual(['first', 'ünï códe #2', 'tool']);
    const direct = await client.chat.completions.create({
      model: 'compatible/echo',
      messages: [{ role: 'user', content: 'Say this.' }],
      seed: 1,
    });
    expect(output[1]).toEqual({
      id: `${made.id.replace('batch_', 'batch_req_')}_1`,
      custom_id: 'ünï códe #2',
      response: {
        status_code: 200,
        request_id: expect.stringMatching(/^job_/),
        body: { ...direct, id: expect.stringMatching(/^chatcmpl-/), created: expect.any(Number) },
      },
      error: null,
    });
    expect(output[2].response.body.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: null, tool_calls: [{ type: 'function', function: { name: 'weather' } }] },
    });

    const errors = await linesOf(batch.error_file_id);
    expect(errors.map(({ custom_id, error, response }) => [custom_id, error, response.status_code])).toEqual([
      ['broken', null, 400],
      ['no messages', null, 400],
      ['sessions', null, 400],
      ['streamed', null, 400],
      ['no model', null, 404],
    ]);
    const bodies = errors.map(({ response }) => response.body.error);
    expect(bodies.map(({ code, param }) => [code, param])).toEqual([
      ['content_refused', null],
      ['invalid_request', 'messages'],
      ['invalid_request', 'session_id'],
      ['invalid_request', 'stream'],
      ['model_not_found', 'model'],
    ]);
    for (const error of bodies) {
      expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type']);
      expect(error.message).not.toContain('items');
    }
    const files = await Array.fromAsync(client.files.list({ purpose: 'batch_output' }));
    expect(files.map(({ id, filename }) => [id, filename]).toSorted()).toEqual(
      [
        [batch.output_file_id, `${batch.id}_output.jsonl`],
        [batch.error_file_id, `${batch.id}_error.jsonl`],
      ].toSorted(),
    );
  });

  test('without failures has no file of errors, and keeps its output as long as asked', async () => {
    const output_expires_after = { anchor: 'created_at', seconds: 7_200 } as const;
    const batch = await settled(await create([chat('one', 'compatible/words-3')], CHAT, { output_expires_after }));
    expect([batch.status, batch.error_file_id]).toEqual(['completed', null]);
    const file = await client.files.retrieve(batch.output_file_id ?? '');
    expect((file.expires_at ?? 0) - file.created_at).toBeLessThanOrEqual(7_200);
    expect(file.expires_at).toBeGreaterThan(file.created_at + 7_100);
  });
});

test('a batch of embeddings answers as the endpoint does, in the encoding of each request', async () => {
  const model = 'compatible/words-embedding';
  const bodies = [{ input: 'one' }, { input: ['two', 'three'], encoding_format: 'base64' }, { input: [] }];
  const made = await create(
    bodies.map((body, at) => line(`e${at}`, EMBEDDINGS, { model, ...body })),
    EMBEDDINGS,
  );
  const batch = await settled(made);
  const headers = { authorization: `Bearer ${client.apiKey}`, 'x-scope-type': null };
  const direct = await Promise.all(
    bodies.map((body) => api.call('POST', '/openai/v1/embeddings', { body: { model, ...body }, headers })),
  );
  const output = await linesOf(batch.output_file_id);
  expect(output.map(({ response }) => response.body)).toEqual([direct[0]?.body, direct[1]?.body]);
  const [error] = await linesOf(batch.error_file_id);
  expect(error).toMatchObject({ custom_id: 'e2', response: { status_code: 400, body: direct[2]?.body } });
});

test('a batch of responses answers as the endpoint does', async () => {
  const model = 'compatible/echo';
  const bodies = [{ input: 'Say this.', instructions: 'Be brief.' }, { input: [] }, { input: 'x', stream: true }];
  const made = await create(
    bodies.map((body, at) => line(`r${at}`, RESPONSES, { model, ...body })),
    RESPONSES,
  );
  const batch = await settled(made);
  const headers = { authorization: `Bearer ${client.apiKey}`, 'x-scope-type': null };
  const ask = (body: object) => api.call('POST', '/openai/v1/responses', { body: { model, ...body }, headers });
  const [output, ...more] = await linesOf(batch.output_file_id);
  expect(more).toEqual([]);
  const { body } = output.response;
  expect(body.output[0].content[0].text).toBe('Say this.');
  const direct = (await ask(bodies[0] ?? {})).body;
  const [own] = body.output;
  const own_ids = { id: body.id, created_at: body.created_at, completed_at: body.completed_at };
  expect(body).toEqual({ ...direct, ...own_ids, output: [{ ...direct.output[0], id: own.id }] });
  const errors = await linesOf(batch.error_file_id);
  expect(errors.map(({ response }) => response.body.error.param)).toEqual(['input', 'stream']);
  expect(errors[0].response.body).toEqual((await ask(bodies[1] ?? {})).body);
});

describe('a file that is not a batch', () => {
  const good = chat('good', 'compatible/words-3');
  test('fails the batch with each problem and its line, and runs nothing', async () => {
    const asked = api.fake.requests.length;
    const batch = await create([
      good,
      '{"custom_id": "cut',
      '["no object"]',
      chat('good', 'compatible/words-3'),
      JSON.stringify({ method: 'POST', url: CHAT, body: {} }),
      JSON.stringify({ custom_id: 7, method: 'POST', url: CHAT, body: {} }),
      JSON.stringify({ custom_id: 'get', method: 'GET', url: CHAT, body: {} }),
      line('elsewhere', EMBEDDINGS, {}),
      JSON.stringify({ custom_id: 'text', method: 'POST', url: CHAT, body: 'text' }),
    ]);
    expect(batch).toMatchObject({
      status: 'failed',
      failed_at: expect.any(Number),
      in_progress_at: null,
      request_counts: { total: 0, completed: 0, failed: 0 },
      errors: { object: 'list' },
    });
    expect(batch.errors?.data?.map(({ code, line, param }) => [code, line, param])).toEqual([
      ['invalid_json_line', 2, null],
      ['invalid_json_line', 3, null],
      ['duplicate_custom_id', 4, 'custom_id'],
      ['missing_required_parameter', 5, 'custom_id'],
      ['invalid_custom_id', 6, 'custom_id'],
      ['invalid_method', 7, 'method'],
      ['mismatched_url', 8, 'url'],
      ['invalid_body', 9, 'body'],
    ]);
    expect(await client.batches.retrieve(batch.id)).toEqual(batch);
    expect(api.fake.requests.length).toBe(asked);
    const id = batch.id.replace('batch_', 'bat_');
    expect((await api.services.database.batchItems.list(id, { limit: 9 })).data).toEqual([]);
    const native = await api.call('GET', `/batches/${id}`, { headers: { authorization: `Bearer ${client.apiKey}` } });
    expect(native.status).toBe(404);
    await expect(client.batches.cancel(batch.id)).rejects.toBeInstanceOf(ConflictError);
  });

  test.each([
    ['without requests', '\n \r\n', 'empty_file', null],
    [
      'with too many requests',
      `${Array.from({ length: 10_001 }, (_, at) => chat(`${at}`, 'x/y')).join('\n')}`,
      'too_many_tasks',
      null,
    ],
    ['with a line that is too long', `${good}\n${chat('long', 'x/y', 'x'.repeat(4_000_001))}`, 'line_too_long', 2],
  ])('fails the batch: %s', async (_name, text, code, at) => {
    const batch = await create([text]);
    expect([batch.status, batch.errors?.data]).toEqual(['failed', [expect.objectContaining({ code, line: at })]]);
  });

  test('is refused if it does not exist, or is not for batches', async () => {
    const other = await client.files.create({ file: await toFile(Buffer.from(good), 'a'), purpose: 'user_data' });
    for (const input_file_id of [other.id, 'file-nope', other.id.replace(/.$/, '0')]) {
      const asked = client.batches.create({ input_file_id, endpoint: CHAT, completion_window: '24h' });
      await expect(asked).rejects.toMatchObject({ status: 400, param: 'input_file_id' });
    }
    for (const [field, value] of [
      ['endpoint', '/v1/completions'],
      ['completion_window', '1h'],
    ]) {
      const body = { input_file_id: other.id, endpoint: CHAT, completion_window: '24h', [field as string]: value };
      const refused = await client.batches.create(body as OpenAI.BatchCreateParams).catch((error) => error);
      expect([refused instanceof BadRequestError, refused.param]).toEqual([true, field]);
    }
    await expect(client.batches.retrieve('batch_nope')).rejects.toBeInstanceOf(NotFoundError);
  });
});

test('a cancelled batch keeps what was finished', async () => {
  const made = await create([chat('done', 'compatible/words-3'), chat('hangs', 'compatible/hang@cancelled')]);
  await expect.poll(async () => (await client.batches.retrieve(made.id)).request_counts?.completed).toBe(1);
  const cancelling = await client.batches.cancel(made.id);
  expect(cancelling).toMatchObject({ status: 'cancelling', cancelling_at: expect.any(Number) });
  const batch = await settled(made);
  expect(batch).toMatchObject({ status: 'cancelled', cancelled_at: expect.any(Number), finalizing_at: null });
  expect((await linesOf(batch.output_file_id)).map(({ custom_id }) => custom_id)).toEqual(['done']);
  const [error] = await linesOf(batch.error_file_id);
  expect(error).toMatchObject({ custom_id: 'hangs', response: null, error: { code: 'batch_cancelled' } });
  const refused = await client.batches.cancel(made.id).catch((thrown) => thrown);
  expect([refused instanceof ConflictError, refused.message]).toEqual([true, expect.stringContaining('cancelled')]);
});

test('requests that have not started in time expire', async () => {
  const hanging = Array.from({ length: 20 }, (_, at) => chat(`hangs ${at}`, `compatible/hang@expired-${at}`));
  const made = await create([chat('done', 'compatible/words-3'), ...hanging]);
  const { database, dispatcher, eventLog } = api.services;
  const id = made.id.replace('batch_', 'bat_');
  const items = async () => (await database.batchItems.list(id, { limit: 100 })).data;
  const running = async () => (await items()).filter(({ status }) => status === 'running');
  await expect.poll(async () => (await client.batches.retrieve(made.id)).request_counts?.completed).toBe(1);
  await expect.poll(async () => (await running()).length, { timeout: 40_000 }).toBeGreaterThan(0);

  const store = await new MongoClient(api.store.uri).connect();
  const late = { $set: { expires_at: new Date(Date.now() - 1_000) } };
  await store.db().collection<{ _id: string }>('batches').updateOne({ _id: id }, late);
  await store.close();
  eventLog.wake(BATCHES_CHANNEL);
  const waiting = async () => (await items()).filter(({ status }) => status === 'waiting' || status === 'queued');
  await expect.poll(async () => (await waiting()).length, { timeout: 40_000 }).toBe(0);
  expect((await client.batches.retrieve(made.id)).status).toBe('in_progress');
  const continued = await running();
  const owner = (await database.executions.listUnfinished({ olderThan: new Date(), limit: 1 }))[0]?.owner as Owner;
  for (const { execution_id } of continued) await dispatcher.cancel(owner, execution_id ?? '');

  const batch = await settled(made);
  expect(batch).toMatchObject({ status: 'expired', expired_at: expect.any(Number), cancelling_at: null });
  expect(await linesOf(batch.output_file_id)).toHaveLength(1);
  const errors = await linesOf(batch.error_file_id);
  const withCode = (code: string) => errors.filter(({ response, error }) => response === null && error.code === code);
  expect(withCode('batch_cancelled')).toHaveLength(continued.length);
  expect(withCode('batch_expired')).toHaveLength(20 - continued.length);
});

test('lists batches of files, newest first, page by page', async () => {
  const headers = { authorization: `Bearer ${client.apiKey}` };
  const item = {
    kind: 'chat.completion',
    body: { model: 'compatible/echo', messages: [{ role: 'user', content: 'x' }] },
  };
  const native = await api.call('POST', '/batches', { body: { items: [item] }, headers });
  expect(native.status).toBe(200);
  const known = await Array.fromAsync(client.batches.list({ limit: 2 }));
  expect(known.map(({ id }) => id)).toEqual(
    known
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  );
  expect(known.map(({ id }) => id)).not.toContain(native.body.id.replace('bat_', 'batch_'));
  const made = await create([chat('one', 'compatible/words-3')]);
  expect((await client.batches.list({ limit: 1 })).data.map(({ id }) => id)).toEqual([made.id]);
  expect(await Array.fromAsync(client.batches.list({ limit: 3 }))).toHaveLength(known.length + 1);
  const id = made.id.replace('batch_', 'bat_');
  expect((await api.call('GET', `/batches/${id}`, { headers })).body).toMatchObject({ id, counts: { total: 1 } });
  const { output_file_id } = await settled(made);
  const again = await api.call('POST', `/batches/${id}/retry`, { body: {}, headers });
  expect([again.status, again.body.error.code]).toEqual([409, 'job_not_retryable']);
  // The results are deleted with the batch.
  await client.files.retrieve(output_file_id ?? '');
  expect((await api.call('DELETE', `/batches/${id}`, { headers })).status).toBe(200);
  await expect(client.batches.retrieve(made.id)).rejects.toBeInstanceOf(NotFoundError);
  await expect(client.files.retrieve(output_file_id ?? '')).rejects.toBeInstanceOf(NotFoundError);
});
