import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type BenchPlatform, startPlatform } from './platform.ts';
import { cpuBetween, cpuByName } from './process-family.ts';
import { heading, median, percentile, report } from './report.ts';

const STEPS = 16;

interface Load {
  callers: number;
  turns: number;
  /** The model begins its answer after this time. */
  modelMs: number;
}

/** If the model answered at once, twenty callers would measure only their queue. */
const LOADS: Load[] = [
  { callers: 1, turns: 30, modelMs: 0 },
  { callers: 20, turns: 60, modelMs: 500 },
];
const DIRECT = 30;

const modelOf = ({ modelMs }: Load) => `call-steps-${STEPS}${modelMs > 0 ? `-start-${modelMs}` : ''}`;

const document = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: { '/stock': { get: { operationId: 'stock', responses: { 200: { description: 'Done' } } } } },
};

/**
 * Measures what a step of an agent costs beyond its model and its tool: a step of a turn, minus a request to the
 * provider and one to the tool's server, which answers at once.
 */
export async function agents(): Promise<void> {
  heading(`Agents (turns of ${STEPS} steps with one call each)`);
  const platform = await startPlatform({ OUTBOUND_ALLOW: '127.0.0.1' });
  const server = await startToolServer();
  try {
    const base_url = server.url;
    const apiId = await create(platform, '/tool-apis', { name: 'Shop', document: JSON.stringify(document), base_url });
    const serverId = await create(platform, '/mcp-servers', { name: 'Shop', url: `${server.url}/mcp` });
    const kinds = {
      HTTP: { tool: { type: 'http', api_id: apiId }, call: () => callApi(server.url) },
      MCP: { tool: { type: 'mcp', server_id: serverId }, call: () => callMcp(server.url) },
    };
    for (const [name, { tool, call }] of Object.entries(kinds))
      for (const load of LOADS) {
        const asked = median(await timesOf(() => askProvider(platform, load), DIRECT));
        const direct = asked + median(await timesOf(call, DIRECT));
        const agent = (max_steps: number) =>
          create(platform, '/agents', {
            ...{ name, model: `compatible/${modelOf(load)}`, tools: [tool], approval: 'never', max_steps },
          });
        const [long, short] = await Promise.all([agent(STEPS), agent(1)]);
        await show(platform, { name, long, short, direct }, load);
      }
  } finally {
    server.stop();
    await platform.stop();
  }
}

/** Compares long turns with turns of one step, which cancels out the fixed cost of a turn. */
async function show(
  platform: BenchPlatform,
  { name, long, short, direct }: { name: string; long: string; short: string; direct: number },
  load: Load,
): Promise<void> {
  await run(platform, long, { ...load, turns: load.callers });
  const once = await run(platform, short, load);
  const before = cpuByName(platform.pid);
  const all = await run(platform, long, load);
  const used = cpuBetween(before, cpuByName(platform.pid)).filter(([, ms]) => ms > 0);
  const perStep = (share: number) => (percentile(all, share) - percentile(once, share)) / (STEPS - 1) - direct;
  const at = `${name}, ${load.callers} at a time`;
  const overhead = [0.1, 0.5, 0.9].map((share) => perStep(share).toFixed(1)).join(' / ');
  report(`overhead per step (ms), ${at}`, overhead, `beyond ${direct.toFixed(1)}; p10, median, p90; aim 10`);
  const cpu = (ms: number) => (ms / load.turns / STEPS).toFixed(2);
  const total = used.reduce((sum, [, ms]) => sum + ms, 0);
  report(`CPU per step (ms), ${at}`, cpu(total), used.map(([program, ms]) => `${program} ${cpu(ms)}`).join(', '));
}

/** Runs turns in a closed loop. Returns their times in milliseconds. */
async function run(platform: BenchPlatform, agent: string, { callers, turns }: Load): Promise<number[]> {
  const ask = async () => {
    const headers = { ...platform.headers, 'x-agent-id': agent };
    const body = await post(`${platform.api}/chat/completions`, headers, { message: 'Go.' });
    if (body.status !== 'succeeded') throw new Error(`a turn ended with ${JSON.stringify(body.error)}`);
  };
  const times: number[] = [];
  let left = turns;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left > 0) {
        left -= 1;
        times.push(...(await timesOf(ask, 1)));
      }
    }),
  );
  return times;
}

async function timesOf(work: () => Promise<unknown>, times: number): Promise<number[]> {
  const taken: number[] = [];
  for (let done = 0; done < times; done += 1) {
    const startedAt = performance.now();
    await work();
    taken.push(performance.now() - startedAt);
  }
  return taken;
}

const JSON_HEADERS = { 'content-type': 'application/json' };

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
async function post(url: string, headers: Record<string, string>, body: object): Promise<any> {
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const create = async ({ api, headers }: BenchPlatform, path: string, body: object): Promise<string> =>
  (await post(`${api}${path}`, headers, body)).id;

async function askProvider({ provider }: BenchPlatform, load: Load): Promise<void> {
  const tools = [{ type: 'function', function: { name: 'stock', parameters: { type: 'object' } } }];
  const body = { model: modelOf(load), stream: true, tools, messages: [{ role: 'user', content: 'Go.' }] };
  const answer = await fetch(`${provider}/chat/completions`, {
    ...{ method: 'POST', headers: { ...JSON_HEADERS, authorization: 'Bearer none' }, body: JSON.stringify(body) },
  });
  await answer.text();
}

const callApi = async (url: string) => (await fetch(`${url}/stock`)).text();

const callMcp = (url: string) =>
  post(`${url}/mcp`, JSON_HEADERS, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'stock' } });

/** Starts an API with `GET /stock`, and an MCP server with the tool `stock`. */
async function startToolServer(): Promise<{ url: string; stop(): void }> {
  const results: Record<string, (params: { protocolVersion?: string }) => object> = {
    initialize: ({ protocolVersion }) => ({
      ...{ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'shop', version: '1' } },
    }),
    'tools/list': () => ({ tools: [{ name: 'stock', inputSchema: { type: 'object' } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: '7' }] }),
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url !== '/mcp') return void response.end('7');
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await text(request));
    if (id === undefined) return void response.writeHead(202).end();
    const result = results[method]?.(params) ?? {};
    response.writeHead(200, JSON_HEADERS).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
