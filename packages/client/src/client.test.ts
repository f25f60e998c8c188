import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RealtimeServerEvent } from '@chorus/contract';
import { loadConfig } from '@chorus/runtime/config';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveVoice } from '../../../apps/api/src/serve-voice.ts';
import { startBatchWorkers } from '../../../apps/api/src/test-batch-workers.ts';
import { startTestServer, type TestServer } from '../../../apps/api/src/test-server.ts';
import {
  AuthenticationError,
  type ChorusClient,
  ConnectionError,
  createClient,
  createLogin,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  type ResponseFacts,
  rateLimitsOf,
  type StoredLogin,
  succeeded,
  type VoiceServerEvent,
} from './index.ts';
import { startTestProxy, type TestProxy } from './test-proxy.ts';

let server: TestServer;
let workers: Awaited<ReturnType<typeof startBatchWorkers>>;
let proxy: TestProxy;
let client: ChorusClient;
beforeAll(async () => {
  server = await startTestServer();
  workers = await startBatchWorkers(server);
  proxy = await startTestProxy(server.url);
  client = createClient({ baseUrl: `${proxy.url}/api/v1/`, token: server.accessToken });
});
afterAll(async () => {
  proxy?.stop();
  await workers?.stop();
  await server?.stop();
});

test('runs a turn, edits its message, and reads the history', async () => {
  const { session_id } = succeeded(await client.chat.send({ message: 'count 3' }));
  const id = session_id ?? '';
  const [question, answer] = await Array.fromAsync(client.messages.all(id, { limit: 1 }));
  expect([question?.content, answer?.content]).toEqual(['count 3', '1 2 3 ']);
  const edited = await client.messages.edit(question?.id ?? '', 'count 2', { revision: question?.revision });
  await expect(client.messages.edit(edited.id, 'count 9', { revision: question?.revision })).rejects.toMatchObject({
    code: 'conflict',
    status: 409,
    retryable: false,
  });
  expect((await client.chat.send({ regenerate_from: edited.id })).output).toMatchObject([{ text: '1 2 ' }]);
  expect((await client.messages.undo(edited.id)).content).toBe('count 3');
  expect((await Array.fromAsync(client.messages.history(edited.id))).map(({ action }) => action)).toEqual([
    'created',
    'edited',
    'undone',
  ]);
  expect(await client.sessions.update(id, { starred: true })).toMatchObject({ starred: true });
  expect((await client.sessions.list({ starred: 'true' })).data).toMatchObject([{ id }]);
  expect(await client.sessions.delete(id)).toMatchObject({ deleted: true });
});

test('explains refused requests, and throws failed executions on request', async () => {
  await expect(client.chat.send({ message: '' })).rejects.toMatchObject({
    name: 'InvalidRequestError',
    code: 'invalid_request',
    status: 400,
    details: [{ path: 'body.message' }],
    requestId: expect.any(String),
  });
  const failed = await client.chat.send({ message: 'fail' });
  expect(failed.status).toBe('failed');
  expect(() => succeeded(failed)).toThrow('It fails.');
  const elsewhere = client.with({ scope: { type: 'workspace', workspaceId: crypto.randomUUID() } });
  await expect(elsewhere.sessions.list()).rejects.toMatchObject({ code: 'workspace_forbidden', status: 403 });
  await expect(client.sessions.get('')).rejects.toThrow('session_id is missing');
  expect(() => createClient({ token: 'a', apiKey: 'b' })).toThrow('one of');
});

test('throws the class of the error', async () => {
  const outcome = (call: Promise<unknown>) => call.catch((error: unknown) => (error as Error).constructor);
  const stranger = createClient({ baseUrl: proxy.url, token: 'chk_none' });
  const elsewhere = client.with({ scope: { type: 'workspace', workspaceId: crypto.randomUUID() } });
  const nowhere = createClient({ baseUrl: 'http://127.0.0.1:9', token: 'x', attempts: 1 });
  expect(
    await Promise.all([
      outcome(client.chat.send({ message: '' })),
      outcome(stranger.me.get()),
      outcome(elsewhere.sessions.list()),
      outcome(client.jobs.get('job_00000000000000000000000000')),
      outcome(nowhere.me.get()),
    ]),
  ).toEqual([InvalidRequestError, AuthenticationError, PermissionError, NotFoundError, ConnectionError]);
  const aborted = AbortSignal.abort(new Error('enough'));
  await expect(client.me.get({ signal: aborted })).rejects.toThrow('enough');
});

