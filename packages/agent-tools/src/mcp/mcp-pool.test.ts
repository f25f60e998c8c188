import { once } from 'node:events';
import { pipeline, Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { McpFailure } from './mcp-failure.ts';
import { McpPool, type McpPoolOptions } from './mcp-pool.ts';
import { connectTo, listen, log, lyingServer, outbound, sendJson, startMcpServer } from './test-mcp-server.ts';

const never = () => new AbortController().signal;

function newPool(options: Partial<McpPoolOptions> = {}): McpPool {
  const pool = new McpPool({ outbound, log, ...options });
  onTestFinished(() => pool.close());
  return pool;
}

const call = (pool: McpPool, server: ReturnType<typeof connectTo>, name: string, args = {}, signal = never()) =>
  pool.call(server, name, args, { signal, repeatable: false });

async function failure(work: Promise<unknown>): Promise<McpFailure> {
  const error = await work.catch((cause: unknown) => cause);
  if (!(error instanceof McpFailure)) throw error;
  return error;
}

test.each([true, false])('calls tools with stored headers over one session (JSON answers: %s)', async (asJson) => {
  const server = await startMcpServer(
    (sdk) =>
      sdk.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
        content: [{ type: 'text', text: String(a + b) }],
      })),
    { asJson },
  );
  const pool = newPool();
  const target = connectTo(server.url, { authorization: 'Bearer tok_123' });
  expect((await pool.tools(target, never())).map(({ name }) => name)).toEqual(['add']);
  const sums = await Promise.all([1, 2, 3].map((a) => call(pool, target, 'add', { a, b: 1 })));
  expect(sums.map(({ content }) => content)).toEqual(['2', '3', '4'].map((text) => [{ type: 'text', text }]));
  expect(new Set(server.seen.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer tok_123']));
  expect(server.sessions.size).toBe(1);
  await pool.close();
  expect(server.sessions.size).toBe(0);
});

test('lists of tools are cached until the server changes them', async () => {
  const server = await startMcpServer((sdk) => void sdk.registerTool('one', {}, () => ({ content: [] })));
  const pool = newPool();
  const target = connectTo(server.url);
  const names = async () => (await pool.tools(target, never())).map(({ name }) => name);
  const listening = server.next(({ method }) => method === 'GET');
  expect([await names(), await names()]).toEqual([['one'], ['one']]);
  await listening;
  expect(server.seen.filter(({ body }) => body?.method === 'tools/list')).toHaveLength(1);
  const [session] = server.sessions.values();
  session?.sdk.registerTool('two', {}, () => ({ content: [] }));
  await vi.waitFor(async () => expect(await names()).toEqual(['one', 'two']));
});

test('a server that did not respond is not retried immediately', async () => {
  let requests = 0;
  let answers = false;
  const { url } = await listen((request, response) => {
    if (answers)
      return lyingServer(({ id }, to) => sendJson(to, { jsonrpc: '2.0', id, result: { tools: [] } }))(
        request,
        response,
      );
    requests += 1;
  });
  const pool = newPool({ limits: { connectMs: 150 } });
  const target = connectTo(url);
  const first = await failure(pool.tools(target, never()));
  expect(await failure(pool.tools(target, never()))).toBe(first);
  expect(await failure(call(pool, target, 'x'))).toEqual(first);
  expect(requests).toBe(1);
  answers = true;
  // A check by a person, or a changed server, needs a new attempt.
  expect(await pool.tools(target, never(), true)).toEqual([]);
  expect(await pool.tools(target, never())).toEqual([]);
});

test('a list is read page by page, up to limits', async () => {
  let pages = 0;
  const handle = lyingServer(({ id }, response) => {
    pages += 1;
    const tools = [{ name: `tool_${pages}`, inputSchema: { type: 'object' } }, { name: 'broken' }, null];
    sendJson(response, { jsonrpc: '2.0', id, result: { tools, nextCursor: String(pages) } });
  });
  const { url } = await listen(handle);
  const pool = newPool({ limits: { pages: 4 } });
  const tools = await pool.tools(connectTo(url), never());
  expect(tools.map(({ name }) => name)).toEqual(['tool_1', 'tool_2', 'tool_3', 'tool_4']);
});

