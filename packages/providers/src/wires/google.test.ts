import { createGoogle } from '@ai-sdk/google';
import type { ChatSettings } from '@chorus/contract';
import { callTool, type FakePiece, say, startFakeProvider, think } from '@chorus/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools } from '../test-answers.ts';
import { googleContents } from './google.ts';
import {
  answerOf,
  coded,
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

const PIECES: FakePiece[] = [
  ...think('One.'),
  ...say('Well.'),
  ...think('Two.'),
  ...callTool('weather', { city: 'Oslo' }),
  ...callTool('news', {}, 1),
];

let fake: Awaited<ReturnType<typeof startFakeProvider>>;
beforeAll(async () => {
  fake = await startFakeProvider('google', {
    script: ({ model }) => (model.includes('mixed') ? { pieces: PIECES } : undefined),
  });
});
afterAll(() => fake.close());

/** Counts, so that both readers give a call without an id the same one. */
const counter = () => {
  let count = 0;
  return () => `call_${++count}`;
};

const WIRE: TestWire = {
  provider: 'google',
  dialect: { namespace: 'google', reasoning: 'signed', options: () => ({}) },
  make: (fetch) => {
    const provider = createGoogle({ baseURL: fake.url, apiKey: 'k', fetch, generateId: counter() });
    return (id) => provider.chat(id);
  },
  wire: (raw) => googleContents(counter())(raw),
};

test.each<[string, ChatSettings?]>([
  ['words-9'],
  ['words-9', { max_tokens: 4 }],
  ['words-3-cached-2'],
  ['gemini-2.5-flash-think-words-4', { reasoning_effort: 'low' }],
  ['gemini-2.5-flash-mixed', { reasoning_effort: 'low', tools }],
  ['words-3-start-30-ping-10'],
  ['call-two', { tools }],
  ['call-empty', { tools }],
  ['think-call-weather', { tools }],
  ['filter-after-0'],
  ['filter-after-2'],
  ['error-after-0'],
  ['error-after-3'],
  ['cut-after-0'],
  ['cut-after-3'],
])('reads %s as the package does, in whatever pieces it comes', (model, settings) => expectSame(WIRE, model, settings));

test.each(Object.entries(REWRITTEN))('reads %s', async (_name, rewrite) => {
  const { outcome, recording } = await record(WIRE, 'call-two-think', { tools });
  const text = recording.bytes.toString().replaceAll('\r\n', '\n');
  const rewritten = { ...recording, bytes: Buffer.from(rewrite(text)) };
  for (const size of [() => rewritten.bytes.length, () => 1, sizes(4, 40)])
    expect(await read(WIRE, rewritten, WIRE.wire, { settings: { tools }, size })).toEqual(outcome);
});

const answer = (parts: unknown[], rest: object = {}, others: object = {}) =>
  event({ candidates: [{ content: { role: 'model', parts }, index: 0, ...rest }], ...others });
const text = answer([{ text: 'ä' }]);
const ending = (finishReason: string | null, usageMetadata: unknown = { promptTokenCount: 3 }) =>
  answer([{ text: '' }], { finishReason }, { usageMetadata });
const stop = ending('STOP');
const failure = (error: unknown) => event({ error });
const thought = (words: string, thoughtSignature?: string) => ({ text: words, thought: true, thoughtSignature });
const call = (functionCall: object, thoughtSignature?: string) => ({ functionCall, thoughtSignature });
const search = { webSearchQueries: ['x'], groundingChunks: [{ web: { uri: 'https://x.test', title: 'X' } }] };

const REASONS = [
  ...['STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY'],
  ...['MALFORMED_FUNCTION_CALL', 'OTHER', 'FINISH_REASON_UNSPECIFIED', 'LANGUAGE', 'UNEXPECTED_TOOL_CALL'],
];
const STATUSES = [
  ...['CANCELLED', 'INVALID_ARGUMENT', 'UNAUTHENTICATED', 'PERMISSION_DENIED', 'NOT_FOUND', 'ABORTED'],
  ...['RESOURCE_EXHAUSTED', 'INTERNAL', 'UNIMPLEMENTED', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'NEW'],
];

test.each<[string, Recording]>([
  ...REASONS.flatMap((reason): [string, Recording][] => [
    [`${reason} at once`, answerOf(event({ candidates: [{ finishReason: reason }] }))],
    [`${reason} later`, answerOf(text, ending(reason))],
    [`${reason} after a call`, answerOf(answer([call({ name: 'news', args: {} })]), ending(reason))],
  ]),
  ...['SAFETY', 'OTHER', 'PROHIBITED_CONTENT', '', 'BLOCK_REASON_UNSPECIFIED', 'BLOCKED_REASON_UNSPECIFIED'].flatMap(
    (blockReason): [string, Recording][] => [
      [`a prompt blocked for ${blockReason}`, answerOf(event({ promptFeedback: { blockReason } }))],
      [`an answer blocked later for ${blockReason}`, answerOf(text, event({ promptFeedback: { blockReason } }), stop)],
    ],
  ),
  ...STATUSES.flatMap((status): [string, Recording][] => [
    [`the error ${status} at first`, answerOf(failure({ code: null, message: 'No', status }))],
    [`the error ${status} later`, answerOf(text, failure({ code: 429, message: 'No', status }))],
  ]),
  ['an error that is a word', answerOf(text, failure('No'))],
  ['no end', answerOf(text)],
  ['no reason', answerOf(text, ending(null))],
  ['no events', answerOf()],
  ['several parts in one event', answerOf(answer([{ text: 'a' }, thought('b'), { text: 'c' }, thought('d')]), stop)],
  [
    'signatures of thoughts',
    answerOf(answer([thought('a', 's1')]), answer([thought('', 's2')]), answer([thought('b')]), text, stop),
  ],
  ['a signature before any text', answerOf(answer([thought('a'), { text: '', thoughtSignature: 's' }]), text, stop)],
  ['a signature of text', answerOf(text, answer([thought('', 's'), { text: 'b', thoughtSignature: 's' }]), stop)],
  ['a signature after all', answerOf(text, answer([{ text: '', thoughtSignature: 's' }], { finishReason: 'STOP' }))],
  [
    'calls with and without an id',
    answerOf(
      answer([
        call({ id: 'c1', name: 'news', args: { a: 'ä' } }, 's1'),
        call({ name: 'news', args: '{"a": 1}' }),
        call({ id: '', name: 'news' }, 's2'),
        call({ id: 'c4', name: 'news', willContinue: false }),
      ]),
      stop,
    ),
  ],
  ['a call with empty arguments', answerOf(answer([call({ id: 'c', name: 'news', args: '' })]), stop)],
  ['a call between thoughts', answerOf(answer([thought('a'), call({ name: 'news', args: {} }), thought('b')]), stop)],
  [
    'code that runs there',
    answerOf(
      answer([thought('a'), { executableCode: { language: 'PYTHON', code: '1' } }]),
      answer([{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } }, thought('b'), { text: 'c' }]),
      stop,
    ),
  ],
  [
    'tools that run there',
    answerOf(
      answer([{ toolCall: { toolType: 'GOOGLE_SEARCH', args: {}, id: 't' }, thoughtSignature: 's' }]),
      answer([{ toolResponse: { toolType: 'GOOGLE_SEARCH', response: {}, id: 't' } }, { text: 'a' }]),
      stop,
    ),
  ],
  [
    'a file',
    answerOf(answer([thought('a'), { inlineData: { mimeType: 'image/png', data: 'AA' } }, thought('b')]), stop),
  ],
  ['sources', answerOf(answer([{ text: 'a' }], { groundingMetadata: search }), stop)],
  ['parts of new kinds', answerOf(answer([{ text: 'a' }, { fileData: { fileUri: 'x' } }, {}]), stop)],
  ['an event of nothing', answerOf(event({}), event({ candidates: [] }), answer([]), text, stop)],
  ['another candidate', answerOf(event({ candidates: [{ index: 0 }, { content: { parts: [{ text: 'b' }] } }] }), stop)],
  [
    'usage',
    answerOf(
      answer([{ text: 'a' }], {}, { usageMetadata: { promptTokenCount: 1 } }),
      ending('STOP', {
        promptTokenCount: 9,
        candidatesTokenCount: 8,
        toolUsePromptTokenCount: 7,
        cachedContentTokenCount: 6,
        thoughtsTokenCount: 5,
        promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 4 }],
        candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 3 }],
        trafficType: 'ON_DEMAND',
      }),
    ),
  ],
  ['usage after the end', answerOf(text, stop, event({ usageMetadata: { candidatesTokenCount: 2 } }))],
  ['usage that is no number', answerOf(ending('STOP', { promptTokenCount: '3' }))],
  ['text that is no text', answerOf(answer([{ text: 7 }]), stop)],
  ['parts that are no list', answerOf(event({ candidates: [{ content: { parts: {} } }] }), stop)],
  ['null', answerOf('data: null\n\n', stop)],
  ['a list', answerOf('data: [1]\n\n', stop)],
  ['no JSON', answerOf(text, 'data: {"candidates": [\n\n', stop)],
])('reads as the package does: %s', (_name, recording) => expectSameOf(WIRE, recording));

