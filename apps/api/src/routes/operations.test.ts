import { setTimeout as delay } from 'node:timers/promises';
import { POOLS } from '@chorus/contract';
import { startStore } from '@chorus/testing';
import { afterEach, expect, test } from 'vitest';
import { type Answer, startTestApi, type TestApi } from '../test-api.ts';
import { publishChatModels } from '../test-chat.ts';

let api: TestApi;
afterEach(() => api.stop());

/** Requests a path until the response has the status, for up to 40 s. */
async function untilStatus(path: string, status: number): Promise<Answer> {
  const end = Date.now() + 40_000;
  for (;;) {
    const answer = await api.call('GET', path);
    if (answer.status === status || Date.now() > end) {
      expect(answer.status).toBe(status);
      return answer;
    }
    await delay(50);
  }
}

test('readiness depends on Redis and the store; liveness does not', async () => {
  const store = await startStore();
  api = await startTestApi({}, store);
  await publishChatModels(api, ['embedded/assistant']);
  const ready = await api.call('GET', '/readyz', { headers: { authorization: null, 'x-scope-type': null } });
  expect([ready.status, ready.body]).toEqual([
    200,
    { status: 'ok', store: 'ok', redis: 'ok', objects: 'ok', chat: 'ok', first_user: 'ok' },
  ]);

  await api.redis.kill();
  const noRedis = await untilStatus('/readyz', 503);
  expect(noRedis.body).toEqual({
    status: 'failing',
    store: 'ok',
    redis: 'failing',
    objects: 'ok',
    chat: 'failing',
    first_user: 'ok',
  });
  expect(noRedis.headers.get('retry-after')).toBe('1');
  expect((await api.call('GET', '/healthz')).body).toEqual({ status: 'ok' });
  expect((await api.call('GET', '/metrics')).status).toBe(200);
  await api.redis.restart();
  await untilStatus('/readyz', 200);

  await store.kill();
  const noStore = await untilStatus('/readyz', 503);
  expect(noStore.body).toEqual({
    status: 'failing',
    store: 'failing',
    redis: 'ok',
    objects: 'ok',
    chat: 'ok',
    first_user: 'failing',
  });
  const sessions = await api.call('GET', '/sessions');
  expect([sessions.status, sessions.body.error.code]).toEqual([503, 'store_unavailable']);
  expect(sessions.headers.get('retry-after')).toBe('1');
  await store.restart();
  await untilStatus('/readyz', 200);
  expect((await untilStatus('/api/v1/sessions', 200)).body.object).toBe('list');
});

test('a process is not ready while a turn would be refused', async () => {
  api = await startTestApi();
  const { redis } = api.services;
  const turn = (more: object = {}, headers: Record<string, string> = { prefer: 'respond-async' }) =>
    api.call('POST', '/chat/completions', { body: { message: 'Hi', model: 'embedded/assistant', ...more }, headers });
  const before = await untilStatus('/readyz', 503);
  expect(before.body).toMatchObject({ status: 'failing', redis: 'ok', store: 'ok', chat: 'failing' });
  expect((await turn()).status).toBe(503);
  await publishChatModels(api, ['embedded/assistant']);
  await untilStatus('/readyz', 200);
  expect((await turn()).status).toBe(200);

  await redis.config('SET', 'maxmemory', '1mb');
  expect((await untilStatus('/readyz', 503)).body).toMatchObject({ redis: 'failing', store: 'ok' });
  const askedAt = performance.now();
  const stream = { stream: true };
  for (const refused of await Promise.all([
    turn(),
    turn({}, {}),
    turn(stream, {}),
    turn({}, { 'idempotency-key': 'k' }),
  ]))
    expect(refused.body.error).toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(/^Redis is full/),
    });
  expect(performance.now() - askedAt).toBeLessThan(3_000);
  await redis.config('SET', 'maxmemory', '0');
  await untilStatus('/readyz', 200);

  await redis.call('REPLICAOF', '127.0.0.1', '1');
  expect((await untilStatus('/readyz', 503)).body).toMatchObject({ redis: 'failing' });
  expect((await turn()).body.error).toMatchObject({ code: 'store_unavailable' });
  await redis.call('REPLICAOF', 'NO', 'ONE');
  await untilStatus('/readyz', 200);
});