test('sends headers with every request of a call, and reports every response', async () => {
  const sent: [string, string | null][] = [];
  const recording: typeof fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    sent.push([`${init?.method} ${new URL(String(url)).pathname}`, headers.get('x-trace')]);
    return fetch(url, init);
  };
  const seen: ResponseFacts[] = [];
  const mine = client.with({
    fetch: recording,
    headers: { 'X-Trace': 'all' },
    onResponse: (facts) => seen.push(facts),
  });
  const headers = { 'X-Trace': 'one' };
  const { id } = await mine.chat.start({ message: 'count 2' }, { headers });
  await mine.jobs.wait(id, { headers });
  for await (const _ of mine.jobs.watch(id, { headers }));
  await mine.chat.send({ message: 'count 2' }, { headers, timeoutMs: 20_000 });
  await mine.chat.runTools({ message: 'count 2' }, { tools: {}, headers }).done();
  await Array.fromAsync(mine.sessions.all({ limit: 100 }, { headers }));
  await (
    await mine.batches.run([{ body: { messages: [{ role: 'user', content: 'count 1' }] } }], {
      kind: 'chat.completion',
      headers,
    })
  ).done();
  expect(sent.length).toBeGreaterThan(8);
  expect(sent.filter(([, trace]) => trace !== 'one')).toEqual([]);
  await mine.me.get();
  expect(sent.at(-1)).toEqual(['GET /api/v1/me', 'all']);
  expect(seen.at(-1)).toMatchObject({
    operation: 'GET /me',
    status: 200,
    requestId: expect.any(String),
    rateLimits: [{ name: 'reads', limit: expect.any(Number), remaining: expect.any(Number), windowMs: 60_000 }],
  });

  const own: number[] = [];
  await mine.sessions.get('ses_x', { onResponse: ({ status }) => own.push(status) }).catch(() => undefined);
  expect(own).toEqual([404]);
  const stop = () => {
    throw new TypeError('mine');
  };
  await expect(mine.me.get({ onResponse: stop })).rejects.toThrow(new TypeError('mine'));
});

test('returns an unread response on request', async () => {
  const response = await client.raw('GET /me');
  expect(rateLimitsOf(response.headers)).toMatchObject([{ name: 'reads' }]);
  expect(await response.json()).toMatchObject({ object: 'user' });
  await expect(client.raw('GET /sessions/{session_id}', { path: { session_id: 'ses_x' } })).rejects.toThrow(
    NotFoundError,
  );
});

test('compiles no request with a misspelled field', () => {
  // Type checking fails if one of these compiles.
  const _misspelled = [
    // @ts-expect-error
    () => client.chat.send({ mesage: 'x' }),
    // @ts-expect-error
    () => client.chat.stream({ message: 'x', temprature: 1 }),
    // @ts-expect-error
    () => client.iris.generate({ promt: 'x' }),
    // @ts-expect-error
    () => client.jobs.list({ satus: 'failed' }),
    // @ts-expect-error
    () => client.request('POST /chat/completions', { body: { mesage: 'x' } }),
    // @ts-expect-error
    () => client.batches.run([], { kind: 'iris.image', onProgres: () => undefined }),
  ];
  expect(_misspelled).toHaveLength(6);
});

test('iterates over lists page by page', async () => {
  const made: string[] = [];
  for (const title of ['one', 'two', 'three']) made.push((await client.sessions.create({ title })).id);
  const found: string[] = [];
  for await (const { id } of client.sessions.all({ limit: 2 })) found.push(id);
  expect(found.filter((id) => made.includes(id))).toEqual(made.toReversed());
});