test('an aborted call is canceled at the server, and its stream closes', async () => {
  const server = await startMcpServer(
    (sdk) => void sdk.registerTool('slow', {}, (extra) => once(extra.signal, 'abort').then(() => ({ content: [] }))),
  );
  const pool = newPool();
  const leaving = new AbortController();
  const started = server.next(({ body }) => body?.method === 'tools/call');
  const canceled = server.next(({ body }) => body?.method === 'notifications/cancelled');
  const calling = call(pool, connectTo(server.url), 'slow', {}, leaving.signal);
  await started;
  leaving.abort(new Error('changed my mind'));
  await expect(calling).rejects.toThrow('changed my mind');
  expect((await canceled).body.params.requestId).toBe((await started).body.id);
});

test('waits for a server that is slow to confirm the connection, up to a limit', async () => {
  let confirmsAfterMs = 700;
  const { url } = await listen(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = (await json(request)) as { id?: number; method: string; params: object };
    if (id === undefined) return void setTimeout(() => response.writeHead(202).end(), confirmsAfterMs);
    const server = { ...params, capabilities: { tools: {} }, serverInfo: { name: 'slow', version: '1' } };
    sendJson(response, { jsonrpc: '2.0', id, result: method === 'initialize' ? server : { content: [] } });
  });
  expect(await call(newPool(), connectTo(url), 'look')).toEqual({ content: [] });
  confirmsAfterMs = 60_000;
  const late = failure(call(newPool({ limits: { connectMs: 300 } }), connectTo(url), 'look'));
  expect(await late).toMatchObject({ message: 'The MCP server did not answer in time.', notRun: true });
});

test('progress extends the time limit of a call, silence does not', async () => {
  const server = await startMcpServer((sdk) => {
    sdk.registerTool('steady', {}, async ({ _meta, sendNotification }) => {
      const progressToken = _meta?.progressToken ?? 0;
      await new Promise<void>((resolve) => {
        let progress = 0;
        const beat = setInterval(() => {
          progress += 1;
          void sendNotification({ method: 'notifications/progress', params: { progressToken, progress } });
          if (progress < 12) return;
          clearInterval(beat);
          resolve();
        }, 50);
      });
      return { content: [{ type: 'text', text: 'done' }] };
    });
    sdk.registerTool('silent', {}, () => new Promise(() => {}));
  });
  const pool = newPool({ limits: { callMs: 400 } });
  const target = connectTo(server.url);
  expect((await call(pool, target, 'steady')).content).toEqual([{ type: 'text', text: 'done' }]);
  expect((await failure(call(pool, target, 'silent'))).message).toBe('The MCP server did not answer in time.');
});

test('after an expired session, the call runs over a new one', async () => {
  const server = await startMcpServer(
    (sdk) => void sdk.registerTool('hi', {}, () => ({ content: [{ type: 'text', text: 'hi' }] })),
  );
  const pool = newPool();
  const target = connectTo(server.url);
  await call(pool, target, 'hi');
  server.sessions.clear();
  expect((await call(pool, target, 'hi')).content).toEqual([{ type: 'text', text: 'hi' }]);
  expect(server.sessions.size).toBe(1);
});

test('a server that dies during a call fails it immediately, and only harmless calls are repeated', async () => {
  let calls = 0;
  const { url } = await listen(
    lyingServer(({ id, method }, response) => {
      if (method === 'tools/list') return sendJson(response, { jsonrpc: '2.0', id, result: { tools: [] } });
      calls += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': dying\n\n', () => response.destroy());
    }),
  );
  const pool = newPool();
  const target = connectTo(url);
  await pool.tools(target, never());
  expect((await failure(call(pool, target, 'x'))).message).toMatch(/broke|without a result/);
  expect(calls).toBe(1);
  await pool.tools({ ...target, version: '2' }, never());
  const repeating = pool.call({ ...target, version: '2' }, 'x', {}, { signal: never(), repeatable: true });
  expect((await failure(repeating)).message).toMatch(/broke|without a result/);
  expect(calls).toBe(3);
});

