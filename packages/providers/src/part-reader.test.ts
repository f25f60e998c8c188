import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import type { ChatDialect } from './chat-dialect.ts';
import { PartReader } from './part-reader.ts';

const DIALECT: ChatDialect = { namespace: 'openai', reasoning: 'signed', options: () => ({}) };

/** Reads the parts of a package's stream. A string is plain text. */
function read(parts: (LanguageModelV4StreamPart | string)[], dialect: Partial<ChatDialect> = {}) {
  const reader = new PartReader('openai/gpt-5', { ...DIALECT, ...dialect });
  return parts.flatMap((part) => (typeof part === 'string' ? reader.text(part) : (reader.read(part) ?? [])));
}

const meta = (fields: Record<string, string | null>) => ({ providerMetadata: { openai: fields } });
const signature = (fields: object) => JSON.stringify({ model: 'openai/gpt-5', ...fields });

test('separates blocks of reasoning, and records their positions', () => {
  const parts = read([
    { type: 'reasoning-start', id: 'rs_1:0', ...meta({ itemId: 'rs_1', reasoningEncryptedContent: null }) },
    { type: 'reasoning-delta', id: 'rs_1:0', delta: 'One', ...meta({ itemId: 'rs_1' }) },
    { type: 'reasoning-delta', id: 'rs_1:0', delta: '.', ...meta({ itemId: 'rs_1' }) },
    { type: 'reasoning-end', id: 'rs_1:0', ...meta({ itemId: 'rs_1' }) },
    'abc',
    { type: 'tool-input-start', id: 'call_1', toolName: 'weather' },
    { type: 'reasoning-start', id: 'rs_1:1' },
    { type: 'reasoning-delta', id: 'rs_1:1', delta: 'Two' },
    { type: 'reasoning-end', id: 'rs_1:1', ...meta({ itemId: 'rs_1', reasoningEncryptedContent: 'e' }) },
  ]);
  expect(parts).toEqual([
    { type: 'reasoning', text: 'One' },
    { type: 'reasoning', text: '.' },
    { type: 'reasoning', text: '', signature: signature({ meta: { itemId: 'rs_1' } }) },
    { type: 'text', text: 'abc' },
    { type: 'tool_call', index: 0, id: 'call_1', name: 'weather', arguments: '' },
    { type: 'reasoning', text: '\n\nTwo' },
    {
      type: 'reasoning',
      text: '',
      signature: signature({ meta: { itemId: 'rs_1', reasoningEncryptedContent: 'e' }, pad: 2, at: [3, 1] }),
    },
  ]);
});

test('keeps only the known fields of signatures', () => {
  const [part] = read([
    { type: 'reasoning-start', id: '0', ...meta({ signature: 's', secret: 'x' }) },
    { type: 'reasoning-end', id: '0' },
  ]);
  expect(part).toEqual({ type: 'reasoning', text: '', signature: signature({ meta: { signature: 's' } }) });
});

test('signs reasoning without provider data with its model only, where that matters', () => {
  const parts: LanguageModelV4StreamPart[] = [
    { type: 'reasoning-start', id: '0' },
    { type: 'reasoning-delta', id: '0', delta: 'a' },
    { type: 'reasoning-end', id: '0' },
  ];
  expect(read(parts, { reasoning: 'any' })).toEqual([{ type: 'reasoning', text: 'a' }]);
  expect(read(parts, { reasoning: 'own' })[1]).toEqual({
    type: 'reasoning',
    text: '',
    signature: signature({ meta: {} }),
  });
});

test('shows a call that was not streamed in one part, with its signature', () => {
  const call = { type: 'tool-call' as const, toolCallId: 'a', toolName: 'weather', input: '{"b":1}' };
  expect(read([call])).toEqual([{ type: 'tool_call', index: 0, id: 'a', name: 'weather', arguments: '{"b":1}' }]);
  const streamed: LanguageModelV4StreamPart[] = [
    { type: 'tool-input-start', id: 'a', toolName: 'weather' },
    { type: 'tool-input-delta', id: 'a', delta: '{"b":1}' },
    { type: 'tool-input-end', id: 'a' },
  ];
  expect(read([...streamed, call])).toHaveLength(2);
  const signed = read([...streamed, { ...call, ...meta({ thoughtSignature: 't' }) }]);
  expect(signed[2]).toEqual({
    type: 'tool_call',
    index: 0,
    id: 'a',
    name: 'weather',
    arguments: '',
    signature: signature({ meta: { thoughtSignature: 't' } }),
  });
});

test('leaves out tools that a provider runs itself', () => {
  const search = { toolName: 'web_search', providerExecuted: true };
  expect(
    read([
      { type: 'tool-input-start', id: 'a', ...search },
      { type: 'tool-input-delta', id: 'a', delta: '{}' },
      { type: 'tool-call', toolCallId: 'a', input: '{}', ...search },
    ]),
  ).toEqual([]);
});

test('log probabilities wait for text, and the last ones are not lost', () => {
  const reader = new PartReader('openai/gpt-5', DIALECT);
  const raw = (token: string) => ({
    type: 'raw' as const,
    rawValue: { choices: [{ delta: {}, logprobs: { content: [{ token, logprob: -1 }] } }] },
  });
  const entry = (token: string) => ({ token, logprob: -1, bytes: null, top_logprobs: [] });
  expect([reader.read(raw('a')), reader.read(raw('b'))]).toEqual([null, null]);
  expect(reader.text('ab')).toEqual({ type: 'text', text: 'ab', logprobs: [entry('a'), entry('b')] });
  expect(reader.text('c')).toEqual({ type: 'text', text: 'c' });
  expect(reader.end()).toBeNull();
  reader.read(raw('d'));
  expect(reader.end()).toEqual({ type: 'text', text: '', logprobs: [entry('d')] });
  for (const rawValue of [null, 'x', {}, { choices: [] }, { choices: [{ logprobs: null }] }])
    expect(reader.read({ type: 'raw', rawValue })).toBeNull();
});
