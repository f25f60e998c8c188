import { newId } from '@chorus/contract';
import { ANY_ATTEMPT, connectRedis, type RedisConnection } from '@chorus/events';
import { createQueuePlaces, placeKeys } from '@chorus/executions';
import { createLanes, type LanePass, type Lanes, LaneWait } from '@chorus/lanes';
import { createLogger } from '@chorus/runtime/log';
import { poll } from '@chorus/runtime/timing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { publishChatModels } from '../test-chat.ts';
import { freshPerson } from '../test-people.ts';

const LIMITED = 'openai/limited';
const STOPPED = 'mistral/stopped';
const OPEN = 'openai/open';
const WAIT_MS = 1_000;

let api: TestApi;
let lanes: Lanes;
let key: string;
const connections: RedisConnection[] = [];

beforeAll(async () => {
  api = await startTestApi({ PROVIDER_WAIT_MS: String(WAIT_MS) });
  await publishChatModels(api, [LIMITED, STOPPED, OPEN]);
  key = (await freshPerson(api)).fullKey;
  const connect = () => {
    const connection = connectRedis({ url: api.redis.url, cluster: false }, 'worker');
    connections.push(connection);
    return connection;
  };
  const log = createLogger({ name: 'test', level: 'silent' });
  lanes = createLanes({ redis: connect(), subscriber: connect(), limits: () => null, log });
  await lanes.ready();
  await close(STOPPED, (pass) => pass.stopped('key'));
  // The first refusals say that fewer calls are allowed at once.
  await close(LIMITED, (pass) => pass.refused(600_000));
  const places = createQueuePlaces(api.services.redis);
  for (const { lane, closedMs, at } of await lanes.read([LIMITED, STOPPED]))
    await places.setLane('text.calls', lane, { size: 0, closedMs: closedMs ?? 600_000, at });
});
afterAll(async () => {
  lanes.close();
  for (const connection of connections) connection.disconnect();
  await api.stop();
});

/** Makes calls of a lane until it is closed. */
async function close(lane: string, end: (pass: LanePass) => void): Promise<void> {
  const call = async () => {
    const pass = await lanes.enter(lane, { signal: new AbortController().signal, maxWaitMs: 0, user: 'one' });
    end(pass);
    pass.leave();
    return null;
  };
  const isClosed = () => call().catch((error) => error instanceof LaneWait || null);
  expect(await poll(isClosed, { everyMs: 20, withinMs: 20_000 })).toBe(true);
}

const ask = (body: object, prefer?: string) =>
  api.call('POST', '/chat/completions', { body, ...(prefer && { headers: { prefer } }) });
const queued = (model: string) => ask({ model, message: 'Hello' }, 'respond-async');
const jobOf = async (id: string) => (await api.call('GET', `/jobs/${id}`)).body;

const MESSAGES = [{ role: 'user', content: 'Hello' }];
const waits = { reason: 'slow_down', provider: 'openai', until: expect.stringMatching(/^\d{4}-/) };

// biome-ignore lint/suspicious/noExplicitAny: frames of any shape
function framesIn(body: string): any[] {
  const data = body.split('\n').flatMap((line) => (line.startsWith('data: {') ? line.slice(6) : []));
  return data.map((json) => JSON.parse(json));
}

describe('a queued execution', () => {
  test('says what it waits for, wherever it is shown', async () => {
    const { body } = await queued(LIMITED);
    expect(body).toMatchObject({ status: 'queued', waiting_for: waits });
    const left = Date.parse(body.waiting_for.until) - Date.now();
    expect(left).toBeGreaterThan(300_000);
    expect(await jobOf(body.id)).toMatchObject({ status: 'queued', waiting_for: waits });
    const { body: list } = await api.call('GET', '/jobs?limit=5');
    expect(list.data[0]).toMatchObject({ id: body.id, waiting_for: waits });
  });

  test('does not know when an operator acts, and waits for nothing if its lane is open', async () => {
    expect((await queued(STOPPED)).body.waiting_for).toEqual({ reason: 'key', provider: 'mistral', until: null });
    expect((await queued(OPEN)).body.waiting_for).toBeNull();
  });

  test('stays queued and can be cancelled at once after its stream has said that it waits', async () => {
    const { body } = await queued(LIMITED);
    const { eventLog } = api.services;
    const waiting = { reason: 'slow_down', provider: 'openai', until: null } as const;
    await eventLog.append(body.id, ANY_ATTEMPT, 1, [{ type: 'execution.waiting', ...waiting }]);
    expect((await jobOf(body.id)).status).toBe('queued');
    expect((await api.call('POST', `/jobs/${body.id}/cancel`)).body).toMatchObject({
      status: 'cancelled',
      waiting_for: null,
    });
  });
});

