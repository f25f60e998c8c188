import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { afterEach, expect, test } from 'vitest';
import { type FakeOpenAI, type FakeOpenAIOptions, startFakeOpenAI } from './fake-openai.ts';
import { expectedText } from './fake-turn.ts';

// OpenAI's own client reads the fake's responses, which proves its wire formats.

const running: FakeOpenAI[] = [];
const messages = [{ role: 'user' as const, content: 'one two  three' }];

async function start(options?: FakeOpenAIOptions) {
  const fake = await startFakeOpenAI(options);
  running.push(fake);
  return { fake, client: new OpenAI({ baseURL: fake.url, apiKey: 'sk-test', maxRetries: 0 }) };
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((fake) => fake.close()));
});

async function chatText(
  client: OpenAI,
  model: string,
): Promise<{ text: string; finish: string | null; tokens: number | null }> {
  let text = '';
  let finish: string | null = null;
  let tokens: number | null = null;
  const stream = await client.chat.completions.create({
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
  });
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? '';
    finish = chunk.choices[0]?.finish_reason ?? finish;
    tokens = chunk.usage?.completion_tokens ?? tokens;
  }
  return { text, finish, tokens };
}

test('streams chat completions with their usage', async () => {
  const { client } = await start();
  expect(await chatText(client, 'words-3')).toEqual({ text: 'w1 w2 w3', finish: 'stop', tokens: 3 });
  expect(await chatText(client, 'echo')).toMatchObject({ text: 'one two  three' });
  expect((await chatText(client, 'flood-5000')).text).toBe(expectedText('flood-5000'));
});

test('answers chat completions without streaming', async () => {
  const { client } = await start();
  const answer = await client.chat.completions.create({ model: 'words-5', messages, max_tokens: 2 });
  expect(answer.choices[0]).toMatchObject({ message: { content: 'w1 w2' }, finish_reason: 'length' });
  expect(answer.usage).toEqual({ prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 });
});

test('streams and answers responses', async () => {
  const { client } = await start();
  const types: string[] = [];
  let text = '';
  for await (const event of await client.responses.create({ model: 'words-2-seed-4', input: 'hi', stream: true })) {
    types.push(event.type);
    if (event.type === 'response.output_text.delta') text += event.delta;
  }
  expect(text).toBe('w4.1 w4.2');
  expect(types).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
  const whole = await client.responses.create({ model: 'echo', input: 'hello there' });
  expect(whole.output_text).toBe('hello there');
});

test("fails as the model's name specifies", async () => {
  const { client } = await start();
  await expect(chatText(client, 'fail-500')).rejects.toMatchObject({ status: 500 });
  await expect(chatText(client, 'context-too-long')).rejects.toMatchObject({ code: 'context_length_exceeded' });
  const limited = await client.chat.completions
    .create({ model: 'fail-429-retry-after-7', messages })
    .catch((error) => error);
  expect(limited.status).toBe(429);
  expect(limited.headers.get('retry-after')).toBe('7');
  await expect(chatText(client, 'fail-503-once-words-2')).rejects.toMatchObject({ status: 503 });
  expect((await chatText(client, 'fail-503-once-words-2')).text).toBe('w1 w2');
  await expect(chatText(client, 'error-after-2')).rejects.toThrow();
  await expect(chatText(client, 'cut-after-2')).rejects.toThrow();
});

test('lists its models, and omits features on request', async () => {
  const { client } = await start({ models: ['a/b', 'c'], responses: false });
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['a/b', 'c']);
  await expect(client.responses.create({ model: 'x', input: 'hi' })).rejects.toMatchObject({ status: 404 });
});

test('accepts only its key', async () => {
  const { fake, client } = await start({ apiKey: 'sk-right' });
  await expect(client.models.list()).rejects.toMatchObject({ status: 401 });
  const right = new OpenAI({ baseURL: fake.url, apiKey: 'sk-right', maxRetries: 0 });
  expect((await right.models.list()).data).not.toEqual([]);
});

test('reports when a client disconnects', async () => {
  const { fake, client } = await start();
  const stream = await client.chat.completions.create({ model: 'hang-after-3', messages, stream: true });
  const iterator = stream[Symbol.asyncIterator]();
  await iterator.next();
  expect(fake.connections()).toBe(1);
  stream.controller.abort();
  const request = await fake.closed(1);
  expect(request).toMatchObject({ model: 'hang-after-3', wordsSent: 3, finished: false });
  expect(request.closedAt).toBeGreaterThanOrEqual(request.receivedAt);
});

test('takes its behavior from a script', async () => {
  const { client } = await start({ script: ({ number }) => (number === 1 ? { words: 1 } : { words: 2 }) });
  expect((await chatText(client, 'any')).text).toBe('w1');
  expect((await chatText(client, 'any')).text).toBe('w1 w2');
});

test('runs as a separate process', async () => {
  const main = fileURLToPath(new URL('./fake-openai-main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, '--port', '0', '--models', 'm1,m2'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(child.stdout, 'data');
    const { url, port, pid } = JSON.parse(String(line));
    expect(pid).toBe(child.pid);
    const client = new OpenAI({ baseURL: url, apiKey: 'sk-test', maxRetries: 0 });
    expect((await client.models.list()).data).toHaveLength(2);
    expect((await chatText(client, 'words-2')).text).toBe('w1 w2');
    const log = (await (await fetch(`http://127.0.0.1:${port}/requests`)).json()) as {
      path: string;
      finished: boolean;
    }[];
    expect(log.map(({ path }) => path)).toEqual(['/v1/models', '/v1/chat/completions']);
  } finally {
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  }
});
