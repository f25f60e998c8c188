import { createGroq } from '@ai-sdk/groq';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ChatSettings } from '@chorus/contract';
import { startFakeOpenAI, startFakeProvider } from '@chorus/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatDialect } from '../chat-dialect.ts';
import type { ChatPart } from '../provider-port.ts';
import { joinText, tools } from '../test-answers.ts';
import { chatCompletions } from './chat-completions.ts';
import {
  answerOf,
  type coded,
  event,
  expectSame,
  expectSameOf,
  REWRITTEN,
  type Recording,
  read,
  record,
  sizes,
  type TestWire,
} from './test-wires.ts';

const dialectOf = (namespace: string, reasoning: ChatDialect['reasoning']): ChatDialect => ({
  namespace,
  reasoning,
  options: () => ({}),
});

const urls: Record<string, string> = {};
const closers: (() => unknown)[] = [];
beforeAll(async () => {
  const [openai, groq, mistral] = await Promise.all([
    startFakeOpenAI(),
    startFakeProvider('groq'),
    startFakeProvider('mistral'),
  ]);
  Object.assign(urls, { openai: openai.url, compatible: openai.url, groq: groq.url, mistral: mistral.url });
  closers.push(openai.close, groq.close, mistral.close);
});
afterAll(() => Promise.all(closers.map((close) => close())));

const own = (name: string, fetch: typeof globalThis.fetch) => ({ baseURL: urls[name] ?? '', apiKey: 'k', fetch });

const COMPATIBLE: TestWire = {
  provider: 'compatible',
  dialect: dialectOf('compatible', 'any'),
  make: (fetch) => {
    const provider = createOpenAICompatible({ name: 'compatible', includeUsage: true, ...own('compatible', fetch) });
    return (id) => provider.chatModel(id);
  },
  wire: chatCompletions({ namespace: 'compatible' }),
};
const OPENAI: TestWire = {
  provider: 'openai',
  dialect: dialectOf('openai', 'signed'),
  make: (fetch) => (id) => createOpenAI(own('openai', fetch)).chat(id),
  wire: chatCompletions({ namespace: 'openai', errorsHaveStatus: true }),
};
const GROQ: TestWire = {
  provider: 'groq',
  dialect: dialectOf('groq', 'own'),
  make: (fetch) => (id) => createGroq(own('groq', fetch)).languageModel(id),
  wire: chatCompletions({ namespace: 'groq', errorsHaveStatus: true }),
};
const MISTRAL: TestWire = {
  provider: 'mistral',
  dialect: dialectOf('mistral', 'own'),
  make: (fetch) => (id) => createMistral(own('mistral', fetch)).chat(id),
  wire: chatCompletions({ namespace: 'mistral', reasons: { model_length: 'length', error: 'error' } }),
};

const ANSWERS: [string, ChatSettings?][] = [
  ['words-9'],
  ['words-9', { max_tokens: 4 }],
  ['words-3-cached-2'],
  ['think-words-4'],
  ['words-3-start-30-ping-10'],
  ['call-two', { tools }],
  ['call-empty', { tools }],
  ['think-call-weather', { tools }],
  ['error-after-0'],
  ['error-after-3'],
  ['cut-after-0'],
  ['cut-after-3'],
];
/** Mistral's package treats any other reason as `stop`. */
const FILTERED: typeof ANSWERS = [['filter-after-0'], ['filter-after-2']];
const OF_OPENAI: typeof ANSWERS = [
  ['refuse-politely'],
  ['words-4', { logprobs: true, top_logprobs: 2 }],
  ['refuse-politely', { logprobs: true }],
];

/** Mistral's package ends its reasoning only after the calls that follow. */
function expectByType(ours: ReturnType<typeof coded>, theirs: ReturnType<typeof coded>): void {
  const byType = ({ parts, error }: typeof ours) => ({ parts: Object.groupBy(parts, ({ type }) => type), error });
  expect(byType(ours)).toEqual(byType(theirs));
}

/** OpenAI's package shows no reasoning, as only servers like OpenAI send it here. */
function expectWithoutReasoning({ parts, error }: ReturnType<typeof coded>, theirs: ReturnType<typeof coded>): void {
  expect({ parts: parts.filter(({ type }) => type !== 'reasoning'), error }).toEqual(theirs);
}

const chunk = (delta: object, finish_reason: string | null = null, more = {}) =>
  event({ id: 'x', choices: [{ index: 0, delta, finish_reason }], ...more });
const called = (index: number, name?: string, args = '', more = {}) => ({
  index,
  type: 'function',
  ...more,
  function: { ...(name !== undefined && { name }), arguments: args },
});
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, prompt_tokens_details: { cached_tokens: 1 } };

