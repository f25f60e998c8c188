import { callTool, type FakePiece, say } from '@chorus/testing';
import type OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshPerson } from '../../test-people.ts';
import { startWorkersApi, type TestWorkersApi } from '../../test-workers.ts';
import { openAi } from './test-responses.ts';

const MODEL = 'compatible/words-3@client-tools';

let api: TestWorkersApi;
let client: OpenAI;
let answer: FakePiece[];

beforeAll(async () => {
  api = await startWorkersApi({ models: ['words-3@client-tools'], script: () => ({ pieces: answer }) });
  client = openAi(api, (await freshPerson(api)).fullKey);
});
afterAll(() => api?.stop());

type Items = OpenAI.Responses.ResponseInputItem[];
type Fields = Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming>;

/** Streams a response, as Codex does, with the answer of the model. */
async function respond(pieces: FakePiece[], input: Items, fields: Fields = {}) {
  answer = pieces;
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  const asked = { model: MODEL, input, store: false, stream: true as const };
  for await (const event of await client.responses.create({ ...asked, ...fields } as typeof asked)) events.push(event);
  const last = events.at(-1);
  if (last?.type !== 'response.completed') throw new Error(`The response ends with ${last?.type}`);
  return { events, output: last.response.output };
}

const user = (content: string) => ({ type: 'message' as const, role: 'user' as const, content });
const sent = () =>
  api.fake.requests.at(-1)?.body as {
    tools?: { function: { name: string; description?: string; parameters?: object } }[];
    messages: { role: string; content?: string; tool_calls?: { function: object }[] }[];
  };
const offered = () => sent().tools?.map((tool) => tool.function.name);

const schema = { type: 'object', properties: {} };
const patch = {
  type: 'custom' as const,
  name: 'apply_patch',
  description: 'Edits files.',
  format: { type: 'grammar' as const, syntax: 'lark' as const, definition: 'start: "*** Begin Patch"' },
};
const agents = {
  type: 'namespace' as const,
  name: 'agents',
  description: 'Other agents',
  tools: [
    { type: 'function' as const, name: 'list', description: 'Lists them', parameters: schema, strict: false },
    { type: 'custom' as const, name: 'exec', description: 'Runs code' },
  ],
};
const search = {
  type: 'tool_search' as const,
  execution: 'client' as const,
  description: 'Finds tools',
  parameters: schema,
};

test.each([
  ['the form that was asked for', { input: '*** Begin Patch\n' }],
  ['another one', '*** Begin Patch\n'],
])('a model calls a custom tool with text in %s', async (_, args) => {
  const { events, output } = await respond(callTool('apply_patch', args), [user('Edit.')], { tools: [patch] });
  const [shown] = sent().tools ?? [];
  expect(shown?.function).toMatchObject({ name: 'apply_patch', parameters: { required: ['input'] } });
  expect(shown?.function.description).toContain('start: "*** Begin Patch"');
  const call = {
    ...{ type: 'custom_tool_call', id: expect.stringMatching(/^ctc_/), call_id: expect.any(String) },
    ...{ status: 'completed', name: 'apply_patch', input: '*** Begin Patch\n' },
  };
  expect(output).toEqual([call]);
  const types = events.map(({ type }) => type.replace('response.', ''));
  expect(types.slice(2)).toEqual([
    'output_item.added',
    'custom_tool_call_input.delta',
    'custom_tool_call_input.done',
    'output_item.done',
    'completed',
  ]);
  expect(events[2]).toMatchObject({ item: { ...call, status: 'in_progress', input: '' } });

  const result = { type: 'custom_tool_call_output' as const, call_id: (output[0] as { call_id: string }).call_id };
  const input = [user('Edit.'), output[0] as Items[0], { ...result, output: 'Done' }];
  await respond(say('Edited.'), input, { tools: [patch] });
  expect(sent().messages.slice(1)).toMatchObject([
    {
      role: 'assistant',
      tool_calls: [{ function: { name: 'apply_patch', arguments: '{"input":"*** Begin Patch\\n"}' } }],
    },
    { role: 'tool', content: 'Done' },
  ]);
});