describe('a document', () => {
  test('that its lane has put off says so, as its execution does', async () => {
    const { body: entry } = await api.call('POST', '/console/knowledge', { body: { content: 'Roses need sun.' } });
    expect(entry).toMatchObject({ status: 'processing', waiting_for: null });
    const { executions } = api.services.database;
    const [state] = await executions.listStates([entry.execution_id]);
    expect(state).toMatchObject({ status: 'queued', kind: 'knowledge.ingest' });
    const owner = { scope: 'personal', user_id: entry.user_id, workspace_id: null } as const;
    await executions.markWaiting(owner, entry.execution_id, 1, LIMITED);
    expect(await jobOf(entry.execution_id)).toMatchObject({ status: 'queued', waiting_for: waits });
    expect((await api.call('GET', `/console/knowledge/${entry.id}`)).body.waiting_for).toMatchObject(waits);
    expect((await api.call('GET', '/console/knowledge')).body.data[0]).toMatchObject({ waiting_for: waits });
    await executions.claim(owner, entry.execution_id, 2, new Date());
    expect((await jobOf(entry.execution_id)).waiting_for).toBeNull();
    expect((await api.call('GET', `/console/knowledge/${entry.id}`)).body.waiting_for).toBeNull();
  });
});

describe('a stream', () => {
  test('of v1 has the event, and each chunk of it one choice', async () => {
    const { body } = await ask({ model: LIMITED, messages: MESSAGES, stream: true });
    const frames = framesIn(body);
    expect(frames.map(({ type }) => type)).toEqual(['execution.queued', 'execution.waiting', 'execution.failed']);
    expect(frames[1]).toMatchObject({ seq: 2, ...waits, choices: [{ index: 0, delta: {} }] });
    expect(frames.every(({ choices }) => choices.length === 1)).toBe(true);
    expect(frames[2].execution.error).toMatchObject({
      code: 'provider_rate_limited',
      retry_after_s: expect.any(Number),
    });
  });
});

describe('a call that has waited as long as it may', () => {
  const retryIn = (headers: Headers) => Number(headers.get('retry-after'));

  test.each([
    ['/api/v1/chat/completions', {}, { 'x-scope-type': 'personal' }],
    ['/openai/v1/chat/completions', {}, {}],
    ['/openai/v1/chat/completions', { stream: true }, {}],
    ['/anthropic/v1/messages', { max_tokens: 9 }, { 'anthropic-version': '2023-06-01' }],
    ['/anthropic/v1/messages', { max_tokens: 9, stream: true }, { 'anthropic-version': '2023-06-01' }],
  ])('fails with the time of its lane: %s %o', async (path, more, headers) => {
    const sent = (model: string) =>
      api.call('POST', path, {
        body: { model, messages: MESSAGES, ...more },
        headers: { authorization: `Bearer ${key}`, 'x-scope-type': null, ...headers },
      });
    const [limited, stopped] = await Promise.all([sent(LIMITED), sent(STOPPED)]);
    expect(limited.status).toBe(429);
    expect(retryIn(limited.headers)).toBeGreaterThan(300);
    expect(limited.headers.get('x-should-retry')).toBeNull();
    expect(stopped.status).toBe(502);
    expect(stopped.headers.get('retry-after')).toBeNull();
  });

  test('of `/openai/v1/responses` fails in the same way', async () => {
    const { status, headers } = await api.call('POST', '/openai/v1/responses', {
      body: { model: LIMITED, input: 'Hello' },
      headers: { authorization: `Bearer ${key}`, 'x-scope-type': null },
    });
    expect([status, retryIn(headers) > 300]).toEqual([429, true]);
  });
});