describe.each([COMPATIBLE, OPENAI, GROQ, MISTRAL])('$provider', (wire) => {
  test.each([
    ...ANSWERS,
    ...(wire === MISTRAL ? [] : FILTERED),
    ...(wire === COMPATIBLE || wire === OPENAI ? OF_OPENAI : []),
  ])('reads %s as the package does, in whatever pieces it comes', (model, settings) => {
    const same = wire === OPENAI ? expectWithoutReasoning : wire === MISTRAL ? expectByType : undefined;
    return expectSame(wire, model, settings, same);
  });

  test.each([
    ['a call in one piece', answerOf(chunk({ tool_calls: [called(0, 'news', '{}', { id: 'a' })] }, 'tool_calls'))],
    [
      'parallel calls with mixed pieces',
      answerOf(
        chunk({ tool_calls: [called(0, 'news', '{"a', { id: 'a' }), called(1, 'weather', '', { id: 'b' })] }),
        chunk({ tool_calls: [called(1, undefined, '{"ü":'), called(0, undefined, '":1}')] }),
        chunk({ tool_calls: [called(1, undefined, '2}')] }, 'tool_calls', { usage, x_groq: { usage } }),
      ),
    ],
    [
      'a second call with the index of the first',
      answerOf(
        chunk({ tool_calls: [called(0, 'news', '{}', { id: 'a' })] }),
        chunk({ tool_calls: [called(0, 'news', '{}', { id: 'b' })] }, 'stop'),
      ),
    ],
    ['an unknown reason', answerOf(chunk({ content: 'a' }), chunk({}, 'tired'))],
    ['another limit', answerOf(chunk({ content: 'a' }), chunk({}, 'model_length'))],
    ['no reason and no mark', answerOf(chunk({ content: 'a' }))],
    ['a mark after nothing', answerOf(event({ choices: [], usage }), 'data: [DONE]\n\n')],
    ['an event that is cut off', answerOf(chunk({ content: 'a' }, 'stop'), 'data: {"id"')],
    ['no event', answerOf('')],
    ['an event without choices', answerOf(chunk({ content: 'a' }), event({ id: 'x' }))],
    ['an event that is no JSON', answerOf(chunk({ content: 'a' }), 'data: {\n\n')],
    ['text that is no text', answerOf(chunk({ content: 7 }))],
    ['an error that is a text', answerOf(chunk({ content: 'a' }), event({ error: 'Busy' }))],
    ...['rate_limit_error', 'invalid_request_error', 'authentication_error', 'overloaded_error', 'server_error'].map(
      (type): [string, Recording] => [
        type,
        answerOf(chunk({ content: 'a' }), event({ error: { message: 'No', type } })),
      ],
    ),
    ['an error before anything else', answerOf(event({ error: { message: 'No', type: 'insufficient_quota' } }))],
  ])('reads %s as the package does', (_name, recording) => expectSameOf(wire, recording));
});

test('reads events that differ only in their text as the package does, however they are split', async () => {
  const said = ['a', 'b', 'c "d"', 'é', '\\', 'f\n', 'x', '', '🎈', 'null', '}', '"}', 'a'];
  const recording = answerOf(
    ...said.map((content) => chunk({ content })),
    chunk({ content: 'g', reasoning: null, tool_calls: [] }),
    chunk({ content: 'h', reasoning: null, tool_calls: [] }),
    chunk({ content: 'i', reasoning: 'Hm' }),
    chunk({ content: 'j', reasoning: 'Hm' }),
    ...['k', 'k'].map((content) => chunk({ content }, null, { obfuscation: content })),
    ...['l', 'm'].map((content) => `: ping\n\nevent: e\n${chunk({ content })}`),
    ...['n', 'o'].map((content) => chunk({ content }).replace('data: ', 'data:').replaceAll('\n', '\r\n')),
    ...['p', 'q'].map((content) => chunk({ content }, 'stop', { usage })),
  );
  const theirs = joinText((await read(COMPATIBLE, recording, null)).parts);
  expect(theirs).toMatchObject([{ text: `${said.join('')}gh` }, {}, { text: 'i' }, {}, { text: 'jkklmnopq' }, {}]);
  for (const size of [() => 1e6, () => 1, sizes(6, 30), sizes(7, 300), sizes(8, 3000)])
    expect(joinText((await read(COMPATIBLE, recording, COMPATIBLE.wire, { size })).parts)).toEqual(theirs);
});

