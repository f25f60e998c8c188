import { toChatMessages } from '@chorus/contract';
import { storedInput } from '@chorus/jobs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startSecondApi } from '../../test-api.ts';
import { freshPerson } from '../../test-people.ts';
import { startTestServer, type TestServer } from '../../test-server.ts';
import { numbersOf, openAi, openStream, readAll, respond, textOf } from './test-responses.ts';

let server: TestServer;
let token: string;

beforeAll(async () => {
  server = await startTestServer({ EVENTS_MAX_LENGTH: '100' });
  token = server.accessToken;
});
afterAll(() => server.stop());

const ask = (body: object, headers: Record<string, string> = {}) => respond(server, body, headers);
const call = (method: string, path: string) => server.call(method, `/openai/v1/responses/${path}`);
const follow = (id: string, query = '') => openStream(server, `/responses/${id}?stream=true${query}`, { token });
const client = () => openAi(server, token);
const statusOf = async (id: string) => (await call('GET', id)).body.status;
const ended = (id: string) => expect.poll(() => statusOf(id)).not.toMatch(/queued|in_progress/);

/** Returns the conversation that a response's model received. */
async function conversationOf(id: string) {
  const { executions } = server.services.database;
  const { id: user_id } = (await server.call('GET', '/me')).body;
  const owner = { scope: 'personal', user_id, workspace_id: null } as const;
  const record = await executions.get(owner, id.replace('resp_', 'job_'));
  return toChatMessages((record && storedInput(record)?.items) ?? []);
}

const CALL = {
  type: 'tool_call.delta',
  index: 0,
  call: 0,
  id: 'call_1',
  name: 'f',
  first: true,
  arguments_delta: '{}',
};

const CALLED = {
  type: 'tool_call',
  id: 'call_1',
  name: 'f',
  arguments: '{}',
  status: 'requested',
  result: null,
  started_at: null,
  finished_at: null,
};

describe('a background response', () => {
  test('is queued at once, and can be polled and followed', async () => {
    const { body } = await ask({ input: 'count 30', background: true });
    expect(body).toMatchObject({ status: 'queued', background: true, output: [], usage: null });
    const events = await readAll(await follow(body.id));
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual([
      'response.created',
      'response.queued',
      'response.in_progress',
    ]);
    expect(events.at(-1)?.response).toEqual((await call('GET', body.id)).body);
  });

  test('resumes after any event, on another process, during and after the run', async () => {
    const other = await startSecondApi(server);
    onTestFinished(() => other.stop());
    const first = await client().responses.create({
      model: 'counter',
      input: 'count 40',
      background: true,
      stream: true,
    });
    const seen: { sequence_number: number }[] = [];
    for await (const event of first) {
      seen.push(event);
      if (event.sequence_number === 9) break;
    }
    const { id } = (seen[0] as unknown as { response: { id: string } }).response;
    const elsewhere = openAi(other, token);
    const rest = await elsewhere.responses.retrieve(id, { stream: true, starting_after: 9 });
    const events = [...seen];
    for await (const event of rest) events.push(event);
    const whole = await readAll(await follow(id));
    expect(events).toEqual(whole);
    for (const after of [0, 4, whole.length - 2, whole.length - 1, whole.length + 5]) {
      const some = await readAll(
        await openStream(other, `/responses/${id}?stream=true&starting_after=${after}`, { token }),
      );
      expect(some).toEqual(whole.slice(after + 1));
    }
  });

  test('can be cancelled, again and again; its stream ends', async () => {
    const { id } = await client().responses.create({ model: 'counter', input: 'hold 9', background: true });
    const stream = await follow(id);
    await expect.poll(() => statusOf(id)).toBe('in_progress');
    expect((await client().responses.cancel(id)).status).toBe('cancelled');
    const { body } = await call('POST', `${id}/cancel`);
    expect(body).toMatchObject({ id, status: 'cancelled', error: null });
    const last = (await readAll(stream)).at(-1);
    expect(last).toMatchObject({ type: 'response.incomplete', response: { status: 'cancelled' } });
    const again = await ask({ input: 'Go on', previous_response_id: id });
    expect([again.status, again.body.error.param]).toEqual([400, 'previous_response_id']);
  });

  test('only such a response can be cancelled', async () => {
    const { body } = await ask({ input: 'count 1' });
    const answer = await call('POST', `${body.id}/cancel`);
    expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringContaining('background')]);
  });
});

describe('deletion', () => {
  test('removes a response for good', async () => {
    const { body } = await ask({ input: 'count 2' });
    const deleted = await call('DELETE', body.id);
    expect(deleted.body).toEqual({ id: body.id, object: 'response', deleted: true });
    for (const [method, path] of [
      ['GET', body.id],
      ['GET', `${body.id}/input_items`],
      ['GET', `${body.id}?stream=true`],
      ['POST', `${body.id}/cancel`],
      ['DELETE', body.id],
    ] as const)
      expect((await call(method, path)).status).toBe(404);
    await expect(client().responses.retrieve(body.id)).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });

  test('of a running one is refused', async () => {
    const { body } = await ask({ input: 'hold 3', background: true });
    const refused = await call('DELETE', body.id);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'job_running']);
    await client().responses.cancel(body.id);
    await client().responses.delete(body.id);
    expect((await call('GET', body.id)).status).toBe(404);
  });
});

