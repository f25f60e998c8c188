import type { ChatMessage } from '@chorus/contract';
import { expect, test } from 'vitest';
import { CheckedSettings } from './checked-settings.ts';
import { question } from './test-answers.ts';
import { ask, callsTo, startFake } from './test-providers.ts';

test('distinguishes models, settings, and variants, but not users', () => {
  const checked = new CheckedSettings();
  const call = { model: 'a', messages: question, settings: { temperature: 1, user: 'ada' } };
  const key = checked.keyOf(call, '');
  checked.add(key);
  expect(checked.has(checked.keyOf({ ...call, settings: { temperature: 1, user: 'bob' } }, ''))).toBe(true);
  expect(checked.has(checked.keyOf({ ...call, settings: { temperature: 2, user: 'ada' } }, ''))).toBe(false);
  expect(checked.has(checked.keyOf({ ...call, model: 'b' }, ''))).toBe(false);
  expect(checked.has(checked.keyOf(call, 'other'))).toBe(false);
});

test('forgets the oldest', () => {
  const checked = new CheckedSettings();
  for (let index = 0; index <= 1_000; index += 1) checked.add(String(index));
  expect(['0', '1', '1000'].map((key) => checked.has(key))).toEqual([false, true, true]);
});

test('a setting that the package drops fails every call', async () => {
  const { fake, providers } = await startFake('google');
  const settings = { presence_penalty: 1 };
  for (let count = 0; count < 2; count += 1) {
    const { error } = await ask(providers, 'google/gemini-2.5-pro-words-1', { settings });
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('presence_penalty') });
  }
  expect(callsTo(fake)).toHaveLength(2);
});

test('a setting that is dropped only in some conversations fails there, even after other calls', async () => {
  const { providers } = await startFake('anthropic');
  const settings = { temperature: 0.5, reasoning_effort: 'low' as const };
  const foreign: ChatMessage[] = [
    ...question,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'x', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: '1' },
  ];
  const model = 'anthropic/claude-sonnet-4-5-words-1';
  for (const messages of [foreign, question, foreign]) {
    const { error } = await ask(providers, model, { messages, settings });
    if (messages === foreign) expect(error).toBeNull();
    else expect(error).toMatchObject({ message: expect.stringContaining('`temperature`') });
  }
});
