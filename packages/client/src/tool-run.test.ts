import type { AgentTool } from '@chorus/agent-tools';
import { callTool, type FakePiece, say } from '@chorus/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startWorkersApi, type TestWorkersApi } from '../../../apps/api/src/test-workers.ts';
import { type ChorusClient, createClient, defineTool, type ToolCallItem, type ToolRunEvent, textOf } from './index.ts';

const model = 'compatible/words-3@tools';

let api: TestWorkersApi;
let client: ChorusClient;
/** Answers of the model, one after the other. */
let answers: FakePiece[][] = [];
let mails = 0;

const agentTool: AgentTool = {
  ...{
    name: 'mail',
    origin: { type: 'mcp', id: 'mcp_x' },
    binding: 'x',
    description: '',
    parameters: { type: 'object' },
  },
  effect: 'write',
  run: async () => {
    mails++;
    return { text: 'sent' };
  },
};

beforeAll(async () => {
  const script = ({ body }: { body: Record<string, unknown> }) =>
    body.model === 'refuse@tools' ? {} : { pieces: answers.shift() ?? say('Done.') };
  api = await startWorkersApi({ models: ['words-3@tools', 'refuse@tools'], script }, {}, [agentTool]);
  client = createClient({ baseUrl: api.url, token: api.accessToken });
});
afterAll(() => api?.stop());
beforeEach(() => {
  answers = [];
});

const weather = defineTool<{ city: string }>({
  description: 'The weather in a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  parse: (args) => {
    if (typeof (args as { city?: unknown }).city !== 'string') throw new Error('city is missing');
    return args as { city: string };
  },
  run: async ({ city }) => ({ city, rain: true }),
});

/** Results of tools in the last request to the model. */
const seen = () =>
  api.fake.requests
    .slice(-1)
    .flatMap(({ body }) => body.messages as { role: string; content: unknown }[])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => content);

test('runs calls of an answer at once, and sends their results in order', async () => {
  answers = [[...callTool('wait', {}, 0), ...callTool('weather', { city: 'Oslo' }, 1)], say('Take an umbrella.')];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const wait = defineTool({ run: () => held });
  const run = client.chat.runTools({ model, message: 'Rain?' }, { tools: { wait, weather } });
  const events: string[] = [];
  for await (const event of run) {
    if (event.type !== 'frame') events.push(`${event.type} ${'call' in event ? event.call.name : event.step}`);
    // The slower call ends last, but comes first in the results.
    if (event.type === 'call.finished' && event.call.name === 'weather') release();
  }
  expect(events).toEqual([
    'step.finished 0',
    'call.started wait',
    'call.started weather',
    'call.finished weather',
    'call.finished wait',
    'step.finished 1',
  ]);
  expect(seen()).toEqual(['Done.', '{"city":"Oslo","rain":true}']);
  const { execution, calls, limited } = await run.done();
  expect([textOf(execution), calls.map(({ call }) => call.name), limited]).toEqual([
    'Take an umbrella.',
    ['wait', 'weather'],
    false,
  ]);
  // The session continues, with the whole conversation.
  const messages = (await client.messages.list(execution.session_id ?? '')).data;
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant']);
});

test('reports errors to the model, even in a conversation without a session', async () => {
  answers = [
    [...callTool('weather', '{"city"', 0), ...callTool('weather', {}, 1), ...callTool('wether', {}, 2)],
    callTool('fails', {}),
    say('I cannot know.'),
  ];
  const fails = defineTool({
    run: () => {
      throw new Error('The station is closed.');
    },
  });
  const messages = [{ role: 'user' as const, content: 'Rain?' }];
  const { execution, calls } = await client.chat.runTools({ model, messages }, { tools: { weather, fails } }).done();
  expect(seen()).toEqual([
    expect.stringMatching(/^Error: The arguments are not valid JSON: /),
    'Error: city is missing',
    'Error: There is no tool "wether". Tools: weather, fails.',
    'Error: The station is closed.',
  ]);
  expect(calls.map(({ step, error }) => [step, error instanceof Error])).toEqual([
    [0, true],
    [0, true],
    [0, true],
    [1, true],
  ]);
  expect([execution.session_id, textOf(execution)]).toEqual([null, 'I cannot know.']);
});

test('ends after `maxSteps` with an answer without tools, and only forces a call once', async () => {
  const call = () => callTool('weather', { city: 'Oslo' });
  answers = [call(), call(), say('Enough.')];
  const from = api.fake.requests.length;
  const turn = { model, message: 'Rain?', tool_choice: 'required' as const };
  const { calls, limited } = await client.chat.runTools(turn, { tools: { weather }, maxSteps: 2 }).done();
  const choices = api.fake.requests.slice(from).map(({ body }) => (body as { tool_choice?: string }).tool_choice);
  expect([choices, calls.length, limited]).toEqual([['required', undefined, 'none'], 2, true]);
});

test('stops at an abort and at the end of the loop, and aborts running tools', async () => {
  for (const leave of ['abort', 'break'] as const) {
    answers = [callTool('forever', {})];
    const controller = new AbortController();
    let stopped = false;
    const forever = defineTool({
      run: (_args, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            stopped = true;
          });
        }),
    });
    const run = client.chat.runTools({ model, message: 'Wait.' }, { tools: { forever }, signal: controller.signal });
    const reading = (async () => {
      for await (const event of run) {
        if (event.type !== 'call.started') continue;
        if (leave === 'break') break;
        controller.abort(new Error('enough'));
      }
    })();
    if (leave === 'abort') await expect(reading).rejects.toThrow('enough');
    else await reading;
    expect(stopped).toBe(true);
  }
});

test('returns a failed answer, and reports events to a callback', async () => {
  const events: ToolRunEvent['type'][] = [];
  const turn = { model: 'compatible/refuse@tools', message: 'Rain?' };
  const options = { tools: { weather }, onEvent: ({ type }: ToolRunEvent) => events.push(type) };
  const { execution } = await client.chat.runTools(turn, options).done();
  expect([execution.status, events.at(-1)]).toEqual(['failed', 'step.finished']);
});

test('shows the calls of an agent, and those that wait for a decision', async () => {
  const server = await client.mcpServers.create({ name: 'Mail', url: 'https://mcp.example.org/mcp' });
  const tools = [{ type: 'mcp' as const, server_id: server.id }];
  const { id } = await client.agents.create({ name: 'Clerk', model, tools });
  for (const decision of ['approve', 'deny'] as const) {
    answers = [callTool('mail', { to: 'you' }), say('Settled.')];
    mails = 0;
    const stream = client.with({ agent: id }).chat.stream({ message: 'Send it.' });
    const statuses: (ToolCallItem['status'] | undefined)[] = [];
    for await (const { agentCalls, requiredAction, executionId } of stream.states()) {
      const [call] = agentCalls;
      if (call?.status !== statuses.at(-1)) statuses.push(call?.status);
      const [waiting] = requiredAction?.tool_calls ?? [];
      if (waiting)
        await client.jobs.decide(executionId ?? '', { tool_call_id: waiting.tool_call_id, decision, reason: 'No.' });
    }
    expect(statuses.filter(Boolean)).toEqual(
      decision === 'approve' ? ['awaiting_approval', 'running', 'succeeded'] : ['awaiting_approval', 'denied'],
    );
    expect([stream.progress.requiredAction, stream.progress.toolCalls, mails]).toEqual([
      null,
      [],
      decision === 'approve' ? 1 : 0,
    ]);
  }
});
