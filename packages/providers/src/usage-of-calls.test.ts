import type { Usage } from '@chorus/contract';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CallOptions, ChatPart } from './provider-port.ts';
import { start, startFake } from './test-providers.ts';
import { usePrices } from './usage/prices.ts';

beforeEach(() => usePrices([], { tokens: { input: 1, output: 1_000_000 } }));
afterEach(() => usePrices([]));

const PROMPT = 'x'.repeat(300);
const PROMPT_TOKENS = 104;

/** Asks a model until `until` stops it. */
async function ask(
  name: string,
  until: (part: ChatPart | null, abort: () => void) => boolean | undefined = () => false,
) {
  const { fake, providers } = await start();
  const controller = new AbortController();
  const unfinished: Usage[] = [];
  const abort = () => controller.abort(new Error('stop'));
  const call = { model: `compatible/${name}`, messages: [{ role: 'user' as const, content: PROMPT }], settings: {} };
  const options = {
    signal: controller.signal,
    executionId: 'job_x',
    mayReset: true,
    endsAt: performance.now() + 20_000,
  };
  const stream = providers.streamChat(call, { ...options, onUnfinished: (usage) => void unfinished.push(usage) });
  let finish: Usage | null = null;
  let error: unknown = null;
  void fake.received(1).then(() => until(null, abort));
  try {
    for await (const part of stream) {
      if (part.type === 'finish') finish = part.usage;
      if (part.type !== 'fallback' && until(part, abort)) break;
    }
  } catch (thrown) {
    error = thrown;
  }
  return { finish, unfinished, error };
}

test('estimates the usage that a server does not report', async () => {
  const { finish, unfinished } = await ask('words-3-unmetered');
  expect(finish).toMatchObject({ input_tokens: PROMPT_TOKENS, output_tokens: expect.any(Number), estimated: true });
  expect(finish?.output_tokens).toBeGreaterThanOrEqual(3);
  expect(finish?.cost_usd).toBeCloseTo((PROMPT_TOKENS + (finish?.output_tokens ?? 0) * 1e6) / 1e6, 9);
  expect(unfinished).toEqual([]);
  expect((await ask('words-3')).finish).not.toHaveProperty('estimated');
});

test('estimates the usage of a call that is cancelled or left, once', async () => {
  const cancelled = await ask('words-9-hang-after-5', (part, abort) => {
    if (part !== null) abort();
    return false;
  });
  expect(cancelled.error).toEqual(new Error('stop'));
  expect(cancelled.unfinished).toMatchObject([{ input_tokens: PROMPT_TOKENS, estimated: true }]);
  expect(cancelled.unfinished[0]?.output_tokens).toBeGreaterThan(0);

  const left = await ask('words-9-hang-after-5', (part) => part !== null);
  expect(left.unfinished).toMatchObject([{ input_tokens: PROMPT_TOKENS, estimated: true }]);

  const silent = await ask('hang', (part, abort) => void (part === null && abort()));
  expect(silent.unfinished).toMatchObject([{ input_tokens: PROMPT_TOKENS, output_tokens: 0, estimated: true }]);
});

test('tells what a call has used so far', async () => {
  const { providers } = await start();
  const call = { model: 'compatible/words-3', messages: [{ role: 'user' as const, content: PROMPT }], settings: {} };
  const signal = new AbortController().signal;
  const sent: (() => Usage)[] = [];
  const options = { signal, executionId: 'job_x', mayReset: true, endsAt: performance.now() + 20_000 };
  const seen: Usage[] = [];
  const onSent = (soFar: () => Usage) => {
    sent.push(soFar);
    seen.push(soFar());
  };
  for await (const part of providers.streamChat(call, { ...options, onSent }))
    if (part.type === 'text') seen.push(sent[0]?.() as Usage);
  expect(sent).toHaveLength(1);
  expect(seen[0]).toMatchObject({ input_tokens: PROMPT_TOKENS, output_tokens: 0, estimated: true });
  expect(seen.at(-1)?.output_tokens).toBeGreaterThan(0);
});

test('an answer that fails costs what was written, and nothing before its first word', async () => {
  const failed = await ask('error-after-5');
  expect(failed.error).toMatchObject({ code: expect.any(String) });
  expect(failed.unfinished).toMatchObject([{ input_tokens: PROMPT_TOKENS, estimated: true }]);
  const refused = await ask('fail-400');
  expect(refused.error).toMatchObject({ code: expect.any(String) });
  expect(refused.unfinished).toEqual([]);
});

test('estimates the tokens of embeddings that a provider does not count', async () => {
  const { providers } = await startFake('google');
  const options = { signal: new AbortController().signal, executionId: 'job_x' };
  const call = { model: 'google/gemini-embedding-001', texts: [PROMPT, PROMPT], purpose: null };
  const { usage } = await providers.embedTexts(call, options);
  expect(usage).toMatchObject({ input_tokens: 2 * PROMPT_TOKENS, estimated: true });
  expect(usage.cost_usd).toBeCloseTo((2 * PROMPT_TOKENS * 0.15) / 1e6, 12);
});

test('estimates speech, transcripts, embeddings, and images that are cancelled after their request', async () => {
  usePrices([], { tokens: { input: 1_000, output: 0 }, image: 0.5, speech: 1_000_000, transcriptHour: 3_600 });
  const { fake, providers } = await start();
  const ask = async (run: (options: CallOptions) => Promise<unknown>) => {
    const before = fake.requests.length;
    const controller = new AbortController();
    const unfinished: Usage[] = [];
    const onUnfinished = (used: Usage) => void unfinished.push(used);
    const running = run({ signal: controller.signal, executionId: 'job_x', onUnfinished });
    running.catch(() => undefined);
    await fake.received(before + 1);
    controller.abort(new Error('stop'));
    await expect(running).rejects.toThrow('stop');
    return unfinished.map(({ cost_usd, estimated }) => ({ cost_usd, estimated }));
  };
  const cost = (cost_usd: number) => [{ cost_usd, estimated: true }];
  const model = 'openai/start-20000';
  const audio = new Uint8Array(48_000 * 2);
  expect(await ask((own) => providers.embedTexts({ model, texts: [PROMPT], purpose: null }, own))).toEqual(cost(0.104));
  expect(await ask((own) => providers.generateImage({ model, prompt: 'a' }, own))).toEqual(cost(0.5));
  expect(await ask((own) => providers.transcribe({ model, audio, mediaType: 'audio/pcm' }, own))).toEqual(cost(2));
  expect(await ask((own) => Array.fromAsync(providers.streamSpeech({ model, text: 'abc' }, own)))).toEqual(cost(3));
});