describe('arguments in pieces', () => {
  const piece = (jsonPath: string, value: object = {}) => ({ jsonPath, ...value });
  const streamed = (...chunks: object[]) => answerOf(...chunks.map((one) => answer([call(one)])), stop);
  /** The arguments of each call, which the package shows in pieces. */
  const joined = ({ parts }: Awaited<ReturnType<typeof read>>) => {
    const calls: Record<string, string> = {};
    for (const part of parts) if (part.type === 'tool_call') calls[part.id] = (calls[part.id] ?? '') + part.arguments;
    return { calls, end: parts.at(-1) };
  };

  test.each<[string, object[]]>([
    [
      'strings, numbers, and more',
      [
        { name: 'news', willContinue: true },
        { partialArgs: [piece('$.city', { stringValue: 'Os', willContinue: true })], willContinue: true },
        { partialArgs: [piece('$.city', { stringValue: 'lo "' })], willContinue: true },
        {
          partialArgs: [piece('$.days', { numberValue: 3 }), piece('$.warm', { boolValue: false })],
          willContinue: true,
        },
        { partialArgs: [piece('$.deep.list[0].x', { nullValue: null })], willContinue: true },
        { partialArgs: [piece('$.deep.list[1].x', { stringValue: '' })], willContinue: true },
        { partialArgs: [piece('$.deep.list[]'), piece('$.none[]'), piece('$.empty')], willContinue: true },
        {},
      ],
    ],
    ['all at once', [{ id: 'c', name: 'news', partialArgs: [piece('$.a', { stringValue: 'x' })] }]],
    ['nothing', [{ name: 'news', partialArgs: [] }]],
    ['an index far away', [{ name: 'news', partialArgs: [piece('$.a[4000000]', { numberValue: 1 })] }]],
    [
      'an index as a name',
      [{ name: 'news', partialArgs: [piece('$.a[0]', { numberValue: 1 }), piece('$.a.1', { numberValue: 2 })] }],
    ],
    ['the root', [{ name: 'news', partialArgs: [piece('$', { stringValue: 'x' })] }]],
    [
      'two calls',
      [
        { name: 'news', partialArgs: [piece('$.a', { numberValue: 1 })] },
        { name: 'news', args: {} },
      ],
    ],
    ['the prototype', [{ name: 'news', partialArgs: [piece('$.__proto__.x', { numberValue: 1 })] }]],
    ['pieces of no call', [{ partialArgs: [piece('$.a', { numberValue: 1 })] }, {}]],
  ])('reads as the package does: %s', async (_name, chunks) => {
    const recording = streamed(...chunks);
    const ours = await read(WIRE, recording, WIRE.wire);
    const theirs = await read(WIRE, recording, null);
    expect(ours.error).toBeNull();
    expect(joined(ours)).toEqual(joined(theirs));
  });

  test('fails for a path through a text', async () => {
    const recording = streamed({
      name: 'news',
      partialArgs: [piece('$.a', { stringValue: 'x' }), piece('$.a.b', { numberValue: 1 })],
    });
    expect(coded(await read(WIRE, recording, WIRE.wire)).error).toBe(coded(await read(WIRE, recording, null)).error);
  });
});