test('the tools of a namespace are called by their own names', async () => {
  const list = await respond(callTool('agents__list', {}), [user('Who?')], { tools: [agents] });
  expect(offered()).toEqual(['agents__list', 'agents__exec']);
  expect(list.output).toMatchObject([{ type: 'function_call', namespace: 'agents', name: 'list', arguments: '{}' }]);
  const exec = await respond(callTool('agents__exec', { input: '1' }), [user('Run.')], { tools: [agents] });
  expect(exec.output).toMatchObject([{ type: 'custom_tool_call', namespace: 'agents', name: 'exec', input: '1' }]);

  const [call] = list.output as { call_id: string }[];
  const result = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: '[]' };
  await respond(say('None.'), [user('Who?'), list.output[0] as Items[0], result], { tools: [agents] });
  expect(sent().messages[1]?.tool_calls).toMatchObject([{ function: { name: 'agents__list' } }]);
});

test('a search for tools runs at the caller, and its tools are then offered', async () => {
  const found = await respond(callTool('tool_search', { query: 'agents' }), [user('Who?')], { tools: [search] });
  expect(found.output).toMatchObject([
    { type: 'tool_search_call', execution: 'client', status: 'completed', arguments: { query: 'agents' } },
  ]);
  const { call_id } = found.output[0] as { call_id: string };
  const result = { type: 'tool_search_output' as const, call_id, execution: 'client' as const, tools: [agents] };
  const input = [user('Who?'), found.output[0], result] as Items;
  const list = await respond(callTool('agents__list', {}), input, { tools: [search] });
  expect(offered()).toEqual(['tool_search', 'agents__list', 'agents__exec']);
  expect(sent().messages.at(-1)).toMatchObject({
    content: 'These tools can be called now: agents__list, agents__exec',
  });
  expect(list.output).toMatchObject([{ type: 'function_call', namespace: 'agents', name: 'list' }]);
});

test('accepts what Codex sends', async () => {
  const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'high' };
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'view_image', arguments: '{}' };
  const input = [
    { type: 'message', id: 'msg_1', role: 'developer', content: [{ type: 'input_text', text: 'You are Codex.' }] },
    { type: 'message', id: 'msg_2', role: 'user', content: [{ type: 'input_text', text: 'Look.' }] },
    { type: 'reasoning', summary: [], content: null, encrypted_content: 'sealed' },
    call,
    { type: 'function_call_output', call_id: 'call_1', output: [image] },
  ];
  const { output } = await respond(
    say('A door.'),
    input as Items,
    {
      ...{ parallel_tool_calls: true, tool_choice: 'auto', prompt_cache_key: 'p', text: { verbosity: 'low' } },
      ...{ reasoning: { effort: 'medium', summary: 'auto', context: 'all_turns' }, client_metadata: { turn_id: 't' } },
      include: ['reasoning.encrypted_content'],
      tools: [agents, patch, search],
    } as Fields,
  );
  expect(output).toMatchObject([{ type: 'message', content: [{ text: 'A door.' }] }]);
});

test('an item may bring further tools', async () => {
  const more = { type: 'additional_tools', role: 'developer', tools: [agents, patch] };
  const { output } = await respond(callTool('apply_patch', { input: 'x' }), [more, user('Edit.')] as Items, {
    tools: [patch],
  });
  expect(offered()).toEqual(['apply_patch', 'agents__list', 'agents__exec']);
  expect(sent().messages.map(({ role }) => role)).toEqual(['user']);
  expect(output).toMatchObject([{ type: 'custom_tool_call', input: 'x' }]);
});

test('a stored conversation keeps custom calls', async () => {
  answer = callTool('apply_patch', { input: 'x' });
  const asked = { model: MODEL, tools: [patch], tool_choice: { type: 'custom' as const, name: 'apply_patch' } };
  const first = await client.responses.create({ ...asked, input: 'Edit.' });
  const { call_id } = first.output[0] as { call_id: string };
  answer = say('Edited.');
  const next = await client.responses.create({
    ...asked,
    tool_choice: 'auto',
    previous_response_id: first.id,
    input: [{ type: 'custom_tool_call_output', call_id, output: 'Done' }],
  });
  expect(next.output_text).toBe('Edited.');
  expect(sent().messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  const items = (await client.responses.inputItems.list(next.id, { order: 'asc' })).data;
  expect(items).toMatchObject([
    { type: 'message' },
    { type: 'custom_tool_call', call_id, input: 'x', status: 'completed' },
    { type: 'custom_tool_call_output', call_id, output: 'Done' },
  ]);
});