test('a write with a response that is too large is not repeated', async () => {
  let calls = 0;
  const { url } = await listen(
    lyingServer(({ id, method }, response) => {
      if (method === 'tools/list') return sendJson(response, { jsonrpc: '2.0', id, result: { tools: [] } });
      calls += 1;
      sendJson(response, { jsonrpc: '2.0', id, result: { content: [huge] } });
    }),
  );
  const pool = newPool({ limits: { answerBytes: 1_000_000 } });
  const target = connectTo(url);
  await pool.tools(target, never());
  expect((await failure(call(pool, target, 'x'))).message).toMatch(/too large/);
  expect(calls).toBe(1);
});

const huge = 'x'.repeat(2_000_000);
test.each<[string, (id: number | undefined) => { type: string; body: string; status?: number }, RegExp]>([
  ['garbage', () => ({ type: 'application/json', body: '<html>' }), /not valid MCP/],
  ['another type', () => ({ type: 'text/html', body: '<html>' }), /neither JSON nor an event stream/],
  [
    'another id',
    () => ({ type: 'application/json', body: '{"jsonrpc":"2.0","id":9999,"result":{}}' }),
    /without a result/,
  ],
  ['garbage events', () => ({ type: 'text/event-stream', body: 'data: {{{\n\n' }), /without a result/],
  ['nothing', () => ({ type: 'text/event-stream', body: '' }), /without a result/],
  [
    'a result of another shape',
    (id) => ({ type: 'application/json', body: JSON.stringify({ jsonrpc: '2.0', id, result: { content: 'text' } }) }),
    /not valid MCP/,
  ],
  [
    'a huge result',
    (id) => ({ type: 'application/json', body: JSON.stringify({ jsonrpc: '2.0', id, result: { content: [huge] } }) }),
    /too large/,
  ],
  ['huge events', () => ({ type: 'text/event-stream', body: `data: ${huge}` }), /too large/],
  ['a refusal', () => ({ type: 'text/plain', body: 'tok_123 is wrong', status: 401 }), /Check the stored headers/],
  ['a failure', () => ({ type: 'text/plain', body: 'tok_123', status: 500 }), /status 500/],
])('a server that answers with %s fails the call', async (_what, answer, message) => {
  const { url } = await listen(
    lyingServer(({ id }, response) => {
      const { type, body, status = 200 } = answer(id);
      response.writeHead(status, { 'content-type': type }).end(body);
    }),
  );
  const pool = newPool({ limits: { answerBytes: 1_000_000 } });
  const error = await failure(call(pool, connectTo(url, { authorization: 'Bearer tok_123' }), 'x'));
  expect(error.message).toMatch(message);
  expect(error.message).not.toContain('tok_123');
});

test('a server may be slow after its first response', async () => {
  const answer = lyingServer(({ id }, response) => sendJson(response, { jsonrpc: '2.0', id, result: { tools: [] } }));
  let posts = 0;
  const { url } = await listen((request, response) => {
    posts += request.method === 'POST' ? 1 : 0;
    setTimeout(() => answer(request, response), posts === 2 ? 700 : 0);
  });
  expect(await newPool().tools(connectTo(url), never())).toEqual([]);
});

test('private addresses, other hosts, and unreachable servers are refused', async () => {
  const pool = newPool();
  const inside = await failure(pool.tools(connectTo('http://127.0.0.2:8080/mcp'), never()));
  expect(inside.message).toBe('The URL must name a host with a public address.');
  const secrets: unknown[] = [];
  const thief = await listen((request, response) => {
    secrets.push(request.headers.authorization);
    response.end();
  });
  const { url } = await listen((_request, response) => response.writeHead(307, { location: thief.url }).end());
  const redirected = await failure(pool.tools(connectTo(url, { authorization: 'Bearer tok_123' }), never()));
  expect(redirected.message).toMatch(/status 307|another host/);
  expect([thief.connections, secrets]).toEqual([0, []]);
  const absent = await failure(pool.tools(connectTo('http://127.0.0.1:1025/mcp'), never()));
  expect(absent.message).toMatch(/could not be reached/);
});

