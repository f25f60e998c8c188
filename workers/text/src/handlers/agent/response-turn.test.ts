import type { ConversationItem } from '@chorus/contract';
import { callTool, say } from '@chorus/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { callsIn, fakeTool, gate, resultsIn, startAgents, type TestAgents, textIn } from './test-agents.ts';

let agents: TestAgents;

beforeAll(async () => {
  agents = await startAgents();
});
afterEach(() => agents.stopWorkers());
afterAll(() => agents.close());

const asked: ConversationItem[] = [{ role: 'user', content: 'Mail it.' }];

function slowMail() {
  const started = gate();
  const go = gate();
  const mail = fakeTool('mail', {
    effect: 'write',
    run: async () => {
      started.open();
      await go.opened;
      return { text: 'sent' };
    },
  });
  return { mail, started: started.opened, go: go.open };
}

test('a worker that is killed during a call: the response continues, and the call is not repeated', async () => {
  const { mail, started, go } = slowMail();
  const model = agents.model(({ steps }) =>
    steps === 0 ? [...say('Mailing.'), ...callTool('mail', {})] : say('Done.'),
  );
  const first = await agents.startWorker([mail.tool]);
  // Clients of a stream cannot take text back.
  const turn = await agents.respond(model, asked, { stream: true });
  await started;
  await agents.startWorker([mail.tool]);
  await agents.kill(first);
  const record = await turn.ended();
  go();
  expect(mail.calls).toHaveLength(1);
  expect(record.output.map(({ type }) => type)).toEqual(['mcp_list_tools', 'text', 'tool_call', 'text']);
  expect(callsIn(record)).toMatchObject([{ status: 'unknown', mcp: { server_label: 'x', name: 'mail' } }]);
  expect(textIn(record)).toBe('Mailing.\n\nDone.');
  expect(turn.types).not.toContain('text.reset');
});

test('a worker that is killed during an approved call: the call is not repeated', async () => {
  const { mail, started, go } = slowMail();
  let results: string[] = [];
  const model = agents.model(({ body }) => {
    results = resultsIn(body);
    return say('Done.');
  });
  const first = await agents.startWorker([mail.tool]);
  const turn = await agents.respond(model, [
    ...asked,
    { type: 'mcp_approval_request', id: 'mcpr_1', server_label: 'x', name: 'mail', arguments: '{"to":"you"}' },
    { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
  ]);
  await started;
  await agents.startWorker([mail.tool]);
  await agents.kill(first);
  const record = await turn.ended();
  go();
  expect(mail.calls).toMatchObject([{ args: { to: 'you' } }]);
  expect(callsIn(record)).toMatchObject([{ status: 'unknown', mcp: { approval_request_id: 'mcpr_1' } }]);
  expect(results).toHaveLength(1);
  expect(results[0]).toContain('It is unknown whether it had its effect');
});

test('a server that does not answer has no tools, and the response says why', async () => {
  await agents.startWorker([], { unavailable: ['Weather: no answer within 15 s'] });
  const model = agents.model(({ body }) => say(`${(body.tools as unknown[] | undefined)?.length ?? 'No'} tools.`));
  const record = await (await agents.respond(model, asked, { tool_choice: 'auto', parallel_tool_calls: true })).ended();
  expect(record.output).toMatchObject([
    { type: 'mcp_list_tools', server_label: 'x', tools: [], error: 'Weather: no answer within 15 s' },
    { type: 'text', text: 'No tools.' },
  ]);
});

test('a conversation that is too long loses its oldest turns', async () => {
  const long: ConversationItem[] = Array.from({ length: 6 }, (_, at) => [
    { role: 'user' as const, content: `Question ${at}` },
    { role: 'assistant' as const, content: 'Yes.' },
  ]).flat();
  const { mail, go } = slowMail();
  go();
  await agents.startWorker([mail.tool]);
  const turn = await agents.respond('compatible/context-too-long-once', [...long, ...asked], { truncation: 'auto' });
  expect(await turn.ended()).toMatchObject({ status: 'succeeded' });
  const sent = JSON.stringify(agents.fake.requests.at(-1)?.body);
  expect(sent).toContain('Mail it.');
  expect(sent).not.toContain('Question 0');
});
