import { createAnthropic } from '@ai-sdk/anthropic';
import type { ChatSettings } from '@chorus/contract';
import { callTool, type FakePiece, say, startFakeProvider, think } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tools } from '../test-answers.ts';
import { anthropicMessages } from './anthropic.ts';
import { answerOf, event, expectSame, expectSameOf, type Recording, read, type TestWire } from './test-wires.ts';

const PIECES: FakePiece[] = [
  ...think('One.'),
  ...say('Well.'),
  { type: 'reasoning', text: '' },
  ...callTool('weather', { city: 'Oslo' }),
  ...callTool('news', {}, 1),
];

let fake: Awaited<ReturnType<typeof startFakeProvider>>;
beforeAll(async () => {
  fake = await startFakeProvider('anthropic', {
    script: ({ model }) => (model.includes('mixed') ? { pieces: PIECES } : undefined),
  });
});
afterAll(() => fake.close());

const WIRE: TestWire = {
  provider: 'anthropic',
  dialect: { namespace: 'anthropic', reasoning: 'signed', options: () => ({}) },
  make: (fetch) => (id) => createAnthropic({ baseURL: fake.url, apiKey: 'k', fetch }).messages(id),
  wire: anthropicMessages,
};

test.each<[string, ChatSettings?]>([
  ['words-9'],
  ['words-9', { max_tokens: 4 }],
  ['words-3-cached-2'],
  ['claude-sonnet-4-5-think-words-4', { reasoning_effort: 'low' }],
  ['claude-sonnet-4-5-mixed', { reasoning_effort: 'low', tools }],
  ['call-two', { tools }],
  ['call-empty', { tools }],
  ['filter-after-0'],
  ['filter-after-2'],
  ['error-after-0'],
  ['error-after-3'],
  ['cut-after-0'],
  ['cut-after-3'],
])('reads %s as the package does, in whatever pieces it comes', (model, settings) => expectSame(WIRE, model, settings));

const start = (index: number, content_block: object) => event({ type: 'content_block_start', index, content_block });
const delta = (index: number, given: object) => event({ type: 'content_block_delta', index, delta: given });
const stop = (index: number) => event({ type: 'content_block_stop', index });
const opening = event({ type: 'message_start', message: { id: 'm', usage: { input_tokens: 3, output_tokens: 1 } } });
const text = start(0, { type: 'text', text: '' }) + delta(0, { type: 'text_delta', text: 'ä' });
const ending = (stop_reason: string | null, usage: object = {}) =>
  event({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 2, ...usage } }) +
  event({ type: 'message_stop' });
const failure = (type: string) => event({ type: 'error', error: { type, message: 'No' } });

test.each<[string, Recording]>([
  [
    'a call with its input at once',
    answerOf(
      opening,
      start(0, { type: 'tool_use', id: 'c', name: 'news', input: { a: 1 } }),
      stop(0),
      ending('tool_use', { cache_read_input_tokens: 4, output_tokens_details: { thinking_tokens: 1 } }),
    ),
  ],
  ['the context is full', answerOf(opening, text, ending('model_context_window_exceeded'))],
  ['an unknown reason', answerOf(opening, text, ending('tired'))],
  ['no reason', answerOf(opening, text, ending(null))],
  ['no end', answerOf(opening, text)],
  ['no end of the message', answerOf(opening, text, ending('end_turn').split('\n\n')[0] ?? '', '\n\n')],
  ['text that is no text', answerOf(opening, delta(0, { type: 'text_delta', text: 7 }))],
  ...['overloaded_error', 'rate_limit_error', 'invalid_request_error', 'request_too_large', 'api_error'].flatMap(
    (type): [string, Recording][] => [
      [`${type} at first`, answerOf(failure(type))],
      [`${type} later`, answerOf(opening, text, failure(type))],
    ],
  ),
])('reads as the package does: %s', (_name, recording) => expectSameOf(WIRE, recording));

test('ignores events and blocks of new types, which the package rejects', async () => {
  const unknown = event({ type: 'news' }) + start(1, { type: 'news' }) + delta(1, { type: 'news_delta' }) + stop(1);
  const known = await read(WIRE, answerOf(opening, text, ending('end_turn')), anthropicMessages);
  expect(known).toMatchObject({ error: null, parts: [{ text: 'ä' }, { finish_reason: 'stop' }] });
  expect(await read(WIRE, answerOf(opening, text, unknown, ending('end_turn')), anthropicMessages)).toEqual(known);
});

test('reads text that comes with its block, and an end without usage', async () => {
  const end = event({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }) + event({ type: 'message_stop' });
  const answer = answerOf(opening, start(0, { type: 'text', text: 'ä' }), stop(0), end);
  const { parts, error } = await read(WIRE, answer, anthropicMessages);
  expect({ parts, error }).toMatchObject({ error: null, parts: [{ text: 'ä' }, { finish_reason: 'stop' }] });
});
