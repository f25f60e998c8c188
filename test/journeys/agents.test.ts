import { callTool, say } from '@chorus/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type CountingMcpServer, startCountingMcpServer } from './counting-mcp-server.ts';
import type { Payload } from './event-stream.ts';
import { type Platform, startPlatform } from './platform.ts';
import { poll } from './poll.ts';

/** 15 s by contract, on an idle machine. */
const TAKEN_OVER_WITHIN_MS = 45_000;

const MODEL = 'compatible/words-1@agents';

let platform: Platform;
let server: CountingMcpServer;
let serverId: string;

beforeAll(async () => {
  server = await startCountingMcpServer();
  platform = await startPlatform({
    apis: 2,
    maintenance: 1,
    models: ['words-1@agents'],
    env: { OUTBOUND_ALLOW: '127.0.0.1' },
    script: ({ body }) => {
      const messages = body.messages as { role: string; content: string }[];
      const asked = messages.findLastIndex(({ role }) => role === 'user');
      if (messages.length > asked + 1) return { pieces: say('All done.') };
      const name = String(messages[asked]?.content).includes('mail') ? 'mail' : 'read';
      return { pieces: [...say('One moment.'), ...callTool(name, {})] };
    },
  });
  const registered = await platform.client.post('/mcp-servers', { name: 'Counting', url: server.url });
  expect(registered.status).toBe(200);
  serverId = registered.body.id;
});
afterAll(() => Promise.all([platform?.stop(), server?.close()]));
beforeEach(() => {
  platform.showLogsOnFailure();
  server.calls.length = 0;
});

async function ask(message: string, approval: string): Promise<string> {
  const { client } = platform;
  const tools = [{ type: 'mcp', server_id: serverId }];
  const { body: agent } = await client.post('/agents', { name: 'Acting', model: MODEL, tools, approval });
  const headers = { 'X-Agent-ID': agent.id, Prefer: 'respond-async' };
  return (await client.chat({ message }, { headers })).body.id;
}

const callsIn = ({ output }: Payload) => output.filter(({ type }: Payload) => type === 'tool_call');

it('a worker that is killed during a call that writes does not repeat it', { timeout: 120_000 }, async () => {
  server.hold();
  const id = await ask('Send a mail.', 'never');
  await poll('the call has reached the server', () => server.calls.length === 1);
  const killedAt = performance.now();
  await platform.textWorkers[0]?.end('SIGKILL');
  await platform.startTextWorker();
  await platform.client.waitForJob(id);
  expect(performance.now() - killedAt).toBeLessThan(TAKEN_OVER_WITHIN_MS);
  server.release();
  expect(server.calls).toHaveLength(1);
  const job = await platform.client.job(id);
  expect(callsIn(job)).toMatchObject([{ name: 'mail', status: 'unknown' }]);
  expect(job.attempt).toBe(2);
});

it('a call waits for approval while all processes restart', { timeout: 120_000 }, async () => {
  server.release();
  const id = await ask('Send a mail.', 'writes');
  const { required_action } = await platform.client.waitForJob(id, ['requires_action']);
  for (const process of [...platform.textWorkers, ...platform.maintenance, platform.apis[1]])
    await process?.end('SIGKILL');
  await Promise.all([platform.startTextWorker(), platform.startMaintenance()]);
  expect(server.calls).toEqual([]);
  const [call] = required_action.tool_calls;
  const decided = await platform.client.post(`/jobs/${id}/actions`, {
    ...{ tool_call_id: call.tool_call_id, decision: 'approve' },
  });
  expect(decided.status).toBe(200);
  expect(await platform.client.waitForJob(id)).toMatchObject({ status: 'succeeded' });
  expect(server.calls).toMatchObject([{ name: 'mail' }]);
});
