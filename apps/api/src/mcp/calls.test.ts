import { poll } from '@chorus/runtime/timing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSecondApi, type TestApi } from '../test-api.ts';
import { startTestServer, type TestServer } from '../test-server.ts';
import { connectClient, firstUserKey, send, toAnswer } from './test-mcp.ts';

let api: TestServer;
let other: Pick<TestApi, 'call' | 'url' | 'stop'>;
let key: string;
beforeAll(async () => {
  api = await startTestServer();
  other = await startSecondApi(api);
  key = await firstUserKey(api);
});
afterAll(async () => {
  await other.stop();
  await api.stop();
});

/** Waits until the newest execution satisfies `test`. */
async function newestJob(test: (job: { id: string; status: string }) => boolean) {
  const found = await poll(
    async () => {
      const [job] = (await api.call('GET', '/jobs?limit=1')).body.data;
      return job !== undefined && test(job) ? job : null;
    },
    { everyMs: 20, withinMs: 10_000 },
  );
  if (found === null) throw new Error('no such job');
  return found;
}

/** Sends requests of one method to the second process. */
const sendingTo =
  (url: string, isSent: (init: RequestInit) => boolean): typeof fetch =>
  (input, init = {}) =>
    fetch(isSent(init) ? new URL('/mcp', url) : input, init);

test('notifies of progress that only grows', async () => {
  const { client } = await connectClient(api.url, key);
  const reported: { progress: number; total?: number | undefined; message?: string | undefined }[] = [];
  const asked = { name: 'ask_knowledge', arguments: { question: 'count 20' } };
  const result = await client.callTool(asked, undefined, { onprogress: (progress) => reported.push(progress) });
  expect(result.isError).toBeUndefined();
  expect(reported.length).toBeGreaterThan(1);
  expect(reported[0]?.message).toBe('Queued');
  const steps = reported.map(({ progress }) => progress);
  expect(steps).toEqual([...new Set(steps)].sort((one, two) => one - two));
  await client.close();
});

test('says which provider a call waits for', async () => {
  const { client } = await connectClient(api.url, key);
  const messages: unknown[] = [];
  const waiting = { type: 'execution.waiting', reason: 'away', provider: 'openai', until: null };
  const asked = { name: 'ask_knowledge', arguments: { question: `emit ${JSON.stringify([waiting])}` } };
  await client.callTool(asked, undefined, { onprogress: ({ message }) => messages.push(message) });
  expect(messages).toContain('Waiting for openai');
  await client.close();
});

test('cancels an execution by a notification to another process', async () => {
  const fetchAt = sendingTo(other.url, ({ body }) => String(body).includes('notifications/cancelled'));
  const { client } = await connectClient(api.url, key, { fetch: fetchAt });
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  const aborting = new AbortController();
  const asked = { name: 'ask_knowledge', arguments: { question: 'hold 3' } };
  const calling = client.callTool(asked, undefined, { signal: aborting.signal });
  calling.catch(() => undefined);
  const { id } = await newestJob(({ status }) => status === 'running');
  aborting.abort('no longer needed');
  await expect(calling).rejects.toThrow('no longer needed');
  expect((await newestJob((job) => job.id === id && job.status === 'cancelled')).id).toBe(id);
  await client.ping();
  expect(errors).toEqual([]);
  await client.close();
});

test('does not start a call that was cancelled before', async () => {
  const { headers } = await send(api, {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: 'x' },
  });
  const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
  expect((await send(other, cancel, session)).status).toBe(202);
  const [before] = (await api.call('GET', '/jobs?limit=1')).body.data;
  const call = { name: 'ask_knowledge', arguments: { question: 'count 2' } };
  const early = await send(api, { jsonrpc: '2.0', id: 7, method: 'tools/call', params: call }, session);
  expect([early.status, early.body]).toEqual([202, '']);
  expect((await api.call('GET', '/jobs?limit=1')).body.data[0]?.id).toBe(before?.id);
  const sameId = await send(api, { jsonrpc: '2.0', id: '7', method: 'tools/call', params: call }, session);
  expect(sameId.body.result.structuredContent.status).toBe('succeeded');
});

test('a client that disconnects does not stop the work', async () => {
  const { client, call } = await connectClient(api.url, key);
  const calling = call('ask_knowledge', { question: 'hold 4' });
  calling.catch(() => undefined);
  const { id } = await newestJob(({ status }) => status === 'running');
  await client.close();
  await expect(calling).rejects.toThrow();
  const again = await connectClient(other.url, key);
  expect((await again.call('get_job', { job_id: id })).fields.status).toBe('running');
  api.release();
  expect((await again.call('get_job', { job_id: id, wait_s: 30 })).fields).toMatchObject({
    status: 'succeeded',
    result: { answer: '1 2 3 4 ' },
  });
  await again.client.close();
});

