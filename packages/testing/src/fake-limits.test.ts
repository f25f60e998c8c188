import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { FakeBucket } from './fake-bucket.ts';
import type { FakeLimitSettings } from './fake-limits.ts';
import { startFakeOpenAI } from './fake-openai.ts';
import { type FakeProviderName, startFakeProvider } from './fake-provider.ts';
import type { FakeServer } from './fake-server.ts';

const running: FakeServer[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((fake) => fake.close()));
});

async function start(limits: Partial<FakeLimitSettings>) {
  const fake = await startFakeOpenAI({ limits });
  running.push(fake);
  const post = (path: string, body: unknown) =>
    fetch(`${fake.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sk-1' },
      body: JSON.stringify(body),
    });
  const chat = (content: string, model = 'words-2', more = {}) =>
    post('/chat/completions', { model, messages: [{ role: 'user', content }], ...more });
  const done = async (answer: Promise<Response>) => {
    const response = await answer;
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return { fake, post, chat, done };
}

test('refuses what is beyond the number at once, until a place is free', async () => {
  const { fake, chat, done } = await start({ concurrent: 2 });
  const hanging = [chat('a', 'hang-after-1', { stream: true }), chat('b', 'hang-after-1', { stream: true })];
  await Promise.all(hanging);
  const refused = await done(chat('c'));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
  fake.limits.change({ concurrent: 3, retryAfterS: null });
  expect((await done(chat('d'))).status).toBe(200);
  await expect.poll(() => fake.limits.counts.running).toBe(2);
  await (await hanging[0])?.body?.cancel();
  await expect.poll(() => fake.limits.counts).toMatchObject({ running: 1, abandoned: 1, mostAtOnce: 3 });
  fake.limits.change({ concurrent: 1 });
  expect((await done(chat('e'))).headers.get('retry-after')).toBeNull();
  const counts = { accepted: 3, refused: 2, answered: { d: 1 }, sentAgain: [] };
  await expect.poll(() => fake.limits.counts).toMatchObject(counts);
});

test('queues what is beyond the number at once', async () => {
  const { fake, chat, done } = await start({ concurrent: 1, queues: true });
  const first = await chat('a', 'hang-after-1', { stream: true });
  const second = done(chat('b'));
  await expect.poll(() => fake.limits.counts.running).toBe(2);
  expect(fake.limits.counts.answered).toEqual({});
  await first.body?.cancel();
  expect((await second).status).toBe(200);
  expect(fake.limits.counts).toMatchObject({ accepted: 2, refused: 0, answered: { b: 1 } });
});

test('limits the requests and tokens of a minute, with headers on each answer', async () => {
  const { fake, chat, done } = await start({ requestsPerMinute: 2, tokensPerMinute: 1_000 });
  const first = await done(chat('a', 'words-2', { max_tokens: 100 }));
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'x-ratelimit-limit-requests': '2',
    'x-ratelimit-remaining-requests': '1',
    'x-ratelimit-reset-requests': expect.stringMatching(/^(30|29\.\d+)s$/),
    'x-ratelimit-limit-tokens': '1000',
    'x-ratelimit-remaining-tokens': expect.stringMatching(/^8\d\d$/),
  });
  const large = await done(chat('b', 'words-2', { max_tokens: 950 }));
  expect([large.status, large.headers.get('x-ratelimit-remaining-requests')]).toEqual([429, '1']);
  expect(Number(large.headers.get('retry-after'))).toBeGreaterThan(1);
  fake.limits.change({ tokensPerMinute: null });
  expect((await done(chat('b'))).status).toBe(200);
  expect((await done(chat('c'))).status).toBe(429);
  expect(fake.limits.counts).toMatchObject({ accepted: 2, refused: 2, allowed: { requests: 2, tokens: null } });
});

test('counts the output if no limit is set for it', async () => {
  const { fake, chat, done } = await start({ tokensPerMinute: 1_000 });
  await done(chat('a', 'words-900', { stream: true }));
  await expect.poll(() => fake.limits.counts.running).toBe(0);
  const next = await done(chat('b', 'words-2', { max_tokens: 200 }));
  expect(next.status).toBe(429);
});

test('is away, and refuses keys, as long as it is set', async () => {
  const { fake, chat, done } = await start({ away: true });
  expect((await done(chat('a'))).status).toBe(503);
  fake.limits.change({ away: 'resets' });
  await expect(chat('a')).rejects.toThrow('fetch failed');
  fake.limits.change({ away: 'hangs' });
  const leave = new AbortController();
  const hung = fetch(`${fake.url}/models`, { signal: leave.signal });
  await fake.received(3);
  leave.abort();
  await expect(hung).rejects.toThrow();
  fake.limits.change({ away: false, keyAccepted: 'sk-2' });
  const refused = await done(chat('a'));
  expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([401, 'invalid_api_key']);
  fake.limits.change({ keyAccepted: 'sk-1' });
  expect((await done(chat('a'))).status).toBe(200);
  expect(fake.limits.counts).toMatchObject({ failed: 3, keyRefused: 1, accepted: 1 });
});

test('fails at random, in the same way for the same seed', async () => {
  const outcomes = async (seed: number) => {
    const { fake, chat, done } = await start({ failShare: 0.5, seed });
    const all: (number | string)[] = [];
    for (let index = 0; index < 20; index += 1)
      all.push(
        await done(chat(`${index}`)).then(
          ({ status }) => status,
          () => 'reset',
        ),
      );
    const ended = () => fake.limits.counts.failed + Object.keys(fake.limits.counts.answered).length;
    await expect.poll(ended).toBe(20);
    expect(fake.limits.counts.accepted).toBe(20);
    return all;
  };
  const one = await outcomes(1);
  expect(new Set(one)).toEqual(new Set([200, 500, 'reset']));
  expect(await outcomes(1)).toEqual(one);
  expect(await outcomes(2)).not.toEqual(one);
});

test('knows what was sent again after an answer', async () => {
  const { fake, chat, post, done } = await start({});
  await done(chat('a'));
  await done(chat('b', 'fail-500'));
  await done(chat('b'));
  await done(post('/images/generations', { model: 'x', prompt: 'a cat' }));
  await done(post('/embeddings', { model: 'x', input: ['one', 'two'] }));
  await done(post('/responses', { model: 'words-1', input: [{ role: 'user', content: [{ text: 'c' }] }] }));
  await expect
    .poll(() => fake.limits.counts)
    .toMatchObject({
      answered: { a: 1, b: 1, 'a cat': 1, 'one two': 1, c: 1 },
      sentAgain: [],
    });
  await done(chat('a'));
  await expect.poll(() => fake.limits.counts).toMatchObject({ answered: { a: 2 }, sentAgain: ['a'] });
});

const ANTHROPIC = { model: 'words-1', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], stream: true };
const GOOGLE = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };
const CHAT = { model: 'words-1', messages: [{ role: 'user', content: 'Hi' }], stream: true };

describe.each<[name: FakeProviderName, path: string, body: Record<string, unknown>, prompt: string, error: unknown]>([
  ['anthropic', '/messages', ANTHROPIC, 'Hi', { error: { type: 'rate_limit_error' } }],
  ['google', '/models/words-1:streamGenerateContent', GOOGLE, 'Hi', { error: { status: 'RESOURCE_EXHAUSTED' } }],
  ['mistral', '/chat/completions', CHAT, 'Hi', { type: 'rate_limited' }],
  ['groq', '/chat/completions', CHAT, 'Hi', { error: { code: 'rate_limit_exceeded' } }],
  ['fal', '/fal-ai/flux', { prompt: 'a cat' }, 'a cat', { detail: expect.any(String) }],
  [
    'elevenlabs',
    '/v1/text-to-speech/voice',
    { text: 'Hi', model_id: 'x' },
    'Hi',
    { detail: { status: 'too_many_concurrent_requests' } },
  ],
  ['deepgram', '/v1/speak?model=x', { text: 'Hi' }, 'Hi', { err_code: 'TOO_MANY_REQUESTS' }],
])('%s', (name, path, body, prompt, error) => {
  test('limits in its own form', async () => {
    const fake = await startFakeProvider(name, { limits: { requestsPerMinute: 1, tokensPerMinute: 10_000 } });
    running.push(fake);
    const ask = async () => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(fake.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, headers: response.headers, text: await response.text() };
    };
    expect((await ask()).status).toBe(200);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.text)).toMatchObject(error as object);
    const limits = [...refused.headers.keys()].filter((header) => header.includes('ratelimit'));
    expect(limits.length > 0).toBe(['anthropic', 'mistral', 'groq'].includes(name));
    await expect.poll(() => fake.limits.counts).toMatchObject({ accepted: 1, refused: 1, answered: { [prompt]: 1 } });
    fake.limits.change({ keyAccepted: false });
    expect((await ask()).status).toBe(name === 'google' ? 400 : 401);
    fake.limits.change({ keyAccepted: true, away: true });
    expect((await ask()).status).toBe(503);
  });
});

test('a bucket refills steadily and may be overdrawn', () => {
  let now = 0;
  const bucket = new FakeBucket(60, () => now);
  bucket.take(60);
  expect([bucket.remaining, bucket.waitMs(1), bucket.resetMs]).toEqual([0, 1_000, 60_000]);
  now = 1_500;
  expect([bucket.remaining, bucket.waitMs(2), bucket.granted]).toEqual([1, 500, 61]);
  bucket.take(31.5);
  expect([bucket.remaining, bucket.waitMs(1)]).toEqual([0, 31_000]);
  now += 300_000;
  expect([bucket.remaining, bucket.waitMs(1_000), bucket.granted]).toEqual([60, 0, 361]);
  bucket.resize(30);
  expect([bucket.remaining, bucket.limit]).toEqual([30, 30]);
});

test('is controlled as a separate process', async () => {
  const main = fileURLToPath(new URL('./fake-openai-main.ts', import.meta.url));
  const options = ['--provider', 'anthropic', '--limits', '{"concurrent":7}'];
  const child = spawn(process.execPath, [main, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(child.stdout, 'data');
    const { url, port } = JSON.parse(String(line));
    const control = async (settings?: Record<string, unknown>) => {
      const init = settings && { method: 'POST', body: JSON.stringify(settings) };
      const response = await fetch(`http://127.0.0.1:${port}/control`, init);
      return { status: response.status, ...((await response.json()) as Record<string, unknown>) };
    };
    expect(await control()).toMatchObject({ limits: { concurrent: 7 }, counts: { accepted: 0, answered: {} } });
    expect(await control({ away: true })).toMatchObject({ limits: { concurrent: 7, away: true } });
    expect((await fetch(`${url}/models`)).status).toBe(503);
    expect(await control({ awry: true })).toMatchObject({ status: 400, error: 'Error: Unknown setting: awry' });
    expect(await control({ away: false })).toMatchObject({ counts: { failed: 1 } });
    expect((await fetch(`${url}/models`)).status).toBe(200);
  } finally {
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  }
});