describe('store: false', () => {
  test.each([false, true])('leaves nothing once it was delivered; streamed: %s', async (stream) => {
    const body = { input: 'count 3', store: false, stream, metadata: { word: 'secret' } };
    let id: string;
    if (stream) {
      const [created] = await readAll(await openStream(server, '/responses', { token, body }));
      ({ id } = created!.response as { id: string });
    } else {
      const answer = await ask(body);
      ({ id } = answer.body);
      expect(answer.body).toMatchObject({ store: false, output: [{ content: [{ text: '1 2 3 ' }] }] });
    }
    const job = id.replace('resp_', 'job_');
    await expect.poll(async () => (await server.call('GET', `/jobs/${job}`)).status).toBe(404);
    expect((await call('GET', id)).status).toBe(404);
    const next = await ask({ input: 'count 1', previous_response_id: id });
    expect([next.status, next.body.error.code]).toEqual([400, 'previous_response_not_found']);
    const keys = await server.services.redis.keys(`*${job}*`);
    expect(keys).toEqual([`chorus:{${job}}:state`]);
  });
});

describe('previous_response_id', () => {
  test('continues with all items before it, but without its instructions', async () => {
    const first = (await ask({ input: 'count 1', instructions: 'Be brief.' })).body;
    const second = (await ask({ input: 'count 2', previous_response_id: first.id })).body;
    await call('DELETE', first.id);
    const third = (await ask({ input: 'count 3', previous_response_id: second.id })).body;
    expect(third).toMatchObject({ previous_response_id: second.id, instructions: null });
    expect(await conversationOf(third.id)).toEqual([
      { role: 'user', content: 'count 1' },
      { role: 'assistant', content: '1 ' },
      { role: 'user', content: 'count 2' },
      { role: 'assistant', content: '1 2 ' },
      { role: 'user', content: 'count 3' },
    ]);
  });

  test('takes the results of calls, whose ids must match', async () => {
    const tools = [{ type: 'function', name: 'f', parameters: {} }];
    const first = (await ask({ input: `emit ${JSON.stringify([CALL])}`, tools })).body;
    const next = (input: unknown) => ask({ input, previous_response_id: first.id });
    expect((await next('count 1')).body.error).toMatchObject({
      param: 'input',
      message: expect.stringContaining('call_1'),
    });
    const wrong = await next([{ type: 'function_call_output', call_id: 'call_2', output: 'x' }]);
    expect(wrong.body.error.param).toBe('input[0].call_id');
    const image = 'data:image/png;base64,AA==';
    const output = [
      { type: 'input_text', text: 'sunny' },
      { type: 'input_image', image_url: image },
    ];
    const results = [
      { type: 'function_call_output', call_id: 'call_1', output },
      { role: 'user', content: 'count 1' },
    ];
    const { body } = await next(results);
    expect((await conversationOf(body.id)).slice(1)).toEqual([
      { role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Part of the result of call_1:' },
          { type: 'image_url', image_url: { url: image } },
        ],
      },
      { role: 'user', content: 'count 1' },
    ]);
  });

  test('must name a stored response of the scope that has ended well', async () => {
    const stranger = await freshPerson(server);
    const theirs = await respond(server, { input: 'count 1' }, { authorization: `Bearer ${stranger.token}` });
    const failed = (await ask({ input: 'fail', background: true })).body;
    const running = (await ask({ input: 'hold 2', background: true })).body;
    await ended(failed.id);
    const unknown = 'previous_response_not_found';
    for (const [id, code] of [
      ['resp_nothing', unknown],
      [`resp_${'0'.repeat(26)}`, unknown],
      [theirs.body.id, unknown],
      [failed.id, 'invalid_request'],
      [running.id, 'invalid_request'],
    ]) {
      const { status, body } = await ask({ input: 'Hi', previous_response_id: id });
      expect([id, status, body.error.code, body.error.param]).toEqual([id, 400, code, 'previous_response_id']);
    }
    await client().responses.cancel(running.id);
  });

  test('stops at 2,000 items', async () => {
    const input = Array.from({ length: 1_999 }, () => ({ role: 'user', content: 'count 1' }));
    const { body } = await ask({ input });
    const { status, body: refused } = await ask({ input: 'count 1', previous_response_id: body.id });
    expect([status, refused.error.param, refused.error.message]).toEqual([
      400,
      'input',
      expect.stringContaining('2000'),
    ]);
  });
});

