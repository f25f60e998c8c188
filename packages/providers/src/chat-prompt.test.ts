import type { ChatMessage } from '@chorus/contract';
import { describe, expect, test } from 'vitest';
import type { ChatDialect } from './chat-dialect.ts';
import * as chatPrompt from './chat-prompt.ts';
import { writeSignature } from './signature.ts';

const MODEL = 'anthropic/claude-sonnet-4-5-20250929';
const DIALECT: ChatDialect = { namespace: 'anthropic', reasoning: 'signed', options: () => ({}) };

const toPrompt = (messages: ChatMessage[], dialect: Partial<ChatDialect> = {}, model = MODEL) =>
  chatPrompt.toPrompt(messages, { ...DIALECT, ...dialect }, model);
const user = { role: 'user' as const, content: 'go' };
const call = (id: string, args = '{"city":"Oslo"}') => ({
  id,
  type: 'function' as const,
  function: { name: `weather_${id}`, arguments: args },
});
const asked = (id: string, toolCallId = id) => ({
  type: 'tool-call',
  toolCallId,
  toolName: `weather_${id}`,
  input: '{"city":"Oslo"}',
});
const result = (id: string, content = 'sunny'): ChatMessage => ({ role: 'tool', tool_call_id: id, content });

const image = (url: string) => [
  { role: 'user' as const, content: [{ type: 'image_url' as const, image_url: { url } }] },
];

test('maps roles and texts', () => {
  const prompt = toPrompt([
    { role: 'system', content: 'a' },
    { role: 'developer', content: [{ type: 'text', text: 'b' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'c' },
        { type: 'text', text: 'd' },
      ],
    },
    { role: 'user', content: 'e' },
  ]);
  expect(prompt).toEqual([
    { role: 'system', content: 'a' },
    { role: 'system', content: 'b' },
    { role: 'assistant', content: [{ type: 'text', text: 'c\nd' }] },
    { role: 'user', content: [{ type: 'text', text: 'e' }] },
  ]);
});

test('accepts images as data or as URLs', () => {
  const parts = [
    ['data:image/PNG;base64,aGk=', { mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } }],
    [
      'data:image/svg+xml;charset=utf-8,%3Csvg/%3E',
      { mediaType: 'image/svg+xml', data: { type: 'data', data: new TextEncoder().encode('<svg/>') } },
    ],
    [
      'https://example.com/a.png',
      { mediaType: 'image/*', data: { type: 'url', url: new URL('https://example.com/a.png') } },
    ],
  ] as const;
  for (const [url, part] of parts) expect(toPrompt(image(url))[0]!.content).toEqual([{ type: 'file', ...part }]);
});

test.each([
  'file:///etc/passwd',
  'ftp://example.com/a.png',
  'not an address',
  'data:text/html;base64,aGk=',
  'data:;base64,aGk=',
  'data:image/png;base64,',
  'data:image/png;base64,***',
  'data:image/png,%zz',
])('refuses %s and says where', (url) => {
  expect(() => toPrompt(image(url))).toThrow(
    expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining('messages[0].content[0]') }),
  );
});

test('pairs tool calls with their results, and groups those of one turn in one message', () => {
  const messages: ChatMessage[] = [
    user,
    { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
    result('b'),
    {
      role: 'tool',
      tool_call_id: 'a',
      content: [
        { type: 'text', text: 'rain' },
        { type: 'text', text: 'wind' },
      ],
    },
    { role: 'assistant', content: 'Done.' },
  ];
  expect(toPrompt(messages).slice(1)).toEqual([
    { role: 'assistant', content: [asked('a'), asked('b')] },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'b', toolName: 'weather_b', output: { type: 'text', value: 'sunny' } },
        { type: 'tool-result', toolCallId: 'a', toolName: 'weather_a', output: { type: 'text', value: 'rain\nwind' } },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
  ]);
  expect(() => toPrompt([user, result('x')])).toThrow('messages[1].tool_call_id: no earlier message calls a tool as x');
});

