import {
  type LogEvent,
  newId,
  type OutputItem,
  type ResponseOptions,
  responseId,
  responseOptions,
  type ToolCallItem,
} from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { failedOutcome, newExecution } from '@chorus/executions';
import { standardEventIssues } from '@chorus/testing';
import { expect, test } from 'vitest';
import { type ResponseEvent, ResponseEvents } from './response-events.ts';

const owner = { scope: 'personal', user_id: newId('user'), workspace_id: null } as const;
const usage = { input_tokens: 3, output_tokens: 5, total_tokens: 8, cost_usd: null, reasoning_tokens: 2 };

function recordWith(options: ResponseOptions): ExecutionRecord & { model: string } {
  const model = 'openai/gpt';
  const input = { model, items: [], options };
  return { ...newExecution({ id: newId('job'), kind: 'response', owner, model, input }), model };
}

const text = (delta: string, index = 0): LogEvent => ({ type: 'text.delta', index, delta });
const think = (delta: string, index = 0): LogEvent => ({ type: 'reasoning.delta', index, delta });
const call = (id: string, index: number, arguments_delta: string, first = false): LogEvent => ({
  type: 'tool_call.delta',
  index,
  call: index,
  id,
  name: `f_${id}`,
  ...(first && { first }),
  arguments_delta,
});
const reset: LogEvent = { type: 'text.reset', reason: 'worker_lost' };
const called = (id: string, argumentsText: string, signature?: string): ToolCallItem => ({
  type: 'tool_call',
  id,
  name: `f_${id}`,
  arguments: argumentsText,
  status: 'requested',
  result: null,
  started_at: null,
  finished_at: null,
  ...(signature !== undefined && { signature }),
});
const said = (...texts: string[]): OutputItem[] => texts.map((one) => ({ type: 'text', text: one }));

interface Script {
  options?: ResponseOptions;
  log: LogEvent[];
  /** Whether it has items of MCP servers, which the standard does not know. */
  mcp?: boolean;
  ended: Partial<ExecutionRecord>;
}

/** Translates a log, and checks the rules for every stream. */
function translate({ options = {}, log, ended, mcp = false }: Script) {
  const record = recordWith(options);
  const end: ExecutionRecord = {
    ...record,
    status: 'succeeded',
    finish_reason: 'stop',
    usage,
    started_at: new Date(),
    finished_at: new Date(),
    ...ended,
  };
  const run = () => {
    const events = new ResponseEvents(record, options);
    return [...events.begin(), ...log.flatMap((event) => events.add(event)), ...events.end(end)];
  };
  const events = run();
  expect(run()).toEqual(events);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  if (!mcp) expect(events.flatMap((event) => standardEventIssues(event))).toEqual([]);
  checkItems(events);
  const last = events.at(-1)?.response as { id: string; output: { id: string }[] };
  expect(last.id).toBe(responseId(record.id));
  return { events, last, suffix: record.id.slice('job_'.length) };
}

/** Each item begins once, ends once, and has no event outside of that; deltas add up to the final text. */
function checkItems(events: readonly ResponseEvent[]): void {
  const open = new Map<string, { index: number; text: string }>();
  const seen = new Set<string>();
  let next = 0;
  for (const { type, output_index, item_id, item, delta, ...rest } of events) {
    if (type === 'response.output_item.added') {
      const { id } = item as { id: string };
      expect([seen.has(id), output_index]).toEqual([false, next]);
      next += 1;
      seen.add(id);
      open.set(id, { index: output_index as number, text: '' });
    } else if (type === 'response.output_item.done') {
      const { id } = item as { id: string };
      expect(open.get(id)?.index).toBe(output_index);
      open.delete(id);
    } else if (item_id !== undefined) {
      const found = open.get(item_id as string);
      expect(found?.index).toBe(output_index);
      if (found && typeof delta === 'string') found.text += delta;
      if (/(output_text|refusal|arguments)\.done$/.test(type))
        expect(found?.text).toBe(rest.text ?? rest.refusal ?? rest.arguments);
    }
  }
  expect(open.size).toBe(0);
}