test('reads fields that only some servers send as the package does', async () => {
  const google = { extra_content: { google: { thought_signature: 'sig' } } };
  const recording = answerOf(
    chunk({ reasoning: 'Hm' }),
    chunk({
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: ' well' }] },
        { type: 'text', text: 'Now' },
      ],
    }),
    chunk({ reasoning_content: 'Wait', content: '', refusal: false }),
    chunk({ tool_calls: [called(0, undefined, '{"a"', { id: 'a', ...google })] }),
    chunk({ tool_calls: [called(0, 'news', ':1}')] }),
    chunk({ tool_calls: [{ id: 'b', function: { name: 'weather', arguments: '{}' } }] }),
    chunk({}, 'stop', { usage: { ...usage, completion_tokens_details: { reasoning_tokens: 1, audio_tokens: 1 } } }),
  );
  const theirs = await read(COMPATIBLE, recording, null);
  expect(theirs).toMatchObject({ error: null, parts: { length: 10 } });
  expect(await read(COMPATIBLE, recording, COMPATIBLE.wire)).toEqual(theirs);
});

test.each(Object.entries(REWRITTEN))('reads %s', async (_name, rewrite) => {
  const { outcome, recording } = await record(COMPATIBLE, 'think-call-two', { tools });
  const text = rewrite(`${recording.bytes}`.replaceAll('Let', 'Lët 🎈'));
  const rewritten = { ...recording, bytes: Buffer.from(text) };
  const whole = await read(COMPATIBLE, rewritten, COMPATIBLE.wire);
  expect(JSON.stringify(whole).replaceAll('Lët 🎈', 'Let')).toBe(JSON.stringify(outcome));
  for (const size of [() => 1, sizes(4, 5), sizes(5, 60)])
    expect(await read(COMPATIBLE, rewritten, COMPATIBLE.wire, { size })).toEqual(whole);
});

test('counts the audio tokens that the package of OpenAI leaves out', async () => {
  const details = { prompt_tokens_details: { audio_tokens: 2 }, completion_tokens_details: { audio_tokens: 1 } };
  const recording = answerOf(chunk({ content: 'a' }, 'stop', { usage: { ...usage, ...details } }));
  const { parts } = await read(OPENAI, recording, OPENAI.wire);
  expect(parts.at(-1)).toMatchObject({ usage: { audio_input_tokens: 2, audio_output_tokens: 1 } });
});

const ended = [chunk({}, 'stop'), 'data: [DONE]\n\n'];
const A = { type: 'text', text: 'a' };
const CALL = { type: 'tool_call', index: 0, id: 'c', name: 'news', arguments: '{"a":1}' };
const counted = { prompt_tokens: 1, completion_tokens: 1 };
const message = { role: 'assistant', content: 'a', tool_calls: [called(0, 'news', '{"a":1}', { id: 'c' })] };

/** The packages refuse these, or misread them. */
test.each<[string, string[], object[], string]>([
  ['a mark with a space', [chunk({ content: 'a' }), chunk({}, 'stop'), 'data: [DONE] \n\n'], [A], 'stop'],
  ['a mark without a reason', [chunk({ content: 'a' }), 'data: [DONE]\n\n'], [A], 'stop'],
  [
    'a mark without a reason after a call',
    [chunk({ tool_calls: message.tool_calls }), event({ choices: [], usage: counted }), 'data: [DONE]\n\n'],
    [CALL],
    'tool_calls',
  ],
  ['empty events', ['data:\n\n', chunk({ content: 'a' }), 'data: \n\n', ...ended], [A], 'stop'],
  ['usage without choices', [chunk({ content: 'a' }, 'stop'), event({ usage: counted })], [A], 'stop'],
  ['usage with null choices', [chunk({ content: 'a' }, 'stop'), event({ choices: null, usage: counted })], [A], 'stop'],
  [
    'details of usage that are a list',
    [chunk({ content: 'a' }, 'stop', { usage: { ...counted, prompt_tokens_details: [] } })],
    [A],
    'stop',
  ],
  ['an empty reason after the reason', [chunk({ content: 'a' }, 'length'), chunk({}, '')], [A], 'length'],
  [
    'a call whose name and arguments come later',
    [
      chunk({ tool_calls: [{ index: 0, id: 'c' }] }),
      chunk({ tool_calls: [called(0, '', '{"a"')] }),
      chunk({ tool_calls: [called(0, 'news', ':1}')] }, 'tool_calls'),
    ],
    [CALL],
    'tool_calls',
  ],
  [
    'a call as it was sent before tool_calls',
    [
      chunk({ content: 'a' }),
      chunk({ content: '', function_call: { name: 'news', arguments: '' } }),
      chunk({ content: '', function_call: { arguments: '{"a":1}' } }),
      chunk({}, 'function_call'),
    ],
    [A, { ...CALL, id: expect.stringMatching(/./) }],
    'tool_calls',
  ],
  [
    'arguments that are an object',
    [chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'news', arguments: { a: 1 } } }] }, 'tool_calls')],
    [CALL],
    'tool_calls',
  ],
  ['an answer in one event', [event({ choices: [{ message, finish_reason: 'stop' }] })], [A, CALL], 'tool_calls'],
  [
    'a whole message after its parts',
    [chunk({ content: 'a' }), event({ choices: [{ message, finish_reason: 'stop' }] })],
    [A],
    'stop',
  ],
  [
    'JSON instead of events',
    [`\n${JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }, null, 1)}`],
    [A, CALL],
    'tool_calls',
  ],
])('reads %s', async (_name, events, expected, finish_reason) => {
  const { parts, error } = await read(COMPATIBLE, answerOf(...events), COMPATIBLE.wire);
  expect(error).toBeNull();
  const shown = parts.filter((part) => part.type !== 'tool_call' || part.arguments !== '');
  expect(shown).toMatchObject([...expected, { type: 'finish', finish_reason }]);
});