test('fails for a malformed call, which the package drops silently', async () => {
  const recording = answerOf(answer([{ functionCall: { name: 7 } }]), stop);
  expect((await read(WIRE, recording, null)).error).toBeNull();
  expect((await read(WIRE, recording, WIRE.wire)).error).toMatchObject({ code: 'provider_error' });
});

test('reads new forms of unused fields, which the package rejects', async () => {
  const recording = answerOf(answer([{ text: 'a' }], { groundingMetadata: { groundingChunks: 7 } }), stop);
  expect((await read(WIRE, recording, null)).error).not.toBeNull();
  expect(await read(WIRE, recording, WIRE.wire)).toMatchObject({ error: null, parts: [{ text: 'a' }, {}] });
});

test('ignores a field named `__proto__`, which the package rejects', async () => {
  const hostile = '{"candidates":[{"content":{"parts":[{"text":"a","__proto__":{"text":"b","thought":true}}]}}]}';
  const recording = answerOf(`data: ${hostile}\n\n`, stop);
  expect((await read(WIRE, recording, null)).error).not.toBeNull();
  expect(await read(WIRE, recording, WIRE.wire)).toMatchObject({ error: null, parts: [{ text: 'a' }, {}] });
});

test('reads details of usage whose zeros are left out', async () => {
  const usage = {
    promptTokenCount: 3,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 3 }, { modality: 'AUDIO' }],
  };
  const { parts, error } = await read(WIRE, answerOf(text, ending('STOP', usage)), WIRE.wire);
  expect({ error, usage: parts.at(-1) }).toMatchObject({ error: null, usage: { usage: { input_tokens: 3 } } });
});

