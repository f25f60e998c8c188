import type { RunningEvent, TokenLogprob } from '@chorus/contract';
import { ShownOutput } from '@chorus/events';
import type { Passage } from '@chorus/knowledge/answering';
import type { ChatPart } from '@chorus/providers';
import { expect, test } from 'vitest';
import { type AnswerOptions, AnswerOutput } from './answer-output.ts';

type Part = Exclude<ChatPart, { type: 'finish' }>;

function show(parts: Part[], options: AnswerOptions = {}, isCut = false) {
  const events: RunningEvent[] = [];
  const shown = new ShownOutput();
  const answer = new AnswerOutput((event) => {
    events.push(event);
    shown.add(event);
    return undefined;
  }, options);
  for (const part of parts) answer.take(part);
  answer.end(isCut);
  return { events, output: shown.output(), answer };
}

const text = (said: string): Part => ({ type: 'text', text: said });
const call = (index: number, args: string, signature?: string): Part => ({
  type: 'tool_call',
  index,
  id: `call_${index}`,
  name: 'weather',
  arguments: args,
  ...(signature !== undefined && { signature }),
});
const requested = {
  type: 'tool_call',
  status: 'requested',
  result: null,
  started_at: null,
  finished_at: null,
} as const;
const logprob = (token: string): TokenLogprob => ({ token, logprob: -1, bytes: null, top_logprobs: [] });

test('numbers items in the order in which they appear', () => {
  const { events, output } = show([
    { type: 'reasoning', text: 'Rain' },
    { type: 'reasoning', text: '?' },
    text('Let me look.'),
    call(0, ''),
    call(1, '{"city"'),
    call(0, '{}'),
    call(1, ':"Oslo"}'),
  ]);
  expect(output).toEqual([
    { type: 'reasoning', text: 'Rain?' },
    { type: 'text', text: 'Let me look.' },
    { ...requested, id: 'call_0', name: 'weather', arguments: '{}' },
    { ...requested, id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
  ]);
  const calls = events.filter(({ type }) => type === 'tool_call.delta');
  expect(calls).toMatchObject([
    { index: 2, call: 0, id: 'call_0', name: 'weather', first: true, arguments_delta: '' },
    { index: 3, call: 1, first: true, arguments_delta: '{"city"' },
    { index: 2, call: 0, id: 'call_0', arguments_delta: '{}' },
    { index: 3, call: 1, arguments_delta: ':"Oslo"}' },
  ]);
  expect(calls.slice(2).every((event) => !('first' in event))).toBe(true);
});

test('an item with a signature is finished with it; another block of reasoning follows', () => {
  const { events, output } = show([
    { type: 'reasoning', text: 'One' },
    { type: 'reasoning', text: '', signature: 'sig-1' },
    { type: 'reasoning', text: 'Two', signature: 'sig-2' },
    { type: 'reasoning', text: '', signature: 'redacted' },
    call(0, '{}', 'sig-3'),
  ]);
  expect(output).toEqual([
    { type: 'reasoning', text: 'One', signature: 'sig-1' },
    { type: 'reasoning', text: 'Two', signature: 'sig-2' },
    { type: 'reasoning', text: '', signature: 'redacted' },
    { ...requested, id: 'call_0', name: 'weather', arguments: '{}', signature: 'sig-3' },
  ]);
  expect(events.filter(({ type }) => type === 'output.item')).toHaveLength(4);
});

test('keeps surrogate pairs of each item whole', () => {
  const { events, output } = show([
    { type: 'reasoning', text: 'a\ud83d' },
    call(0, '"\ud83d'),
    { type: 'refusal', text: 'No\ud83d' },
    { type: 'reasoning', text: '\ude00' },
    call(0, '\ude00"'),
  ]);
  expect(output).toMatchObject([{ text: 'a😀' }, { arguments: '"😀"' }, { type: 'refusal', refusal: 'No\ufffd' }]);
  expect(JSON.stringify(events)).not.toMatch(/\\ud/);
});

test('log probabilities wait for their text', () => {
  const { output } = show([
    { type: 'text', text: 'a', logprobs: [logprob('a')] },
    { type: 'text', text: '\ud83d', logprobs: [logprob('half')] },
    { type: 'text', text: '\ude00', logprobs: [logprob('other')] },
  ]);
  expect(output).toEqual([{ type: 'text', text: 'a😀', logprobs: [logprob('a'), logprob('half'), logprob('other')] }]);
});

test('cites sources beside tool calls', () => {
  const passage = { id: 'c', entry_id: 'kno_1', title: 'Tea', heading_path: [], page: null, score: 1 };
  const passages = [{ ...passage, text: 'Green tea comes from Japan.' } as unknown as Passage];
  const parts = [text('Green tea comes from Japan [1].'), call(0, '{}')];
  const { output } = show(parts, { sources: { passages, question: 'Where does green tea come from?' } });
  expect(output.map(({ type }) => type)).toEqual(['text', 'citation', 'tool_call']);
});

test('an answer as text only leaves out reasoning and tool calls, and shows a refusal', () => {
  const parts = [{ type: 'reasoning', text: 'Hm' }, { type: 'refusal', text: 'No.' }, call(0, '{}')] as Part[];
  expect(show(parts, { textOnly: true }).output).toEqual([{ type: 'text', text: 'No.' }]);
});

test.each<[string, Part]>([
  ['reasoning', { type: 'reasoning', text: 'x'.repeat(5_000_000) }],
  ['arguments', call(0, 'x'.repeat(5_000_000))],
  ['refusals', { type: 'refusal', text: 'x'.repeat(5_000_000) }],
  ['log probabilities', { type: 'text', text: '', logprobs: Array.from({ length: 80_000 }, () => logprob('a')) }],
])('bounds %s together with the text', (_name, part) => {
  const { answer, output } = show([text('y'.repeat(4_000_000)), part, text('more')]);
  expect(answer.full).toBe(true);
  expect(JSON.stringify(output).length).toBeLessThan(16_000_000);
  expect(output[0]).toMatchObject({ text: 'y'.repeat(4_000_000) });
});

test('bounds the number of calls', () => {
  const { answer, output } = show(Array.from({ length: 1_000 }, (_, index) => call(index, '{}')));
  expect(answer.full).toBe(true);
  expect(output).toHaveLength(256);
});

test('reasoning alone says nothing', () => {
  expect(show([{ type: 'reasoning', text: 'Hm' }]).answer.saysSomething).toBe(false);
  for (const part of [text('a'), call(0, ''), { type: 'refusal', text: 'No' } as const])
    expect(show([part]).answer.saysSomething).toBe(true);
});

test('a call without arguments has an empty object, unless the answer was cut', () => {
  const argumentsOf = (isCut: boolean) => show([call(0, '')], {}, isCut).output;
  expect(argumentsOf(false)).toEqual([{ ...requested, id: 'call_0', name: 'weather', arguments: '{}' }]);
  expect(argumentsOf(true)).toEqual([{ ...requested, id: 'call_0', name: 'weather', arguments: '' }]);
});