test.each([
  ['an error', '{"error":{"message":"Busy","type":"overloaded_error"}}', 'compatible is overloaded: Busy'],
  ['a web page', '<!doctype html><p>Hi</p>', 'it sent a web page instead of an answer'],
  ['half of an answer', '{"choices":[', 'it sent an invalid answer'],
])('reports %s instead of events', async (_name, text, said) => {
  const { parts, error } = await read(COMPATIBLE, answerOf(text), COMPATIBLE.wire);
  expect({ parts, error }).toMatchObject({ parts: [], error: { message: expect.stringContaining(said) } });
});

test.each(['error', 'abort', 'insufficient_system_resource'])(
  'does not take an end by %s for whole',
  async (reason) => {
    const { error } = await read(COMPATIBLE, answerOf(chunk({ content: 'a' }), chunk({}, reason)), COMPATIBLE.wire);
    expect(error).toMatchObject({ code: 'provider_error' });
  },
);

describe('thoughts in the text', () => {
  const THINKS = chatCompletions({ namespace: 'compatible', thinksInText: true });
  const thoughts = (...pieces: string[]) => pieces.map((content) => chunk({ content })).join('');
  const textOf = (parts: readonly ChatPart[], type: 'reasoning' | 'text') =>
    parts.map((part) => (part.type === type ? part.text : '')).join('');

  test.each([
    ['at the beginning', '<think>\nHm, 1 < 2.\n</think>\n\nYes <think>.', 'Hm, 1 < 2.', 'Yes <think>.'],
    ['that are empty', '<think>\n\n</think>\n\nYes', '', 'Yes'],
    ['that do not end', '<think>Hm </thin', 'Hm </thin', ''],
    ['later, which are text', 'Use <think>x</think>', '', 'Use <think>x</think>'],
    ['whose tag is another', ' <thing>x', '', ' <thing>x'],
    ['of nothing but a part of the tag', '<thi', '', '<thi'],
    ['with no text', '<think>Hm</think>', 'Hm', ''],
  ])('%s', async (_name, given, reasoning, text) => {
    for (const pieces of [[given], [...given], given.split(/(?<=\n)/)]) {
      const answer = answerOf(thoughts(...pieces), ...ended);
      const { parts, error } = await read(COMPATIBLE, answer, THINKS);
      expect([error, textOf(parts, 'reasoning'), textOf(parts, 'text')]).toEqual([null, reasoning, text]);
    }
  });

  test('before a call', async () => {
    const answer = answerOf(thoughts('<think>Hm</think>\n\n'), chunk({ tool_calls: message.tool_calls }), ...ended);
    const { parts } = await read(COMPATIBLE, answer, THINKS);
    expect(parts.map(({ type }) => type)).toEqual(['reasoning', 'tool_call', 'tool_call', 'finish']);
  });

  test('have no log probabilities, unlike the text', async () => {
    const said = (content: string) =>
      event({
        choices: [{ delta: { content }, logprobs: { content: [{ token: content, logprob: -1, bytes: null }] } }],
      });
    const answer = answerOf(said('<think>'), said('Hm'), said('</think>Yes'), ...ended);
    const { parts } = await read(COMPATIBLE, answer, THINKS, { settings: { logprobs: true } });
    expect(parts).toMatchObject([{ text: 'Hm' }, { text: 'Yes', logprobs: [{ token: '</think>Yes' }] }, {}]);
  });
});