test.each([
  ['', {}],
  [' ', {}],
  ['{"a":1}', '{"a":1}'],
  ['{"a":', { invalid_arguments: '{"a":' }],
  ['[1]', { invalid_arguments: '[1]' }],
])('arguments %j are always an object', (args, input) => {
  const [message] = toPrompt([{ role: 'assistant', tool_calls: [call('a', args)] }]);
  expect(message!.content).toEqual([{ ...asked('a'), input }]);
});

test('replaces ids that a provider does not accept, consistently in calls and results', () => {
  const callIds = { pattern: /^[a-z]{3}$/, prefix: 'id', length: 9 };
  const messages: ChatMessage[] = [{ role: 'assistant', tool_calls: [call('abc'), call('x.1')] }, result('x.1')];
  const [assistant, tool] = toPrompt(messages, { callIds });
  const [first, second] = assistant!.content as { toolCallId: string }[];
  expect(first?.toolCallId).toBe('abc');
  expect(second?.toolCallId).toMatch(/^id[0-9a-f]{9}$/);
  expect(tool!.content).toMatchObject([{ toolCallId: second?.toolCallId }]);
});

test('sends a refusal as text', () => {
  const [first, second] = toPrompt([
    { role: 'assistant', content: null, refusal: 'No.' },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'a' },
        { type: 'refusal', refusal: 'b' },
      ],
    },
  ]);
  expect(first!.content).toEqual([{ type: 'text', text: 'No.' }]);
  expect(second!.content).toEqual([{ type: 'text', text: 'a\nb' }]);
});

test('moves system messages to the front where a provider requires it', () => {
  const messages: ChatMessage[] = [user, { role: 'system', content: 'a' }, user, { role: 'developer', content: 'b' }];
  const roles = (systemFirst: boolean) => toPrompt(messages, { systemFirst }).map(({ content }) => content);
  expect(roles(true).slice(0, 2)).toEqual(['a', 'b']);
  expect(roles(false)[1]).toBe('a');
});

