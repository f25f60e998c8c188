import { AGENT_WORK_DEFAULTS, type LogEvent, NO_ACTOR } from '@chorus/contract';
import { decideCall } from '@chorus/queue';
import { callTool, fakeSpeech, say } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { personal, readAll, startTestVoice } from './test-voice.ts';

let voice: Awaited<ReturnType<typeof startTestVoice>>;
const agent = { ...AGENT_WORK_DEFAULTS, tools: [{ type: 'web_fetch' as const }] };
const tool = { origin: { type: 'mcp', id: 'mcp_x' }, binding: 'x', description: '', parameters: { type: 'object' } };

/** Resolves once the speech model was asked to say this. */
async function spoken(text: string): Promise<void> {
  await expect.poll(() => spokenTexts(), { timeout: 5_000 }).toContain(text);
}

const spokenTexts = () => voice.fake.requests.flatMap(({ body }) => (typeof body.input === 'string' ? body.input : []));

beforeAll(async () => {
  voice = await startTestVoice({
    script: ({ model, body }) => {
      const messages = (body.messages ?? []) as { role: string }[];
      const asked = messages.findLastIndex(({ role }) => role === 'user');
      if (messages.length > asked + 1) return { pieces: say('It is done.') };
      return { pieces: callTool(model.includes('mail') ? 'mail' : 'look', {}) };
    },
  });
  await voice.startText([
    { ...tool, name: 'mail', effect: 'write', run: async () => ({ text: 'sent' }) },
    {
      ...{ ...tool, name: 'look', effect: 'read' },
      run: async () => {
        await spoken('One moment.');
        return { text: 'seen' };
      },
    },
  ]);
  await voice.startVoice();
});
afterAll(() => voice.stop());

const textOf = (events: readonly LogEvent[]) =>
  events.map((event) => (event.type === 'text.delta' ? event.delta : '')).join('');

test('says that a tool takes a moment, and then the answer', async () => {
  const { reader } = await voice.dispatch(personal(), { model: 'compatible/words-1@look', agent, format: 'pcm' });
  const events = await readAll(reader);
  expect(textOf(events)).toBe('It is done.');
  expect(spokenTexts()).toEqual(['One moment.', 'It is done.']);
  const sound = events.flatMap((event) => (event.type === 'audio.delta' ? [Buffer.from(event.delta, 'base64')] : []));
  expect(Buffer.concat(sound).length).toBe(fakeSpeech('One moment.').length + fakeSpeech('It is done.').length);
});

test('says that it needs approval, and does not wait for it', async () => {
  const owner = personal();
  const { id, reader, chat } = await voice.dispatch(owner, { model: 'compatible/words-1@mail', agent });
  const events = await readAll(reader);
  expect(textOf(events)).toBe('I need your approval for that.');
  expect(spokenTexts()).toContain('I need your approval for that.');
  const { database, dispatcher } = voice;
  expect(await database.executions.get(owner, id)).toMatchObject({
    status: 'succeeded',
    output: [{ type: 'text', text: 'I need your approval for that.' }, { type: 'asset' }],
    warnings: [expect.stringContaining(`a decision about mail: see /api/v1/jobs/${chat.execution_id}`)],
  });
  const turn = await database.executions.get(owner, chat.execution_id);
  const { tool_call_id = '' } = turn?.approvals?.[0] ?? {};
  const actor = NO_ACTOR;
  const parts = { database, dispatcher, actor, audit: { record: async () => undefined } };
  await decideCall(parts, { owner, role: 'owner' }, chat.execution_id, { tool_call_id, decision: 'approve' });
  const message = async () => (await database.messages.get(owner, chat.assistant_message_id))?.content;
  await expect.poll(message, { timeout: 5_000 }).toBe('It is done.');
});