const typesOf = (events: readonly ResponseEvent[]) => events.map(({ type }) => type.replace('response.', ''));

const served = (change: Partial<ToolCallItem> = {}): ToolCallItem => ({
  ...called('c', '{"n":1}'),
  status: 'running',
  mcp: { server_label: 'x', name: 'read' },
  ...change,
});
const list: OutputItem = { type: 'mcp_list_tools', server_label: 'x', tools: [], error: 'down' };
const shown = (item: OutputItem, index: number): LogEvent => ({ type: 'output.item', index, item });

test.each([
  ['succeeded', 'completed', 'completed'],
  ['failed', 'failed', 'failed'],
] as const)('calls of MCP servers that have %s', (status, event, itemStatus) => {
  const ended = served({ status, result: 'r' });
  const asset = { type: 'asset', asset: {} } as OutputItem;
  const { events, last, suffix } = translate({
    mcp: true,
    log: [shown(list, 0), think('Hm.', 1), shown(served(), 2), shown(ended, 2), shown(asset, 3), text('Hi', 4)],
    ended: { output: [list, { type: 'reasoning', text: 'Hm.' }, ended, asset, ...said('Hi')] },
  });
  const types = typesOf(events);
  expect(types.filter((type) => type.startsWith('mcp_'))).toEqual([
    ...['mcp_list_tools.in_progress', 'mcp_list_tools.failed'],
    ...['mcp_call.in_progress', 'mcp_call_arguments.delta', 'mcp_call_arguments.done', `mcp_call.${event}`],
  ]);
  expect(types.indexOf('reasoning_summary_text.done')).toBeLessThan(types.indexOf('mcp_call.in_progress'));
  expect(last.output.map(({ id }) => id)).toEqual([
    ...[`mcpl_${suffix}_0`, `rs_${suffix}_1`, `mcp_${suffix}_2`, `msg_${suffix}_4`],
  ]);
  expect(last.output[2]).toMatchObject({ status: itemStatus, name: 'read', server_label: 'x' });
});

test('calls of MCP servers in an answer that starts over', () => {
  const ended = served({ status: 'succeeded', result: 'r' });
  const { events, suffix } = translate({
    mcp: true,
    log: [shown(served(), 0), reset, shown(served(), 0), shown(ended, 0), text('Hi', 1)],
    ended: { output: [ended, ...said('Hi')], resets: 1 },
  });
  const done = events.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item] : []));
  expect(done).toMatchObject([
    { id: `mcp_${suffix}_0`, status: 'incomplete', output: null },
    { id: `mcp_${suffix}_0_r1`, status: 'completed', output: 'r' },
    { id: `msg_${suffix}_1_r1` },
  ]);
});

test('a text', () => {
  const { events, last, suffix } = translate({
    log: [{ type: 'execution.started', attempt: 1 }, text('Hel'), text('lo')],
    ended: { output: said('Hello') },
  });
  expect(typesOf(events)).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'completed',
  ]);
  expect(events[0]?.response).toMatchObject({ status: 'in_progress', output: [], usage: null, completed_at: null });
  const item = {
    type: 'message',
    id: `msg_${suffix}_0`,
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }],
  };
  expect(events[8]?.item).toEqual(item);
  expect(last).toMatchObject({
    status: 'completed',
    output: [item],
    usage: { input_tokens: 3, output_tokens_details: { reasoning_tokens: 2 } },
  });
});

test('reasoning ends before the text, and again if it continues', () => {
  const { events, last } = translate({
    log: [think('First.'), text('So', 1), think(' Second.'), text('.', 1)],
    ended: { output: [{ type: 'reasoning', text: 'First. Second.', signature: 'sealed' }, ...said('So.')] },
    options: { include: ['reasoning.encrypted_content'] },
  });
  expect(typesOf(events).filter((type) => type.startsWith('reasoning'))).toEqual(
    ['part.added', 'text.delta', 'text.done', 'part.done', 'part.added', 'text.delta', 'text.done', 'part.done'].map(
      (name) => `reasoning_summary_${name}`,
    ),
  );
  expect(typesOf(events).indexOf('reasoning_summary_part.done')).toBeLessThan(
    typesOf(events).indexOf('output_text.delta'),
  );
  expect(last.output[0]).toMatchObject({
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'First. Second.' }],
    encrypted_content: 'sealed',
  });
});