test('reports upload progress, and uploads once even if a response is lost', async () => {
  const bytes = new Uint8Array(3_000_000);
  const seen: number[] = [];
  const onProgress = ({ loaded, total }: { loaded: number; total: number }) => {
    expect(total).toBe(bytes.length);
    seen.push(loaded);
  };
  const before = (await Array.fromAsync(client.assets.all())).length;
  proxy.cutAfter(0);
  const uploading = client.assets.upload(new File([bytes], 'zeros.bin'), { onProgress });
  await expect.poll(() => Array.fromAsync(createAsDirect().assets.all()).then((all) => all.length)).toBe(before + 1);
  proxy.cutAfter(null);
  const asset = await uploading;
  expect(asset).toMatchObject({ filename: 'zeros.bin', size_bytes: bytes.length });
  expect(seen.at(-1)).toBe(bytes.length);
  expect(new Set(seen).size).toBeGreaterThan(20);
  expect(await Array.fromAsync(client.assets.all())).toHaveLength(before + 1);
  const content = await client.assets.content(asset.id);
  expect((await content.arrayBuffer()).byteLength).toBe(bytes.length);
  const controller = new AbortController();
  const given = await client.assets.content(asset.id, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(given.arrayBuffer()).rejects.toThrow('enough');
  await client.assets.delete(asset.id);
});

test('uploads several files with fields, and reports existing content', async () => {
  const files = [new File(['# One\n\nA mill.'], 'one.md'), new File(['# Two\n\nA lake.'], 'two.md')];
  const { data } = await client.knowledge.upload(files, { tags: ['water', 'history'] });
  expect(data.map(({ title, tags, duplicate }) => [title, tags, duplicate])).toEqual([
    ['one', ['water', 'history'], false],
    ['two', ['water', 'history'], false],
  ]);
  const again = await client.knowledge.upload(new File(['# One\n\nA mill.'], 'other.md'));
  expect(again.data).toMatchObject([{ id: data[0]?.id, duplicate: true }]);
});

test('returns each batch result once across lost connections, reports progress, and resumes by id', async () => {
  const items = Array.from({ length: 30 }, (_, index) => ({ id: `i${index}`, body: { prompt: `hold ${index}` } }));
  const progress: number[] = [];
  const run = await client.batches.run([{ id: 'fails', body: { prompt: 'fail' } }, ...items], {
    kind: 'iris.image',
    metadata: { campaign: 'spring' },
    onProgress: ({ counts }) => progress.push(counts.succeeded + counts.failed),
  });
  const seen: string[] = [];
  let last = '';
  for await (const { item_id, status, cursor } of run) {
    if (seen.length === 0) {
      expect([item_id, status]).toEqual(['fails', 'failed']);
      workers.letGo();
    }
    if (seen.length % 10 === 0) proxy.cut();
    seen.push(item_id);
    if (seen.length === 12) last = cursor;
  }
  expect(seen.toSorted()).toEqual(['fails', ...items.map(({ id }) => id)].toSorted());
  expect(progress.at(-1)).toBe(31);
  const rest = await Array.fromAsync(client.batches.resume(run.id, { after: last }));
  expect(rest.map(({ item_id }) => item_id)).toEqual(seen.slice(12));
  expect(await client.batches.resume(run.id).done()).toMatchObject({ status: 'completed', counts: { succeeded: 30 } });
});

test('updates archive units by revision, and exports them', async () => {
  const unit = await client.archive.create({ content: 'Green tea.', tags: ['tea'] });
  const changed = await client.archive.update(unit.id, { content: 'Black tea.' }, { revision: unit.revision });
  expect(changed.revision).toBe(unit.revision + 1);
  const other = await client.archive.create({ content: 'Coffee.', tags: ['tea'] });
  const exported = await Array.fromAsync(client.archive.export({ tag: 'tea' }));
  expect(exported.map(({ content }) => content)).toEqual(['Black tea.', 'Coffee.']);
  expect(await Array.fromAsync(client.archive.export({ after: unit.id }))).toMatchObject([{ id: other.id }]);
});

test('renews the tokens of a login once for all waiting requests, and logs out', async () => {
  let kept: StoredLogin | null = null;
  let saved = 0;
  const store = {
    load: () => kept,
    save: (login: StoredLogin | null) => {
      kept = login;
      saved++;
    },
  };
  const login = createLogin({ baseUrl: proxy.url, store });
  const mine = createClient({ baseUrl: proxy.url, auth: login });
  await expect(mine.me.get()).rejects.toMatchObject({ status: 401 });
  await expect(login.login(server.login.email, 'wrong')).rejects.toMatchObject({ code: 'invalid_credentials' });
  expect(await login.login(server.login.email, server.login.password)).toMatchObject({ email: server.login.email });
  const stored = kept as unknown as StoredLogin;
  // A token that the server refuses although it seems valid, then one that has expired.
  for (const damage of [{ accessToken: 'stale' }, { expiresAt: Date.now() }]) {
    kept = { ...(kept as unknown as StoredLogin), ...damage };
    saved = 0;
    const who = await Promise.all([mine.me.get(), mine.me.get(), mine.with({ attempts: 2 }).me.get()]);
    expect(who.map(({ email }) => email)).toEqual(Array(3).fill(server.login.email));
    expect(saved).toBe(1);
  }
  await login.logout();
  expect([kept, await login.user()]).toEqual([null, null]);
  const ended = () => {
    kept = stored;
    return mine.me.get().then(
      () => 200,
      ({ status }) => status,
    );
  };
  await expect.poll(ended).toBe(401); // within a second, everywhere
});

test('opens the voice socket with a ticket, and sends and receives events', async () => {
  const config = loadConfig({ REDIS_URL: server.redis.url, MONGODB_URI: server.store.uri });
  const stop = serveVoice(server.server, { ...server.services, config });
  try {
    const seen: VoiceServerEvent[] = [];
    const updated = Promise.withResolvers<void>();
    const connection = await client.voice.connect({
      onEvent: (event) => {
        seen.push(event);
        if (event.type === 'session.updated') updated.resolve();
      },
    });
    connection.send({ type: 'session.update', session: { type: 'realtime', output_modalities: ['text'] } });
    await updated.promise;
    expect(seen.map(({ type }) => type)).toEqual(['session.created', 'session.updated']);
    expect(seen[1]).toMatchObject({ session: { output_modalities: ['text'] } });
    const { id } = await client.sessions.create();
    expect(await client.voice.interrupt(id)).toMatchObject({ session_id: id, interrupted: false });
    connection.close();
    expect(await connection.closed).toMatchObject({ code: 1000 });
    const unknown = { sessionId: 'ses_01h455vb4pex5vsknk084sn02q', onEvent: () => undefined };
    await expect(client.voice.connect(unknown)).rejects.toMatchObject({ code: 'connection_lost' });
  } finally {
    await stop();
  }
  // The client declares the same events as the server.
  const same = (event: RealtimeServerEvent): VoiceServerEvent => event;
  const types: Record<VoiceServerEvent['type'], 1> = {} as Record<RealtimeServerEvent['type'], 1>;
  expect([same.length, types]).toEqual([1, {}]);
});

/** A server that returns these responses, one after the other. */
async function scripted(answers: [status: number, headers: Record<string, string>, body: string][]) {
  const asked: string[] = [];
  const http = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers['idempotency-key'] ?? ''}`);
    const [status, headers, body] = answers.shift() ?? [500, {}, ''];
    response.writeHead(status, headers).end(body);
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const baseUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return { client: createClient({ baseUrl }), asked, [Symbol.dispose]: () => void http.close() };
}

const refusal = (code: string) => JSON.stringify({ error: { code, message: code, status: 0, details: [] } });

test('retries with the same key, unless the server forbids a retry', async () => {
  using patient = await scripted([
    [503, { 'Retry-After': '0' }, refusal('overloaded')],
    [409, { 'Retry-After': '0', 'x-should-retry': 'false' }, refusal('idempotency_in_flight')],
    [200, {}, '{"id":"ses_1"}'],
  ]);
  expect(await patient.client.sessions.create()).toEqual({ id: 'ses_1' });
  expect(new Set(patient.asked).size).toBe(1);
  expect(patient.asked[0]).toMatch(/^POST [0-9a-f]{32}$/);

  for (const [status, headers, body, error] of [
    [409, { 'Retry-After': '0', 'x-should-retry': 'false' }, refusal('session_locked'), { code: 'session_locked' }],
    [503, { 'Retry-After': '3600' }, refusal('overloaded'), { code: 'overloaded', retryAfterMs: 3_600_000 }],
    [200, {}, '<html>', { code: 'unexpected_answer' }],
    [404, {}, '<html>', { code: 'unexpected_answer', status: 404 }],
    [500, {}, refusal('internal_error'), { code: 'internal_error', status: 500 }],
  ] as const) {
    using other = await scripted([[status, headers, body]]);
    await expect(other.client.sessions.create()).rejects.toMatchObject(error);
    expect(other.asked).toHaveLength(1);
  }
});

test('immediately reports a response that is not from Chorus, for every kind of request', async () => {
  const pages = Array.from({ length: 6 }, (): [number, Record<string, string>, string] => [
    200,
    { 'Content-Type': 'text/html' },
    '<html>',
  ]);
  using elsewhere = await scripted(pages);
  const { chat, jobs, assets, archive, batches } = elsewhere.client;
  for (const ask of [
    () => chat.send({ message: 'x' }),
    () => Array.fromAsync(jobs.all()),
    () => assets.upload(new File(['x'], 'x.txt')),
    () => chat.stream({ message: 'x' }).done(),
    () => Array.fromAsync(archive.export()),
    () => Array.fromAsync(batches.results('bat_1')),
  ])
    await expect(ask()).rejects.toMatchObject({ code: 'unexpected_answer', retryable: false });
  expect(elsewhere.asked).toHaveLength(6);
  expect(() => createClient({ baseUrl: 'localhost:8080' })).toThrow('baseUrl must begin with http');
  await expect(createClient().me.get()).rejects.toThrow('baseUrl is missing');
  await expect(jobs.get('..')).rejects.toThrow(`job_id can't be ".."`);
});

test('does not repeat a change that may have taken effect', async () => {
  using gateway = await scripted([
    [502, {}, ''],
    [502, {}, ''],
    [200, {}, '{"id":"ses_1"}'],
  ]);
  await expect(gateway.client.sessions.update('ses_1', { title: 'x' })).rejects.toMatchObject({ status: 502 });
  expect(await gateway.client.sessions.get('ses_1')).toEqual({ id: 'ses_1' });
  expect(gateway.asked).toEqual(['PATCH ', 'GET ', 'GET ']);
});

/** Not by way of the network that is lost. */
const createAsDirect = () => createClient({ baseUrl: server.url, token: server.accessToken });