test('items that a client repeats keep the opaque data of the provider', async () => {
  const events = [
    { type: 'output.item', index: 0, item: { type: 'reasoning', text: 'Hm.', signature: 'thought' } },
    { type: 'output.item', index: 1, item: { ...CALLED, signature: 'call' } },
  ];
  const { output } = (await ask({ input: `emit ${JSON.stringify(events)}` })).body;
  expect(JSON.stringify(output)).not.toMatch(/"(thought|call)"/);
  const results = [
    { type: 'function_call_output', call_id: 'call_1', output: 'x' },
    { role: 'user', content: 'count 1' },
  ];
  const { body } = await ask({ input: [{ role: 'user', content: 'Go.' }, ...output, ...results] });
  expect((await conversationOf(body.id))[1]).toMatchObject({
    reasoning_content: 'Hm.',
    reasoning_signature: 'thought',
    tool_calls: [{ id: 'call_1', signature: 'call' }],
  });
});

describe('items', () => {
  test('are listed in both directions, in pages, with ids that can be referred to', async () => {
    const first = (await ask({ input: 'count 1' })).body;
    const input = [
      { role: 'system', content: 'Count.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'count 2' },
          { type: 'input_image', image_url: 'data:image/png;base64,AA==' },
        ],
      },
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: 'count 2' },
    ];
    const { id } = (await ask({ input, previous_response_id: first.id })).body;
    const listed = [];
    for await (const item of client().responses.inputItems.list(id, { order: 'asc', limit: 2 })) listed.push(item);
    expect(listed).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'count 1' }] },
      { id: first.output[0].id, role: 'assistant', content: [{ type: 'output_text', text: '1 ' }] },
      { role: 'system', status: 'completed' },
      { role: 'user', content: [{ text: 'count 2' }, { type: 'input_image', detail: 'auto' }] },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Yes.' }] },
      { role: 'user' },
    ]);
    const newest = (await call('GET', `${id}/input_items?limit=2`)).body;
    expect(newest.data.map((item: { id: string }) => item.id)).toEqual([listed[5]?.id, listed[4]?.id]);
    expect(newest).toMatchObject({ object: 'list', first_id: listed[5]?.id, last_id: listed[4]?.id, has_more: true });
    expect((await call('GET', `${id}/input_items?after=nothing`)).body.error.param).toBe('after');

    const references = [listed[0]?.id, listed[3]?.id, first.output[0].id].map((one) => ({
      type: 'item_reference',
      id: one,
    }));
    const referring = await ask({ input: [...references, { role: 'user', content: 'count 3' }] });
    expect((await conversationOf(referring.body.id)).map(({ role }) => role)).toEqual([
      'user',
      'user',
      'assistant',
      'user',
    ]);
    const missing = await ask({ input: [{ type: 'item_reference', id: 'msg_none' }] });
    expect([missing.status, missing.body.error.param]).toEqual([404, 'input[0].id']);
  });
});

test('a stream whose first events were trimmed says so; the response can still be retrieved', async () => {
  const { id } = (await ask({ input: 'count 400' })).body;
  for (const [query, first] of [
    ['', 0],
    ['&starting_after=7', 8],
  ] as const) {
    const events = await readAll(await follow(id, query));
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'events_not_available' } });
    expect(numbersOf(events).at(0)).toBe(first);
    expect(numbersOf(events)).toEqual(events.map((_, index) => index + first));
  }
  expect((await call('GET', id)).body).toMatchObject({ status: 'completed' });
});

test('a stream after the log is gone has the whole response, but cannot resume', async () => {
  const { id } = (await ask({ input: 'count 5' })).body;
  await server.services.eventLog.forget(id.replace('resp_', 'job_'));
  const events = await readAll(await follow(id));
  expect([textOf(events), events.at(-1)?.type]).toEqual(['1 2 3 4 5 ', 'response.completed']);
  const rest = await readAll(await follow(id, '&starting_after=3'));
  expect(rest.at(-1)).toMatchObject({ type: 'error', sequence_number: 4 });
});

test('unknown and malformed ids, and responses of others, are not found', async () => {
  const stranger = await freshPerson(server);
  const { body } = await respond(server, { input: 'count 1' }, { authorization: `Bearer ${stranger.token}` });
  for (const id of [
    'resp_x',
    `resp_${'0'.repeat(26)}`,
    body.id,
    body.id.toUpperCase(),
    body.id.replace('resp', 'job'),
  ]) {
    const answer = await call('GET', id);
    expect([answer.status, answer.body.error.type]).toEqual([404, 'not_found_error']);
  }
});

test('a response that is not stored is hidden while it runs', async () => {
  const body = { input: 'hold 3', store: false, stream: true };
  const events = await openStream(server, '/responses', { token, body });
  const { id } = (await events.next()).value.response as { id: string };
  expect((await call('GET', id)).status).toBe(404);
  server.release();
  await readAll(events);
});