test('sealed reasoning without words is an item; its seal is sent only on request', () => {
  const item: OutputItem = { type: 'reasoning', text: '', signature: 'sealed' };
  const { events, last } = translate({
    log: [text('Hi', 1), { type: 'output.item', index: 0, item }],
    ended: { output: [item, ...said('Hi')] },
  });
  expect(last.output).toMatchObject([{ type: 'reasoning', summary: [] }, { type: 'message' }]);
  expect(JSON.stringify(events)).not.toContain('sealed');
});

test('calls that are written at the same time', () => {
  const { events, last, suffix } = translate({
    log: [
      call('a', 0, '', true),
      call('b', 1, '{', true),
      call('a', 0, '{"x"'),
      call('b', 1, '}'),
      call('a', 0, ':1}'),
    ],
    ended: { output: [called('a', '{"x":1}'), called('b', '{}')], finish_reason: 'tool_calls' },
  });
  expect(last).toMatchObject({ status: 'completed', incomplete_details: null });
  expect(last.output).toEqual([
    {
      type: 'function_call',
      id: `fc_${suffix}_0`,
      status: 'completed',
      call_id: 'a',
      name: 'f_a',
      arguments: '{"x":1}',
    },
    { type: 'function_call', id: `fc_${suffix}_1`, status: 'completed', call_id: 'b', name: 'f_b', arguments: '{}' },
  ]);
  expect(events.find(({ type }) => type === 'response.output_item.added')?.item).toMatchObject({
    status: 'in_progress',
    arguments: '',
  });
});

test('a refusal', () => {
  const { events, last } = translate({
    log: [
      { type: 'refusal.delta', index: 0, delta: 'I will ' },
      { type: 'refusal.delta', index: 0, delta: 'not.' },
    ],
    ended: { output: [{ type: 'refusal', refusal: 'I will not.' }] },
  });
  expect(typesOf(events)).toContain('refusal.done');
  expect(last.output).toMatchObject([{ content: [{ type: 'refusal', refusal: 'I will not.' }] }]);
});

test('log probabilities, with their bytes', () => {
  const logprob = { token: 'é', logprob: -0.5, bytes: null, top_logprobs: [{ token: 'e', logprob: -1, bytes: [101] }] };
  const { events } = translate({
    log: [{ type: 'text.delta', index: 0, delta: 'é', logprobs: [logprob] }],
    ended: { output: [{ type: 'text', text: 'é', logprobs: [logprob] }] },
  });
  const shown = [{ ...logprob, bytes: [195, 169] }];
  expect(events.find(({ type }) => type === 'response.output_text.delta')?.logprobs).toEqual(shown);
  expect(events.find(({ type }) => type === 'response.output_text.done')?.logprobs).toEqual(shown);
});

test('an answer that starts over leaves its items incomplete, and repeats no id', () => {
  const { events, last, suffix } = translate({
    options: { background: true },
    log: [text('Old'), call('a', 1, '{"ha', true), reset, think('Hm.'), call('a', 1, '{}', true)],
    ended: { output: [{ type: 'reasoning', text: 'Hm.' }, called('a', '{}')], finish_reason: 'tool_calls', resets: 1 },
  });
  const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
  expect(done).toMatchObject([
    { id: `msg_${suffix}_0`, status: 'incomplete', content: [{ text: 'Old' }] },
    { id: `fc_${suffix}_1`, status: 'incomplete', call_id: 'a', arguments: '{"ha' },
    { id: `rs_${suffix}_0_r1` },
    { id: `fc_${suffix}_1_r1`, status: 'completed', call_id: 'a_r1', arguments: '{}' },
  ]);
  expect(last.output).toEqual(done.slice(2));
});