test('unused connections close', async () => {
  const server = await startMcpServer((sdk) => void sdk.registerTool('one', {}, () => ({ content: [] })));
  const pool = newPool({ unusedMs: 1 });
  const closed = server.next(({ method }) => method === 'DELETE');
  await pool.tools(connectTo(server.url), never());
  await closed;
  await vi.waitFor(() => expect(server.sessions.size).toBe(0));
});

/** Sends a list of empty lists of 15.9 MB, and tells how much was sent when the connection closed. */
function floods(asEvents: boolean) {
  const sent = Promise.withResolvers<number>();
  const handle = lyingServer(({ id }, response) => {
    let bytes = 0;
    const pieces = function* () {
      const begin = `{"jsonrpc":"2.0","id":${id},"result":{"nextCursor":"more","content":[],"tools":[[]`;
      yield asEvents ? `data: ${begin}` : begin;
      const piece = ',[]'.repeat(10_000);
      for (; bytes < 15_900_000; bytes += piece.length) yield piece;
      yield asEvents ? ']}}\n\n' : ']}}';
    };
    response.writeHead(200, { 'content-type': asEvents ? 'text/event-stream' : 'application/json' });
    pipeline(Readable.from(pieces()), response, () => sent.resolve(bytes));
  });
  return { handle, sent: sent.promise };
}

test.each([
  ['tools/list', true],
  ['tools/list', false],
  ['tools/call', true],
  ['tools/call', false],
])('an answer of millions of values is refused while it arrives: %s (as events: %s)', async (method, asEvents) => {
  const { handle, sent } = floods(asEvents);
  const { url } = await listen(handle);
  const pool = newPool();
  const asking = method === 'tools/list' ? pool.tools(connectTo(url), never()) : call(pool, connectTo(url), 'x');
  expect((await failure(asking)).message).toMatch(/^The answer of the MCP server has an array of more than 20000/);
  expect(await sent).toBeLessThan(8_000_000);
});

test('a list is at most 1 MB, and a result 16 MB', async () => {
  const text = 'x'.repeat(1_100_000);
  const { url } = await listen(
    lyingServer(({ id, method }, response) => {
      const tool = { name: 'one', description: text, inputSchema: { type: 'object' } };
      const result = method === 'tools/list' ? { tools: [tool] } : { content: [{ type: 'text', text }] };
      sendJson(response, { jsonrpc: '2.0', id, result });
    }),
  );
  const pool = newPool();
  expect((await failure(pool.tools(connectTo(url), never()))).message).toMatch(/too large/);
  expect((await call(pool, connectTo(url), 'x')).content).toHaveLength(1);
});

test('lists of one owner are read one at a time', async () => {
  const reading = { now: 0, most: 0 };
  let pages = 0;
  const { url } = await listen(
    lyingServer(({ id }, response) => {
      reading.now += 1;
      reading.most = Math.max(reading.most, reading.now);
      pages += 1;
      // Answers once every other request that is going to come has come.
      setTimeout(() => {
        reading.now -= 1;
        sendJson(response, { jsonrpc: '2.0', id, result: { tools: [] } });
      }, 50);
    }),
  );
  const pool = newPool();
  const serverOf = (owner: string) => ({ ...connectTo(url), owner });
  await Promise.all(Array.from({ length: 5 }, () => pool.tools(serverOf('ada'), never())));
  expect([pages, reading.most]).toEqual([5, 1]);
});

test('the pages of a list share a time limit', async () => {
  let pages = 0;
  const { url } = await listen(
    lyingServer(({ id }, response) => {
      pages += 1;
      setTimeout(
        () => sendJson(response, { jsonrpc: '2.0', id, result: { tools: [], nextCursor: String(pages) } }),
        60,
      );
    }),
  );
  const pool = newPool({ limits: { listMs: 200 } });
  expect((await failure(pool.tools(connectTo(url), never()))).message).toBe('The MCP server did not answer in time.');
  expect(pages).toBeLessThan(20);
});
