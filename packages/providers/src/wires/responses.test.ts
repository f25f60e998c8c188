import { createOpenAI } from '@ai-sdk/openai';
import type { ChatSettings } from '@chorus/contract';
import { startFakeOpenAI } from '@chorus/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools } from '../test-answers.ts';
import { responses } from './responses.ts';
import { answerOf, coded, event, expectSame, expectSameOf, type Recording, read, type TestWire } from './test-wires.ts';

let fake: Awaited<ReturnType<typeof startFakeOpenAI>>;
beforeAll(async () => {
  fake = await startFakeOpenAI();
});
afterAll(() => fake.close());

const WIRE: TestWire = {
  provider: 'openai',
  dialect: {
    namespace: 'openai',
    reasoning: 'signed',
    options: ({ logprobs }) => ({
      store: false,
      reasoningSummary: 'auto',
      ...(logprobs && { include: ['message.output_text.logprobs'], logprobs: 2 }),
    }),
  },
  make: (fetch) => (id) => createOpenAI({ baseURL: fake.url, apiKey: 'k', fetch }).responses(id),
  wire: responses(['weather', 'news']),
};

test.each<[string, ChatSettings?]>([
  ['gpt-5-words-9'],
  ['gpt-5-words-9', { max_tokens: 4 }],
  ['gpt-5-words-3-cached-2'],
  ['gpt-5-think-words-4'],
  ['gpt-5-call-two', { tools }],
  ['gpt-5-call-empty', { tools }],
  ['gpt-5-think-call-weather', { tools }],
  ['gpt-4o-refuse-politely'],
  ['gpt-4o-words-4', { logprobs: true, top_logprobs: 2 }],
  ['gpt-5-filter-after-0'],
  ['gpt-5-filter-after-2'],
  ['gpt-5-error-after-0'],
  ['gpt-5-error-after-3'],
  ['gpt-5-cut-after-0'],
  ['gpt-5-cut-after-3'],
])('reads %s as the package does, in whatever pieces it comes', (model, settings) => expectSame(WIRE, model, settings));

let number = 0;
const typed = (type: string, fields: object) => event({ type, sequence_number: number++, ...fields });
const text = (delta: string) => typed('response.output_text.delta', { item_id: 'm', output_index: 0, delta });
const added = (output_index: number, item: object) => typed('response.output_item.added', { output_index, item });
const done = (output_index: number, item: object) => typed('response.output_item.done', { output_index, item });
const ended = (type: string, more: object = {}) => typed(type, { response: { usage: null, ...more } });
const call = (name: string, args: string) => ({
  type: 'function_call',
  id: 'f',
  call_id: 'c',
  name,
  arguments: args,
  status: 'completed',
});
const summary = (kind: string, item_id: string, summary_index: number, more: object = {}) =>
  typed(`response.reasoning_summary_${kind}`, { item_id, output_index: 0, summary_index, ...more });
const wrapper = (...names: string[]) =>
  JSON.stringify({ tool_uses: names.map((name) => ({ recipient_name: name, parameters: { city: 'Oslo' } })) });

describe('reads as the package does', () => {
  test.each<[string, Recording]>([
    [
      'reasoning in two parts, whose id changes',
      answerOf(
        added(0, { type: 'reasoning', id: 'r', encrypted_content: 'first' }),
        summary('part.added', 'r', 0),
        summary('text.delta', 'r2', 0, { delta: 'One.' }),
        summary('part.done', 'r3', 0),
        summary('part.added', 'r', 1),
        summary('text.delta', 'r', 1, { delta: 'Two.' }),
        summary('part.done', 'r', 1),
        done(0, { type: 'reasoning', id: 'r4', encrypted_content: 'last' }),
        text('Well'),
        ended('response.completed'),
      ),
    ],
    ['a whole call', answerOf(added(0, call('news', '')), done(0, call('news', '{}')), ended('response.completed'))],
    [
      'two calls in one',
      answerOf(
        added(0, call('parallel', '')),
        done(0, call('parallel', wrapper('functions.weather', 'functions.news'))),
        ended('response.completed'),
      ),
    ],
    [
      'unknown calls in one',
      answerOf(
        added(0, call('parallel', '')),
        done(0, call('parallel', wrapper('functions.bomb'))),
        ended('response.completed'),
      ),
    ],
    [
      'items and events of other types',
      answerOf(added(0, { type: 'new' }), typed('new', {}), text('a'), ended('response.completed')),
    ],
    [
      'an unknown reason',
      answerOf(text('a'), ended('response.incomplete', { incomplete_details: { reason: 'tired' } })),
    ],
    ['no end', answerOf(text('a'))],
    ['a failure without an error', answerOf(text('a'), ended('response.failed'))],
    [
      'a failure with a reason',
      answerOf(text('a'), ended('response.failed', { incomplete_details: { reason: 'max_output_tokens' } })),
    ],
    ...['rate_limit_exceeded', 'server_error', 'invalid_prompt', 'vector_store_timeout'].flatMap(
      (code): [string, Recording][] => [
        [`${code} at first`, answerOf(ended('response.failed', { error: { code, message: 'No' } }))],
        [`${code} later`, answerOf(text('a'), typed('error', { code, message: 'No', param: null }))],
      ],
    ),
    ['an error within an event', answerOf(typed('error', { error: { type: 'invalid_request_error', message: 'No' } }))],
    ['an event without a type', answerOf(text('a'), event({ id: 'x' }))],
    ['text that is no text', answerOf(typed('response.output_text.delta', { item_id: 'm', delta: 7 }))],
    ['a call without a name', answerOf(added(0, { ...call('', ''), name: undefined }), ended('response.completed'))],
    ['chat completions', answerOf(event({ choices: [{ index: 0, delta: { content: 'a' } }] }))],
  ])('%s', async (_name, recording) => {
    if (!_name.includes('calls in one')) return expectSameOf(WIRE, recording);
    const settings: ChatSettings = { tools };
    const theirs = await read(WIRE, recording, null, { settings });
    expect(coded(await read(WIRE, recording, WIRE.wire, { settings }))).toEqual(coded(theirs));
  });
});

test('does not parse events that add nothing, judging by their names', async () => {
  const ignored = 'event: response.created\ndata: {"type":\n\n';
  const recording = answerOf(ignored, `event: message\n${text('a')}`, ended('response.completed'));
  expect(await read(WIRE, recording, WIRE.wire)).toMatchObject({ error: null, parts: [{ text: 'a' }, {}] });
});

test('reads calls and ends without fields that only OpenAI sends', async () => {
  const recording = answerOf(
    added(0, { ...call('news', ''), arguments: null }),
    done(0, call('news', '{}')),
    ended('response.incomplete', { incomplete_details: {}, usage: { input_tokens: 3 } }),
  );
  const { parts, error } = await read(WIRE, recording, WIRE.wire);
  expect(error).toBeNull();
  expect(parts.at(-1)).toMatchObject({ finish_reason: 'tool_calls', usage: { input_tokens: 3, output_tokens: 0 } });
});

test('reads an error whose code is a number', async () => {
  const recording = answerOf(ended('response.failed', { error: { code: 429, message: 'Slow down' } }));
  expect(await read(WIRE, recording, WIRE.wire)).toMatchObject({ error: { code: 'provider_rate_limited' } });
});