test('accepts audio and files', () => {
  const pdf = 'JVBERi0=';
  const text = Buffer.from('näh').toString('base64');
  const [message] = toPrompt([
    {
      role: 'user',
      content: [
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
        { type: 'file', file: { file_data: pdf, filename: 'a.pdf' } },
        { type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}` } },
        { type: 'file', file: { file_data: `data:text/csv;base64,${text}` } },
      ],
    },
  ]);
  expect(message!.content).toEqual([
    { type: 'file', mediaType: 'audio/mpeg', data: { type: 'data', data: 'AAAA' } },
    { type: 'file', mediaType: 'application/pdf', data: { type: 'data', data: pdf }, filename: 'a.pdf' },
    { type: 'file', mediaType: 'application/pdf', data: { type: 'data', data: pdf } },
    { type: 'text', text: 'näh' },
  ]);
});

test.each([
  [{ file_id: 'file_1' }, 'messages[0].content[0].file.file_id'],
  [{}, 'messages[0].content[0].file'],
  [{ file_data: 'a b' }, 'messages[0].content[0].file.file_data'],
  [{ file_data: 'data:application/zip;base64,AAAA' }, 'messages[0].content[0].file.file_data'],
])('refuses the file %j', (file, path) => {
  const messages: ChatMessage[] = [{ role: 'user', content: [{ type: 'file', file }] }];
  expect(() => toPrompt(messages)).toThrow(expect.objectContaining({ message: expect.stringContaining(`${path}:`) }));
});

describe('reasoning', () => {
  const signed = (meta: object, more: object = {}, model = MODEL) => writeSignature(model, { meta, ...more });
  const think = (text: string, meta: object) => ({ type: 'reasoning', text, providerOptions: { anthropic: meta } });

  test('returns to its place with its signature', () => {
    const message: ChatMessage = {
      role: 'assistant',
      content: 'One. Two.',
      reasoning_blocks: [
        { text: 'first', signature: signed({ signature: 's1' }) },
        { text: '', signature: signed({ redactedData: 'r' }) },
        { text: '\n\nsecond', signature: signed({ signature: 's2' }, { pad: 2, at: [5, 0] }) },
        { text: '\n\nthird', signature: signed({ signature: 's3' }, { pad: 2, at: [9, 1] }) },
      ],
      tool_calls: [call('a'), call('b')],
    };
    expect(toPrompt([user, message])[1]!.content).toEqual([
      think('first', { signature: 's1' }),
      think('', { redactedData: 'r' }),
      { type: 'text', text: 'One. ' },
      think('second', { signature: 's2' }),
      { type: 'text', text: 'Two.' },
      asked('a'),
      think('third', { signature: 's3' }),
      asked('b'),
    ]);
  });

  test.each([
    ['of another provider', signed({ signature: 's' }, {}, 'openai/gpt-5')],
    ['of another model', signed({ signature: 's' }, {}, 'anthropic/claude-opus-4-1')],
    ['that is not JSON', '{'],
    ['without a model', '{"meta":{"signature":"s"}}'],
    ['with a wrong field', '{"model":"anthropic/claude-sonnet-4-5","meta":{"signature":1}}'],
  ])('drops a signature %s', (_what, reasoning_signature) => {
    const message: ChatMessage = { role: 'assistant', content: 'a', reasoning_content: 'hm', reasoning_signature };
    expect(toPrompt([user, message])[1]!.content).toEqual([{ type: 'text', text: 'a' }]);
    const signedCall = { ...call('a'), signature: reasoning_signature };
    expect(toPrompt([{ role: 'assistant', tool_calls: [signedCall] }])[0]!.content).toEqual([asked('a')]);
  });

  test('sends only the fields that belong in a signature', () => {
    const signature = '{"model":"anthropic/claude-sonnet-4-5","meta":{"signature":"s","cacheControl":{"type":"x"}}}';
    const signedCall = { ...call('a'), signature };
    expect(toPrompt([{ role: 'assistant', tool_calls: [signedCall] }])[0]!.content).toEqual([
      { ...asked('a'), providerOptions: { anthropic: { signature: 's' } } },
    ]);
  });

  test('accepts the signature of a dated version of the model', () => {
    const message: ChatMessage = {
      role: 'assistant',
      content: 'a',
      reasoning_content: 'hm',
      reasoning_signature: signed({ signature: 's' }, {}, 'anthropic/claude-sonnet-4-5'),
    };
    expect(toPrompt([message])[0]!.content[0]).toEqual(think('hm', { signature: 's' }));
  });

  test('drops reasoning that leads to nothing, and OpenAI’s without its encrypted content', () => {
    const block = (meta: object) => ({ text: 'x', signature: signed(meta, {}, 'openai/gpt-5') });
    const openai = { namespace: 'openai' };
    const content = (blocks: ReturnType<typeof block>[], text: string | null) =>
      toPrompt([{ role: 'assistant', content: text, reasoning_blocks: blocks }], openai, 'openai/gpt-5')[0]!.content;
    const whole = [block({ itemId: 'rs_1' }), block({ itemId: 'rs_1', reasoningEncryptedContent: 'e' })];
    expect(content(whole, 'a')).toHaveLength(3);
    expect(content(whole, null)).toEqual([{ type: 'text', text: '' }]);
    expect(content([block({ itemId: 'rs_2' })], 'a')).toEqual([{ type: 'text', text: 'a' }]);
  });

  test('is sent back unsigned only during a chain of tool calls, to servers that accept it', () => {
    const step = (id: string): ChatMessage[] => [
      { role: 'assistant', content: 'a', reasoning_content: `think ${id}`, tool_calls: [call(id)] },
      result(id),
    ];
    const messages = [user, ...step('a'), user, ...step('b')];
    const reasoning = (dialect: Partial<ChatDialect>) =>
      toPrompt(messages, dialect).flatMap(({ role, content }) =>
        role === 'assistant' ? content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])) : [],
      );
    expect(reasoning({ reasoning: 'any' })).toEqual(['think b']);
    expect(reasoning({ reasoning: 'own' })).toEqual([]);
    expect(reasoning({ reasoning: 'signed' })).toEqual([]);
  });
});
