import { AGENT_WORK_DEFAULTS, newId } from '@chorus/contract';
import { decideCall } from '@chorus/queue';
import { callTool, say } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestConversation, type TestConversation } from './test-conversation.ts';

let voice: TestConversation;
const tool = { origin: { type: 'mcp', id: 'mcp_x' }, binding: 'x', description: '', parameters: { type: 'object' } };
const spokenTexts = () => voice.fake.requests.flatMap(({ body }) => (typeof body.input === 'string' ? body.input : []));

beforeAll(async () => {
  const script = ({ body }: { body: Record<string, unknown> }) => {
    const messages = (body.messages ?? []) as { role: string; content: string }[];
    const asked = messages.findLastIndex(({ role }) => role === 'user');
    if (messages.length > asked + 1) return { pieces: say('It is done.') };
    return { pieces: callTool(String(messages[asked]?.content).includes('Mail') ? 'mail' : 'look', {}) };
  };
  voice = await startTestConversation({ script }, undefined, {}, [
    { ...tool, name: 'mail', effect: 'write', run: async () => ({ text: 'sent' }) },
    {
      ...{ ...tool, name: 'look', effect: 'read' },
      run: async () => {
        await expect.poll(spokenTexts, { timeout: 5_000 }).toContain('One moment.');
        return { text: 'seen' };
      },
    },
  ]);
});
afterAll(() => voice.stop());

const said = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});

/** Opens a socket with an agent that has tools. */
async function talk() {
  const { user, services } = voice;
  const owner = { scope: 'personal', user_id: user.id, workspace_id: null } as const;
  const now = new Date();
  const id = newId('agent');
  await services.database.agents.insert({
    ...{ id, owner, name: 'Acting', instructions: null, model: null, temperature: null, knowledge_tags: [] },
    ...{ voice: null, fallbacks: [], created_at: now, updated_at: now },
    ...AGENT_WORK_DEFAULTS,
    tools: [{ type: 'web_fetch' }],
  });
  return { owner, socket: await voice.talk('words-1@acting', `&agent_id=${id}`) };
}

test('an agent uses its tools, and says that one takes a moment', async () => {
  const { socket } = await talk();
  socket.send(said('Look.'));
  socket.send({ type: 'response.create' });
  const { response } = await socket.next('response.done');
  expect(response).toMatchObject({
    status: 'completed',
    output: [{ content: [{ type: 'output_audio', transcript: 'It is done.' }] }],
  });
  expect(spokenTexts()).toEqual(['One moment.', 'It is done.']);
  socket.client.close();
});

test('a call that needs approval is announced, and can be approved or interrupted', async () => {
  const { owner, socket } = await talk();
  const { database, dispatcher } = voice.services;
  socket.send(said('Mail it.'));
  socket.send({ type: 'response.create' });
  const first = await socket.next('response.requires_action');
  await expect.poll(spokenTexts).toContain('I need your approval for that.');
  const [call] = first.required_action.tool_calls;
  expect(call?.name).toBe('mail');
  const parts = { database, dispatcher, actor: voice.actor, audit: { record: async () => undefined } };
  const decision = { tool_call_id: call?.tool_call_id ?? '', decision: 'approve' as const };
  await decideCall(parts, { owner, role: 'owner' }, first.execution_id ?? '', decision);
  expect((await socket.next('response.done')).response).toMatchObject({
    status: 'completed',
    output: [{ content: [{ transcript: 'It is done.' }] }],
  });

  socket.send(said('Mail it again.'));
  socket.send({ type: 'response.create' });
  const second = await socket.next('response.requires_action');
  socket.send({ type: 'response.cancel' });
  expect((await socket.next('response.done')).response.status).toBe('cancelled');
  const status = async () => (await database.executions.get(owner, second.execution_id ?? ''))?.status;
  await expect.poll(status).toBe('cancelled');
  socket.client.close();
});