test('a background response is queued until something happens', () => {
  const record = recordWith({ background: true });
  const events = new ResponseEvents(record, { background: true });
  expect(typesOf(events.begin())).toEqual(['created', 'queued']);
  expect(events.add({ type: 'execution.waiting', reason: 'away', provider: 'openai', until: null })).toEqual([]);
  expect(typesOf(events.add({ type: 'execution.started', attempt: 1 }))).toEqual(['in_progress']);
  expect(events.add({ type: 'execution.started', attempt: 2 })).toEqual([]);
});

test.each([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
])('an answer that ends by %s is incomplete', (finish_reason, reason) => {
  const { events, last } = translate({
    log: [text('One'), text('Two', 1)],
    ended: { output: said('One', 'Two'), finish_reason },
  });
  expect(events.at(-1)?.type).toBe('response.incomplete');
  expect(last).toMatchObject({
    status: 'incomplete',
    completed_at: null,
    incomplete_details: { reason },
    output: [{ status: 'completed' }, { status: 'incomplete' }],
  });
});

test('a failure is an error event, and then a failed response with what was shown', () => {
  const { events, last } = translate({
    log: [text('Half')],
    ended: failedOutcome(new Error('secret'), null, { output: said('Half') }),
  });
  expect(typesOf(events).slice(-3)).toEqual(['output_item.done', 'error', 'failed']);
  expect(events.at(-2)?.error).toMatchObject({ type: 'server_error', code: 'internal_error' });
  expect(last).toMatchObject({ status: 'failed', error: { code: 'server_error' }, output: [{ status: 'incomplete' }] });
  expect(JSON.stringify(events)).not.toContain('secret');
});

test('a cancelled response ends as incomplete, also from the queue', () => {
  const { events, last } = translate({ log: [text('Ha')], ended: { status: 'cancelled', output: said('Ha') } });
  expect(events.at(-1)?.type).toBe('response.incomplete');
  expect(last).toMatchObject({ status: 'cancelled', incomplete_details: null, error: null });
  const options = { background: true };
  const queued = translate({ options, log: [], ended: { status: 'cancelled', started_at: null } });
  expect(typesOf(queued.events)).toEqual(['created', 'queued', 'incomplete']);
});

test('the end shows what the log does not have', () => {
  const { events } = translate({
    log: [text('Hel')],
    ended: { output: [...said('Hello'), called('a', '{"x":1}')], finish_reason: 'tool_calls' },
  });
  const deltas = events.filter(({ type }) => type.endsWith('.delta')).map(({ delta }) => delta);
  expect(deltas).toEqual(['Hel', 'lo', '{"x":1}']);
});

test('repeats every option of the request in the form of the standard', () => {
  const options = responseOptions.parse({
    instructions: 'Be brief.',
    tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }],
    tool_choice: { type: 'allowed_tools', tools: [{ type: 'function', name: 'f' }] },
    parallel_tool_calls: false,
    max_tool_calls: 2,
    text: { format: { type: 'json_schema', name: 's', schema: { type: 'object' } }, verbosity: 'low' },
    reasoning: { effort: 'low', summary: 'auto' },
    temperature: 0.5,
    top_p: 0.9,
    presence_penalty: 1,
    frequency_penalty: -1,
    max_output_tokens: 100,
    top_logprobs: 2,
    truncation: 'auto',
    store: false,
    service_tier: 'flex',
    safety_identifier: 'me',
    prompt_cache_key: 'key',
  });
  const { last } = translate({ options, log: [], ended: { output: said('{}') } });
  expect(last).toMatchObject({
    ...options,
    tools: [{ type: 'function', name: 'f', description: null, parameters: { type: 'object' }, strict: null }],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
    text: { format: { type: 'json_schema', name: 's', description: null, schema: null, strict: false } },
  });
});