test('readiness depends on object storage', async () => {
  api = await startTestApi({
    S3_ENDPOINT: 'http://127.0.0.1:1',
    S3_BUCKET: 'away',
    S3_ACCESS_KEY_ID: 'a',
    S3_SECRET_ACCESS_KEY: 'b',
  });
  await publishChatModels(api, ['embedded/assistant']);
  const { status, body } = await api.call('GET', '/readyz');
  expect([status, body]).toEqual([
    503,
    { status: 'failing', store: 'ok', redis: 'ok', objects: 'failing', chat: 'ok', first_user: 'ok' },
  ]);
});

test('a process is not ready before the first user exists', async () => {
  api = await startTestApi();
  await publishChatModels(api, ['embedded/assistant']);
  const { database, accounts } = api.services;
  const { data } = await database.users.list({ limit: 10 });
  for (const { id } of data) await database.erasure.erase({ user_id: id });
  const without = await api.call('GET', '/readyz');
  expect([without.status, without.body.status, without.body.first_user]).toEqual([503, 'failing', 'failing']);
  await accounts.ensureFirstUser(api.login);
  const { status, body } = await api.call('GET', '/readyz');
  expect([status, body.first_user]).toEqual([200, 'ok']);
  const login = await api.call('POST', '/auth/login', { body: api.login, headers: { authorization: null } });
  expect(login.status).toBe(200);
});

test('chat health: without workers chats are unavailable, and the response lists what is missing', async () => {
  api = await startTestApi();
  const health = await api.call('GET', '/chat/health');
  expect(health.status).toBe(503);
  expect(health.body).toMatchObject({
    object: 'chat.health',
    status: 'unavailable',
    store: { status: 'ok', latency_ms: expect.any(Number) },
    redis: { status: 'ok', latency_ms: expect.any(Number) },
    pools: [
      ...POOLS.map((name) => ({ name, status: 'missing', workers: 0, waiting: 0 })),
      { name: 'maintenance', status: 'missing', workers: 0, waiting: null },
    ],
    models: [],
    error: { code: 'overloaded', status: 503, request_id: health.headers.get('x-request-id') },
  });
  expect(health.headers.get('retry-after')).toBe('1');
  expect((await api.call('GET', '/chat/health', { headers: { authorization: null } })).status).toBe(401);

  await api.redis.kill();
  const broken = await api.call('GET', '/chat/health');
  expect([broken.status, broken.body.error.code]).toEqual([503, 'store_unavailable']);
  expect(broken.body.redis).toEqual({ status: 'failing', latency_ms: null });
});

test('a stopping process is not ready', async () => {
  api = await startTestApi();
  let ended = 0;
  api.services.streams.open(() => {
    ended += 1;
  });
  api.services.streams.stop();
  api.services.streams.open(() => {
    ended += 1;
  });
  expect(ended).toBe(2);
  expect((await api.call('GET', '/readyz')).body.status).toBe('stopping');
});

test('metrics count requests by route and status, streams and the event loop', async () => {
  api = await startTestApi();
  await api.call('POST', '/sessions', { body: {} });
  await api.call('GET', '/sessions/malformed');
  await api.call('GET', '/nothing');
  api.services.streams.open(() => undefined);
  const { body, headers } = await api.call('GET', '/metrics', { headers: { authorization: null } });
  expect(headers.get('content-type')).toMatch(/^text\/plain/);
  const count = 'chorus_http_request_duration_seconds_count';
  expect(body).toContain(`${count}{method="POST",route="/api/v1/sessions",status="200"} 1`);
  expect(body).toContain(`${count}{method="GET",route="/api/v1/sessions/:session_id",status="404"} 1`);
  expect(body).toContain(`${count}{method="GET",route="unknown",status="404"} 1`);
  expect(body).toContain('chorus_open_streams 1');
  expect(body).toMatch(/nodejs_eventloop_lag_p99_seconds \d/);
  expect(body).toContain('# TYPE chorus_time_to_first_token_seconds histogram');
});
