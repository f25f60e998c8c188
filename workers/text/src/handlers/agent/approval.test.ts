import { NO_ACTOR, newId } from '@chorus/contract';
import { decideCall } from '@chorus/queue';
import { callTool, say } from '@chorus/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { callsIn, fakeTool, resultsIn, startAgents, type TestAgents, type Turn, textIn } from './test-agents.ts';

let agents: TestAgents;

beforeAll(async () => {
  agents = await startAgents();
});
afterEach(() => agents.stopWorkers());
afterAll(() => agents.close());

const audit = { record: async () => undefined };

function decide(turn: Turn, tool_call_id: string, decision: 'approve' | 'deny', reason?: string) {
  const { database, dispatcher } = agents;
  const parts = { database, dispatcher, actor: NO_ACTOR, audit };
  return decideCall(parts, { owner: turn.owner, role: 'owner' }, turn.id, { tool_call_id, decision, reason });
}

/** A model that calls `read` and `mail` together, and then answers. */
async function waitingTurn({ stateless = false, approval = 'writes' as const } = {}) {
  const read = fakeTool('read');
  const mail = fakeTool('mail', { effect: 'write' });
  const seen: string[][] = [];
  const model = agents.model(({ steps, body }) => {
    seen.push(resultsIn(body));
    return steps === 0
      ? [...say('Mailing.'), ...callTool('read', {}, 0), ...callTool('mail', { n: 1 }, 1)]
      : say('Done.');
  });
  await agents.startWorker([read.tool, mail.tool]);
  const turn = await agents.ask(model, 'Mail.', { stateless, agent: { approval } });
  const event = await turn.until('execution.requires_action');
  const waiting = (await turn.record()) as NonNullable<Awaited<ReturnType<Turn['record']>>>;
  const [, call] = callsIn(waiting);
  return { read, mail, turn, seen, event, waiting, id: call?.id as string };
}

