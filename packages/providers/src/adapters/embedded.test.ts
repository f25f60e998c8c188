import { createLogger } from '@chorus/runtime/log';
import { expect, test } from 'vitest';
import { openGate } from '../call-gate.ts';
import { NO_OBSERVER } from '../call-observer.ts';
import type { ChatPart } from '../provider-port.ts';
import { createAdapter } from './embedded.ts';

const adapter = createAdapter({
  name: 'embedded',
  settings: { apiKey: null, baseUrl: null },
  log: createLogger({ name: 'test', level: 'silent' }),
  idleTimeoutMs: 1_000,
  gate: openGate,
  observer: NO_OBSERVER,
  modelPath: null,
  modelsFolder: null,
});

async function say(text: string, settings = {}, signal = new AbortController().signal): Promise<ChatPart[]> {
  const call = { model: 'assistant', messages: [{ role: 'user' as const, content: `say ${text}` }], settings };
  return Array.fromAsync(adapter.streamChat!(call, { signal, executionId: 'job_test' }));
}

const usage = (input: number, output: number) => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
  cost_usd: null,
});

test('streams word by word and counts them', async () => {
  expect(await say('one  two\nthree')).toEqual([
    { type: 'text', text: 'one' },
    { type: 'text', text: '  two' },
    { type: 'text', text: '\nthree' },
    { type: 'finish', finish_reason: 'stop', usage: usage(4, 3) },
  ]);
});

test('respects max_tokens and stop', async () => {
  expect(await say('one two three', { max_tokens: 2 })).toEqual([
    { type: 'text', text: 'one' },
    { type: 'text', text: ' two' },
    { type: 'finish', finish_reason: 'length', usage: usage(4, 2) },
  ]);
  expect((await say('one two three', { max_tokens: 3 })).at(-1)).toMatchObject({ finish_reason: 'stop' });
  expect(await say('one two three', { stop: ['', 'ee', ' th'] })).toEqual([
    { type: 'text', text: 'one' },
    { type: 'text', text: ' two' },
    { type: 'finish', finish_reason: 'stop', usage: usage(4, 2) },
  ]);
});

test('lets other work run, and ends on an abort', async () => {
  const controller = new AbortController();
  const reason = new Error('cancelled');
  setImmediate(() => controller.abort(reason));
  await expect(say('word '.repeat(100_000), {}, controller.signal)).rejects.toBe(reason);
  await expect(say('hi', {}, AbortSignal.abort(reason))).rejects.toBe(reason);
});

test('returns long words whole', async () => {
  const word = '𝒳é'.repeat(100);
  const parts = await say(word);
  expect(parts.map((part) => (part.type === 'text' ? part.text : '')).join('')).toBe(word);
});

test('draws pictures, and lists its models', async () => {
  expect(adapter.models().map(({ id, capabilities }) => [id, ...capabilities])).toEqual([
    ['assistant', 'chat'],
    ['canvas', 'image'],
    ['canvas-video', 'video'],
    ['use-lite', 'embedding'],
    ['moonshine', 'transcription'],
    ['moonshine-tiny', 'transcription'],
    ['kokoro', 'speech'],
    ['flite', 'speech'],
  ]);
  const options = { signal: new AbortController().signal, executionId: 'job_test' };
  const call = { prompt: 'a cat', size: { width: 64, height: 64 } };
  const { bytes } = await adapter.generateImage!({ ...call, model: 'canvas' }, options);
  expect(Buffer.from(bytes.subarray(1, 4)).toString()).toBe('PNG');
  await expect(adapter.generateImage!({ ...call, model: 'canvas-video' }, options)).rejects.toMatchObject({
    code: 'model_not_found',
  });
});

test('lists the settings that have no effect on the assistant', () => {
  const ignored = adapter.models().flatMap(({ id, ignoredSettings = [] }) => ignoredSettings.map(() => id));
  expect(new Set(ignored)).toEqual(new Set(['assistant']));
});

test('refuses features that the assistant lacks, and lists them', async () => {
  const tools = [{ type: 'function', function: { name: 'weather' } }];
  const refused = async (settings: object) => {
    const error = await say('hi', settings).catch((thrown: Error) => thrown);
    return (error as Error).message;
  };
  expect(await refused({ tools })).toBe('`tools` cannot be used: embedded/assistant cannot call tools');
  expect(await refused({ response_format: { type: 'json_object' } })).toBe(
    '`response_format` is not supported by embedded/assistant',
  );
  expect(await refused({ logprobs: true })).toBe('`logprobs` is not supported by embedded/assistant');
  const nothing = { tools: [], tool_choice: 'auto', response_format: { type: 'text' }, reasoning_effort: 'none' };
  expect((await say('hi', { ...nothing, user: 'ada' })).at(-1)).toMatchObject({ type: 'finish' });
  expect(adapter.models()[0]?.unsupportedSettings).toEqual(expect.arrayContaining(['tools', 'input_audio', 'file']));
});