describe('an answer that continues in another request', () => {
  const used = (count: number) => ({
    promptTokenCount: count,
    candidatesTokenCount: 2 * count,
    thoughtsTokenCount: 1,
    promptTokensDetails: [{ modality: 'AUDIO', tokenCount: count }],
  });
  const cut = answer(
    [thought('b')],
    { finishReason: 'CONTINUATION', continuationToken: 'next' },
    { usageMetadata: used(3) },
  );
  const start = answer([thought('a'), call({ name: 'news', args: {} })]);

  test.each<[string, Recording | undefined]>([
    ['goes on', answerOf(answer([thought('c'), { text: 'd' }]), ending('STOP', used(4)))],
    ['has no end', answerOf(text)],
    ['is empty', answerOf()],
    ['fails', answerOf(failure({ code: 503, message: 'No', status: 'UNAVAILABLE' }))],
    ['is not there', undefined],
  ])('as the package does, where the rest %s', async (_name, rest) => {
    const recording = { ...answerOf(start, cut), ...(rest && { rest }) };
    await expectSameOf(WIRE, recording);
    expect(await read(WIRE, recording, WIRE.wire, { size: () => 1 })).toEqual(await read(WIRE, recording, WIRE.wire));
  });

  test('ends without a token', () => expectSameOf(WIRE, answerOf(text, ending('CONTINUATION'))));
});