test('streams of other protocols go on in their own form', async () => {
  const patient = await startTestApi({ PROVIDER_WAIT_MS: '30000' });
  try {
    await publishChatModels(patient, [LIMITED]);
    const { setLane } = createQueuePlaces(patient.services.redis);
    await setLane('text.calls', LIMITED, { size: 0, closedMs: 600_000, at: 1 });
    const { fullKey } = await freshPerson(patient);
    const open = async (path: string, body: object) => {
      const response = await fetch(`${patient.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${fullKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: LIMITED, stream: true, ...body }),
      });
      const id = response.headers.get('x-execution-id') ?? '';
      const waiting = { reason: 'away', provider: 'openai', until: null } as const;
      await patient.services.eventLog.append(id, ANY_ATTEMPT, -1, [
        { type: 'execution.waiting', ...waiting },
        { type: 'text.delta', index: 0, delta: 'Hi' },
        { type: 'execution.waiting', ...waiting },
      ]);
      let text = '';
      let again = false;
      for await (const bytes of response.body ?? []) {
        text += new TextDecoder().decode(bytes);
        if (!again && text.includes('Hi')) {
          again = true;
          await patient.services.eventLog.append(id, ANY_ATTEMPT, -1, [{ type: 'execution.waiting', ...waiting }]);
        }
        if (/Hi[\s\S]*(waiting for openai \(away\)|event: ping)/.test(text)) break;
      }
      return text;
    };
    const [chat, response, message] = await Promise.all([
      open('/openai/v1/chat/completions', { messages: MESSAGES }),
      open('/openai/v1/responses', { input: 'Hello' }),
      open('/anthropic/v1/messages', { messages: MESSAGES, max_tokens: 9 }),
    ]);
    expect(chat).toMatch(/^: waiting for openai \(busy\)\n\ndata: \{/);
    expect(framesIn(chat).every(({ choices }) => choices.length === 1)).toBe(true);
    expect(framesIn(response).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['response.created', 'response.in_progress', 'response.output_text.delta']),
    );
    const types = [...message.matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
    expect(types).toEqual(['message_start', 'ping', 'content_block_start', 'content_block_delta', 'ping']);
  } finally {
    await patient.stop();
  }
});

test('`Prefer: wait` bounds the wait for the provider, and `respond-async` does not', async () => {
  const short = await startTestApi();
  try {
    await publishChatModels(short, [LIMITED]);
    const places = createQueuePlaces(short.services.redis);
    await places.setLane('text.calls', LIMITED, { size: 0, closedMs: 600_000, at: 1 });
    const post = (prefer: string) =>
      short.call('POST', '/chat/completions', { body: { model: LIMITED, message: newId('job') }, headers: { prefer } });
    const [bounded, unbounded] = await Promise.all([post('wait=1'), post('respond-async')]);
    expect(bounded.headers.get('preference-applied')).toBe('wait=1');
    const statusOf = async (id: string) => (await short.call('GET', `/jobs/${id}`)).body.status;
    await expect.poll(() => statusOf(bounded.body.id), { timeout: 20_000 }).toBe('failed');
    expect(await statusOf(unbounded.body.id)).toBe('queued');
  } finally {
    await short.stop();
  }
});

test('a call with a fallback waits for its first model only until the other takes over', async () => {
  const chained = await startTestApi({ FALLBACKS: `${LIMITED}>openai/other` });
  try {
    await publishChatModels(chained, [LIMITED]);
    const { redis } = chained.services;
    await createQueuePlaces(redis).setLane('text.calls', LIMITED, { size: 0, closedMs: 600_000, at: 1 });
    const { fullKey } = await freshPerson(chained);
    const response = await fetch(`${chained.url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${fullKey}`,
        'content-type': 'application/json',
        'x-scope-type': 'personal',
        prefer: 'respond-async',
      },
      body: JSON.stringify({ model: LIMITED, messages: MESSAGES }),
    });
    const { id } = (await response.json()) as { id: string };
    const [wait, after] = await redis.hmget(`${placeKeys('text.calls').base}${id}`, 'wait', 'after');
    expect([wait, after]).toEqual(['2000', 'run']);
  } finally {
    await chained.stop();
  }
});