describe.each([{ stateless: false }, { stateless: true }])(
  'a call that needs approval ($stateless)',
  ({ stateless }) => {
    test('waits without a worker, and runs once it is approved', async () => {
      const { read, mail, turn, event, waiting, id } = await waitingTurn({ stateless });
      expect(read.calls).toHaveLength(1);
      expect(mail.calls).toHaveLength(0);
      expect(event).toMatchObject({
        required_action: { tool_calls: [{ tool_call_id: id, name: 'mail', arguments: '{"n":1}' }] },
      });
      expect(waiting).toMatchObject({ status: 'requires_action', finished_at: null });
      expect(waiting.usage.output_tokens).toBeGreaterThan(0);
      expect(callsIn(waiting).map(({ status }) => status)).toEqual(['succeeded', 'awaiting_approval']);
      // All processes may restart in the meantime.
      await agents.stopWorkers();
      expect(await agents.dispatcher.jobState(waiting)).toBe('unknown');
      await agents.startWorker([read.tool, mail.tool]);
      expect(await decide(turn, id, 'approve')).toMatchObject({ status: 'queued' });
      const record = await turn.ended();
      expect(mail.calls).toHaveLength(1);
      expect(read.calls).toHaveLength(1);
      expect(record).toMatchObject({ attempt: 2, approvals: [{ tool_call_id: id, decision: 'approve' }] });
      expect(callsIn(record).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
      expect(textIn(record)).toBe('Mailing.\n\nDone.');
      expect(turn.types).not.toContain('text.reset');
      expect(record.usage.output_tokens).toBeGreaterThan(waiting.usage.output_tokens);
    });

    test('is not run if it is denied, and the model sees the reason', async () => {
      const { mail, turn, seen, id } = await waitingTurn({ stateless });
      await decide(turn, id, 'deny', 'Not on Sundays.');
      const record = await turn.ended();
      expect(mail.calls).toHaveLength(0);
      expect(callsIn(record)[1]).toMatchObject({ status: 'denied', result: 'Not on Sundays.' });
      expect(seen.at(-1)?.[1]).toContain('a person denied it. Reason: Not on Sundays.');
    });
  },
);

test('continues once all of its calls are decided', async () => {
  const { read, mail, turn, waiting } = await waitingTurn({ approval: 'always' as never });
  const [first, second] = callsIn(waiting);
  expect(read.calls).toHaveLength(0);
  expect(await decide(turn, first?.id as string, 'approve')).toMatchObject({ status: 'requires_action' });
  expect(await decide(turn, second?.id as string, 'deny')).toMatchObject({ status: 'queued' });
  const record = await turn.ended();
  expect(callsIn(record).map(({ status }) => status)).toEqual(['succeeded', 'denied']);
  expect([read.calls.length, mail.calls.length]).toEqual([1, 0]);
});

test('by default, calls of servers and APIs wait unless they only read', async () => {
  const http = { type: 'http', id: 'api_x' };
  const tools = [
    fakeTool('read', { effect: 'read' }),
    fakeTool('remove', { effect: 'idempotent', origin: http }),
    fakeTool('draw', { effect: 'idempotent', origin: { type: 'generate_image' } }),
    fakeTool('mail', { effect: 'write' }),
  ].map(({ tool }) => tool);
  const model = agents.model(({ steps }) =>
    steps === 0 ? tools.flatMap(({ name }, at) => callTool(name, {}, at)) : say('Done.'),
  );
  await agents.startWorker(tools);
  const turn = await agents.ask(model, 'Go.', { agent: { approval: 'writes' } });
  await turn.until('execution.requires_action');
  const record = await turn.record();
  expect(record?.approvals?.map(({ name }) => name)).toEqual(['remove', 'mail']);
  await agents.dispatcher.cancel(turn.owner, turn.id);
});

test.each([
  ['writes', ['mail', 'remove']],
  ['always', ['mail', 'remove', 'read']],
] as const)('a server that asks for %s cannot be used without approval by any agent', async (minApproval, names) => {
  const server = { type: 'mcp', id: 'mcp_x' };
  const tools = [
    fakeTool('mail', { effect: 'write', origin: server, minApproval }),
    fakeTool('remove', { effect: 'idempotent', origin: server, minApproval }),
    fakeTool('read', { effect: 'read', origin: server, minApproval }),
  ];
  for (const approval of ['never', ['other']] as const) {
    const model = agents.model(({ steps }) =>
      steps === 0 ? tools.flatMap(({ tool }, at) => callTool(tool.name, {}, at)) : say('Done.'),
    );
    await agents.startWorker(tools.map(({ tool }) => tool));
    const own = { type: 'mcp', server_id: 'mcp_x', approval: 'never' } as const;
    const turn = await agents.ask(model, 'Go.', { agent: { approval: approval as never, tools: [own] } });
    await turn.until('execution.requires_action');
    expect((await turn.record())?.approvals?.map(({ name }) => name)).toEqual(names);
    await agents.dispatcher.cancel(turn.owner, turn.id);
    await agents.stopWorkers();
  }
  for (const { tool, calls } of tools) if (names.includes(tool.name as never)) expect(calls).toHaveLength(0);
});

test('counts one of several decisions, and accepts the same one again', async () => {
  const { mail, turn, id } = await waitingTurn();
  const decisions = await Promise.allSettled(
    Array.from({ length: 10 }, (_, at) => decide(turn, id, at % 2 === 0 ? 'approve' : 'deny')),
  );
  const made = (await turn.record())?.approvals?.[0]?.decision;
  const counted = decisions.flatMap(({ status }, at) =>
    status === 'fulfilled' ? [at % 2 === 0 ? 'approve' : 'deny'] : [],
  );
  expect(counted).toEqual(Array.from({ length: 5 }, () => made));
  const record = await turn.ended();
  expect(mail.calls).toHaveLength(made === 'approve' ? 1 : 0);
  const other = made === 'approve' ? 'deny' : 'approve';
  expect(await decide(turn, id, made as 'approve')).toMatchObject({ status: 'succeeded' });
  await expect(decide(turn, id, other)).rejects.toMatchObject({ code: 'already_decided' });
  await expect(decide(turn, 'call_other', 'deny')).rejects.toMatchObject({ code: 'not_found' });
  expect(record.attempt).toBe(2);
});

test('ends at once if it is cancelled while it waits', async () => {
  const { mail, turn, id, waiting } = await waitingTurn();
  const session = waiting.session_id as string;
  expect((await agents.database.sessions.get(turn.owner, session))?.active_execution_id).toBe(turn.id);
  expect(await agents.dispatcher.cancel(turn.owner, turn.id)).toMatchObject({ status: 'cancelled' });
  const record = await turn.ended('execution.cancelled');
  expect(record.usage).toEqual(waiting.usage);
  expect(textIn(record)).toBe('Mailing.');
  expect(callsIn(record).map(({ status, finished_at }) => [status, finished_at !== null])).toEqual([
    ['succeeded', true],
    ['denied', true],
  ]);
  // Nothing that was shown is taken back.
  expect(turn.types).not.toContain('text.reset');
  expect((await agents.database.sessions.get(turn.owner, session))?.active_execution_id).toBeNull();
  await expect(decide(turn, id, 'approve')).rejects.toMatchObject({ code: 'already_decided' });
  expect(mail.calls).toHaveLength(0);
});

test('is decided by its creator or an admin of the workspace', async () => {
  const workspace = crypto.randomUUID();
  const member = () => ({ scope: 'workspace', user_id: newId('user'), workspace_id: workspace }) as const;
  const [maker, other] = [member(), member()];
  const mail = fakeTool('mail', { effect: 'write' });
  const model = agents.model(({ steps }) => (steps === 0 ? callTool('mail', {}) : say('Done.')));
  await agents.startWorker([mail.tool]);
  const turn = await agents.ask(model, 'Mail.', { stateless: true, owner: maker, agent: { approval: 'writes' } });
  await turn.until('execution.requires_action');
  const tool_call_id = callsIn((await turn.record()) as never)[0]?.id as string;
  const { database, dispatcher } = agents;
  const as = (role: 'editor' | 'admin') =>
    decideCall({ database, dispatcher, actor: NO_ACTOR, audit }, { owner: other, role }, turn.id, {
      tool_call_id,
      decision: 'approve',
    });
  await expect(as('editor')).rejects.toMatchObject({ code: 'role_forbidden' });
  expect(await as('admin')).toMatchObject({ status: 'queued' });
  const record = await turn.ended();
  expect(record.approvals).toMatchObject([{ user_id: other.user_id }]);
});
