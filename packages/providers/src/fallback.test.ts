import { expect, test } from 'vitest';
import type { CallObserver } from './call-observer.ts';
import { joinText } from './test-answers.ts';
import { ask, calls, start } from './test-providers.ts';

const chain = (...models: string[]) => ({ fallbacks: [models] });

test.each([
  ['overload', 'openai/fail-503', 3],
  ['a bad key', 'openai/fail-401', 1],
  ['a rate limit', 'openai/fail-429-retry-after-60', 1],
  ['a limit that a lone model would wait for', 'openai/fail-429-retry-after-5', 1],
])('%s: the next model answers, and a part reports it', async (_what, first, tries) => {
  const { fake, providers } = await start(chain(first, 'compatible/words-3'));
  const { parts, text, error } = await ask(providers, first);
  expect(error).toBeNull();
  expect(parts[0]).toEqual({ type: 'fallback', model: 'compatible/words-3', reset: false });
  expect(text).toBe('w1 w2 w3');
  expect(calls(fake)).toHaveLength(tries + 1);
});

test('tries the whole chain in order, and reports the last failure', async () => {
  const models = ['openai/fail-401', 'compatible/fail-429-retry-after-30', 'embedded/assistant'];
  const { providers } = await start(chain(...models));
  const { parts } = await ask(providers, 'openai/fail-401', { messages: [{ role: 'user', content: 'say hi' }] });
  expect(parts.slice(0, 3)).toEqual([
    { type: 'fallback', model: models[1], reset: false },
    { type: 'fallback', model: models[2], reset: false },
    { type: 'text', text: 'hi' },
  ]);
  const second = await start(chain('openai/fail-401', 'compatible/fail-429-retry-after-30'));
  expect((await ask(second.providers, 'openai/fail-401')).error).toMatchObject({
    code: 'provider_rate_limited',
    retryAfterS: 30,
  });
});

test.each(['refuse', 'filter-after-0', 'context-too-long', 'fail-422', 'missing'])(
  '%s is the same for every model, so no other is tried',
  async (how) => {
    const { fake, providers } = await start(chain(`openai/${how}`, 'compatible/words-3'));
    const { error, text } = await ask(providers, `openai/${how}`);
    expect(error).not.toBeNull();
    expect(text).toBe('');
    expect(calls(fake)).toHaveLength(1);
  },
);

test.each(['words-9-cut-after-3', 'words-9-error-after-3', 'words-9-hang-after-3'])(
  '%s: discards the text and starts over with another model',
  async (how) => {
    const { providers } = await start({ ...chain(`openai/${how}`, 'compatible/seed-2-words-2'), idleTimeoutMs: 300 });
    const { parts, error } = await ask(providers, `openai/${how}`);
    expect(error).toBeNull();
    const shown = joinText(parts);
    expect(shown.map((part) => (part.type === 'text' ? part.text : part.type))).toEqual([
      'w1 w2 w3',
      'fallback',
      'w2.1 w2.2',
      'finish',
    ]);
    expect(shown[1]).toMatchObject({ model: 'compatible/seed-2-words-2', reset: true });
  },
);

test('fails instead if text cannot be discarded', async () => {
  const { fake, providers } = await start(chain('openai/words-9-cut-after-3', 'compatible/words-3'));
  const { text, error } = await ask(providers, 'openai/words-9-cut-after-3', { mayReset: false });
  expect(text).toBe('w1 w2 w3');
  expect(error).toMatchObject({ code: 'provider_error' });
  expect(calls(fake)).toHaveLength(1);
  // Before any text, another model answers as usual.
  const early = await start(chain('openai/fail-401', 'compatible/words-3'));
  expect((await ask(early.providers, 'openai/fail-401', { mayReset: false })).text).toBe('w1 w2 w3');
});

test('a chain applies only to its first model, and skips providers that are not configured', async () => {
  const { providers } = await start(chain('openai/fail-401', 'groq/any', 'compatible/words-3'));
  expect((await ask(providers, 'openai/fail-401')).text).toBe('w1 w2 w3');
  expect((await ask(providers, 'compatible/fail-401')).error).toMatchObject({ code: 'provider_auth' });
});

