import type { LogEvent, OutputItem } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { expect, test } from 'vitest';
import { MessageFrames } from './message-frames.ts';

const call = (index: number, arguments_delta: string): LogEvent => ({
  ...{ type: 'tool_call.delta', index, call: index, id: `call_${index}`, name: 'weather' },
  arguments_delta,
});
const text = (index: number, delta: string): LogEvent => ({ type: 'text.delta', index, delta });
const thought = (index: number, delta: string): LogEvent => ({ type: 'reasoning.delta', index, delta });
const signed = (index: number, said: string): LogEvent => ({
  ...{ type: 'output.item', index },
  item: { type: 'reasoning', text: said, signature: 'signed' },
});

const ended = (fields: object = {}) =>
  ({
    ...{ id: 'job_1', model: 'a/b', status: 'succeeded', error: null, finish_reason: 'stop', output: [] },
    usage: { input_tokens: 9, output_tokens: 5, total_tokens: 14, cost_usd: 0, cached_input_tokens: 4 },
    ...fields,
  }) as unknown as ExecutionRecord;

// biome-ignore lint/suspicious/noExplicitAny: events of any shape
function eventsIn(stream: string): any[] {
  return stream
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
      const event = JSON.parse(data ?? '');
      expect(event.type).toBe(name);
      return event;
    });
}

const SHOWS = { signatures: true, hidesThinking: false, inputTokens: 7 };

function streamed(events: readonly LogEvent[], end: object = {}, shows: object = {}) {
  const frames = new MessageFrames(ended(), { ...SHOWS, ...shows });
  return eventsIn(events.map((event) => frames.running(event)).join('') + frames.terminal(ended(end)));
}

/** Writes blocks in short: `0 text: a|b`. */
// biome-ignore lint/suspicious/noExplicitAny: events of any shape
function blocksIn(events: any[]): string[] {
  const blocks: string[] = [];
  let open: number | null = null;
  for (const { type, index, content_block, delta } of events) {
    if (type === 'content_block_start') {
      expect([open, index]).toEqual([null, blocks.length]);
      open = index;
      blocks.push(`${content_block.type}:`);
    } else if (type === 'content_block_delta') {
      expect(index).toBe(open);
      const { type: _, ...said } = delta;
      blocks[index] += ` ${Object.values(said)[0]}`;
    } else if (type === 'content_block_stop') {
      expect(index).toBe(open);
      open = null;
    }
  }
  expect(open).toBe(null);
  return blocks;
}

test('a message starts, has its blocks, and stops with the reason and all usage', () => {
  const events = streamed([text(0, 'Hel'), text(0, 'lo')]);
  const usage = { cache_creation_input_tokens: 0, output_tokens_details: { thinking_tokens: 0 } };
  expect(events).toEqual([
    {
      type: 'message_start',
      message: {
        ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'a/b', content: [] },
        ...{ stop_reason: null, stop_sequence: null },
        usage: { input_tokens: 7, output_tokens: 0, cache_read_input_tokens: 0, ...usage },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { input_tokens: 5, output_tokens: 5, cache_read_input_tokens: 4, ...usage },
    },
    { type: 'message_stop' },
  ]);
});

test.each<[string, LogEvent[], string[]]>([
  [
    'thinking ends with its signature',
    [thought(0, 'Hm'), signed(0, 'Hm'), text(1, 'Yes')],
    ['thinking: Hm signed', 'text: Yes'],
  ],
  ['hidden thinking is redacted', [signed(0, ''), text(1, 'Yes')], ['redacted_thinking:', 'text: Yes']],
  ['unsigned thinking has no signature', [thought(0, 'Hm'), text(1, 'Yes')], ['thinking: Hm', 'text: Yes']],
  [
    'text that goes on is another block',
    [text(0, 'a'), call(1, '{}'), text(0, 'b')],
    ['text: a', 'tool_use: {}', 'text: b'],
  ],
  [
    'calls follow each other',
    [call(0, ''), call(0, '{"a"'), call(0, ':1}'), call(1, '{}')],
    ['tool_use: {"a" :1}', 'tool_use: {}'],
  ],
  [
    'a call waits until the one before is complete',
    [call(0, '{"a"'), call(1, '{'), call(0, ':1}'), call(1, '}')],
    ['tool_use: {"a" :1}', 'tool_use: { }'],
  ],
  [
    'calls without arguments end with the message',
    [call(0, ''), call(1, ''), call(2, '{}'), call(0, '{}'), call(1, '{}')],
    ['tool_use: {}', 'tool_use: {}', 'tool_use: {}'],
  ],
  ['a call that was cut ends with the message', [call(0, '{"a'), call(1, '{"b')], ['tool_use: {"a', 'tool_use: {"b']],
])('%s', (_, events, blocks) => {
  expect(blocksIn(streamed(events))).toEqual(blocks);
});

test.each([
  [{ hidesThinking: true }, ['thinking: signed', 'text: Yes']],
  [{ signatures: false }, ['thinking: Hm', 'text: Yes']],
  [{ signatures: false, hidesThinking: true }, ['text: Yes']],
])('with %j, the blocks are %j', (shows, blocks) => {
  const output = [
    { type: 'reasoning', text: 'Hm', signature: 'signed' },
    { type: 'text', text: 'Yes' },
  ];
  const events = [thought(0, 'Hm'), signed(0, 'Hm'), text(1, 'Yes')];
  expect(blocksIn(streamed(events, { output }, shows))).toEqual(blocks);
  if (!('signatures' in shows)) expect(blocksIn(streamed([], { output }, shows))).toEqual(blocks);
});

test.each([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['content_filter', 'refusal'],
])('the reason %s is %s', (finish_reason, stop_reason) => {
  expect(streamed([text(0, 'a')], { finish_reason }).at(-2).delta).toEqual({ stop_reason, stop_sequence: null });
});

test('an answer says at which text it stopped', () => {
  const delta = { stop_reason: 'stop_sequence', stop_sequence: 'END' };
  expect(streamed([text(0, 'a')], { stop_sequence: 'END' }).at(-2).delta).toEqual(delta);
});

test('a whole answer is streamed if none of it was', () => {
  const output: Partial<OutputItem>[] = [
    { type: 'reasoning', text: 'Hm', signature: 'signed' },
    { type: 'text', text: 'Yes' },
    { type: 'tool_call', id: 'call_1', name: 'weather', arguments: '{"a":1}', status: 'requested' },
    { type: 'tool_call', id: 'call_2', name: 'weather', arguments: '{}', status: 'succeeded' },
    { type: 'refusal', refusal: 'No' },
  ];
  const events = streamed([], { output });
  expect(blocksIn(events)).toEqual(['thinking: Hm', 'text: Yes', 'tool_use: {"a":1}', 'text: No']);
  expect(events.at(-2).delta.stop_reason).toBe('refusal');
});

test('a failure ends the stream with an error', () => {
  const error = { code: 'provider_error', message: 'No.', status: 502, details: [], request_id: 'req' };
  const [first, ...others] = streamed([text(0, 'a')], { status: 'failed', error });
  expect(first.type).toBe('message_start');
  expect(others.at(-1)).toEqual({
    type: 'error',
    error: { type: 'api_error', message: 'No.', details: { error_code: 'provider_error' } },
    request_id: 'req',
  });
});

test('a stream that waits starts the message once', () => {
  const frames = new MessageFrames(ended(), SHOWS);
  const events = eventsIn(frames.waiting() + frames.running(text(0, 'a')) + frames.terminal(ended()));
  expect(events.map(({ type }) => type).slice(0, 3)).toEqual(['message_start', 'ping', 'content_block_start']);
});