test('resumes the stream of a call on another process', async () => {
  const cut = new AbortController();
  const first: typeof fetch = async (input, init = {}) => {
    const isCall = String(init.body).includes('tools/call');
    if (init.method === 'GET') return fetch(new URL('/mcp', other.url), init);
    return fetch(input, isCall ? { ...init, signal: cut.signal } : init);
  };
  const { client } = await connectClient(api.url, key, { fetch: first });
  client.onerror = () => undefined;
  const steps: number[] = [];
  const onprogress = ({ progress }: { progress: number }) => {
    steps.push(progress);
    if (steps.length === 2) cut.abort();
  };
  const asked = { name: 'ask_knowledge', arguments: { question: 'count 150' } };
  const result = toAnswer((await client.callTool(asked, undefined, { onprogress })) as never);
  expect(result.fields).toMatchObject({ status: 'succeeded', answer: expect.stringMatching(/^1 2 3 .* 150 $/) });
  expect(cut.signal.aborted).toBe(true);
  expect(steps.length).toBeGreaterThan(2);
  expect(steps).toEqual([...new Set(steps)].sort((one, two) => one - two));
  await client.close();
});

test('ends a session, after which clients start a new one', async () => {
  const { client, transport } = await connectClient(api.url, key);
  const { sessionId = '' } = transport;
  expect(sessionId).toMatch(/^mcps_/);
  await transport.terminateSession();
  const gone = await send(
    other,
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { 'mcp-session-id': sessionId, authorization: `Bearer ${key}` },
  );
  expect([gone.status, gone.body.error.code]).toEqual([404, -32_001]);
  for (const unknown of ['nonsense', `${sessionId}x`])
    expect((await send(api, { jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': unknown })).status).toBe(
      404,
    );
  await client.close();
});

test('a session of another key cannot be used to cancel', async () => {
  const { client, transport } = await connectClient(api.url, key);
  const headers = { 'mcp-session-id': transport.sessionId ?? '', authorization: `Bearer ${await firstUserKey(api)}` };
  const calling = client.callTool({ name: 'ask_knowledge', arguments: { question: 'count 60' } });
  await newestJob(({ status }) => status === 'running' || status === 'succeeded');
  for (let requestId = 0; requestId < 4; requestId += 1)
    await send(api, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, headers);
  expect((await calling).structuredContent).toMatchObject({ status: 'succeeded' });
  await client.close();
});

test('sends a stream only to clients that take one, and keeps it to one frame per message', async () => {
  const call = {
    jsonrpc: '2.0',
    id: 'a',
    method: 'tools/call',
    params: { name: 'ask_knowledge', arguments: { question: 'count 2' } },
  };
  const plain = await send(api, call, { accept: 'application/json' });
  expect(plain.headers.get('content-type')).toContain('application/json');
  expect(plain.body).toMatchObject({ id: 'a', result: { structuredContent: { status: 'succeeded' } } });
  const stream = await send(api, call, { accept: 'application/json, text/event-stream' });
  expect(stream.headers.get('content-type')).toContain('text/event-stream');
  expect(stream.body).toMatch(/^data: \{.*\}\n\n$/);
});

test('hands its calls to another process when it stops', async () => {
  const stopping = await startTestServer();
  const next = await startSecondApi(stopping);
  const secret = await firstUserKey(stopping);
  const fetchAt = sendingTo(next.url, ({ method }) => method === 'GET');
  const { call, client } = await connectClient(stopping.url, secret, { fetch: fetchAt });
  const resumed = call('ask_knowledge', { question: 'hold 3' });
  const asked = { name: 'ask_knowledge', arguments: { question: 'hold 3' } };
  const older = send(
    stopping,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: asked },
    { accept: 'text/event-stream' },
  );
  await poll(async () => stopping.turns === 2 || null, { everyMs: 20, withinMs: 10_000 });
  stopping.services.streams.stop();
  // A client that cannot resume learns how to get the result.
  expect((await older).body).toContain('Call get_job with this job_id');
  stopping.release();
  expect((await resumed).fields).toMatchObject({ status: 'succeeded', answer: '1 2 3 ' });
  await client.close();
  await next.stop();
  await stopping.stop();
});