test('an abort is not a failure, so no other model is tried', async () => {
  const { fake, providers } = await start(chain('openai/hang', 'compatible/words-3'));
  const controller = new AbortController();
  const reason = new Error('cancelled');
  const answer = ask(providers, 'openai/hang', { signal: controller.signal });
  await expect.poll(() => calls(fake).length).toBe(1);
  controller.abort(reason);
  expect((await answer).error).toBe(reason);
  expect(calls(fake)).toHaveLength(1);
});

test('no pause exceeds the end of the turn', async () => {
  const { fake, providers } = await start();
  const { error } = await ask(providers, 'openai/fail-429-retry-after-5', { endsAt: performance.now() + 4_500 });
  expect(error).toMatchObject({ code: 'provider_rate_limited', retryAfterS: 5 });
  expect(calls(fake)).toHaveLength(1);
});

const tools = [{ type: 'function' as const, function: { name: 'weather' } }];

test.each([
  ['tools', { tools }, 'call-weather-cut-after-2'],
  ['reasoning', {}, 'think-words-9-cut-after-3'],
  ['a refusal', {}, 'refuse-politely-cut-after-2'],
])('discards %s that was shown', async (_what, settings, how) => {
  const { providers } = await start(chain(`compatible/${how}`, 'compatible/seed-2-words-2'));
  const { parts, error } = await ask(providers, `compatible/${how}`, { settings });
  expect(error).toBeNull();
  const at = parts.findIndex(({ type }) => type === 'fallback');
  expect(at).toBeGreaterThan(0);
  expect(parts[at]).toEqual({ type: 'fallback', model: 'compatible/seed-2-words-2', reset: true });
  expect(parts.slice(0, at).every(({ type }) => type !== 'text')).toBe(true);
});

test('skips models that lack a feature of the call', async () => {
  const { providers } = await start(chain('openai/fail-401', 'embedded/assistant', 'compatible/call-weather'));
  const { parts, error } = await ask(providers, 'openai/fail-401', { settings: { tools } });
  expect(error).toBeNull();
  expect(parts[0]).toEqual({ type: 'fallback', model: 'compatible/call-weather', reset: false });
  expect(parts.at(-1)).toMatchObject({ finish_reason: 'tool_calls' });
  const alone = await start(chain('openai/fail-401', 'embedded/assistant'));
  expect((await ask(alone.providers, 'openai/fail-401', { settings: { tools } })).error).toMatchObject({
    code: 'provider_auth',
  });
});

test('notifies an observer of each request, including retries, of fallbacks, and of callers who leave', async () => {
  const ended: string[] = [];
  const fellBack: object[] = [];
  const observer: CallObserver = {
    begin({ provider, operation, model }) {
      return ({ outcome, usage }) =>
        void ended.push(`${provider} ${operation} ${model}: ${outcome} ${usage?.output_tokens ?? '-'}`);
    },
    fellBack: (fallback) => void fellBack.push(fallback),
    breakerIs: () => undefined,
  };
  const { providers } = await start({ ...chain('openai/fail-503', 'compatible/words-3'), observer });
  expect((await ask(providers, 'openai/fail-503')).text).toBe('w1 w2 w3');
  const failed = 'openai chat fail-503: provider_unavailable -';
  expect(ended).toEqual([failed, failed, failed, 'compatible chat words-3: ok 3']);
  expect(fellBack).toEqual([{ from: 'openai/fail-503', to: 'compatible/words-3' }]);

  const call = { model: 'openai/words-9', messages: [{ role: 'user' as const, content: 'Hi' }], settings: {} };
  const options = { signal: new AbortController().signal, executionId: 'job_test', mayReset: true };
  for await (const part of providers.streamChat(call, options)) if (part.type === 'text') break;
  expect(ended.at(-1)).toBe('openai chat words-9: cancelled -');
});
