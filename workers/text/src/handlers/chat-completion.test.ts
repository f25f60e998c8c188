import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AssetStore, createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import {
  type ChatCompletionInput,
  ChorusError,
  type JobOutput,
  newId,
  type Owner,
  PROVIDERS,
  type RunningEvent,
} from '@chorus/contract';
import { startTurn } from '@chorus/conversations';
import { connectDatabase, type Database } from '@chorus/database';
import { ShownOutput } from '@chorus/events';
import { createProviders, type Providers } from '@chorus/providers';
import { createLogger } from '@chorus/runtime/log';
import {
  expectedText,
  type FakeOpenAI,
  keptPlace,
  noDecisions,
  sharedStore,
  startFakeOpenAI,
  type TestDatabases,
  TINY_PNG,
} from '@chorus/testing';
import { createHandlers, type Handler, type JobContext } from '@chorus/worker-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as handlers from './index.ts';

const log = createLogger({ name: 'test', level: 'silent' });

let store: TestDatabases;
let database: Database;
let fake: FakeOpenAI;
let folder: string;
let assets: AssetStore;
let providers: Providers;
let settings: Parameters<typeof createProviders>[0];
const openTools = async () => [];
const findPassages = () => Promise.reject(new Error('this test uses no knowledge'));
const readDocument = findPassages;
let handler: Handler<'chat.completion'>;

beforeAll(async () => {
  [store, fake] = await Promise.all([sharedStore(), startFakeOpenAI()]);
  database = await connectDatabase({ uri: store.uri, log });
  const off = Object.fromEntries(PROVIDERS.map((name) => [name, { apiKey: null, baseUrl: null }]));
  settings = { ...(off as typeof settings), compatible: { apiKey: null, baseUrl: fake.url } };
  providers = createProviders(settings, { log });
  await providers.ready();
  folder = await mkdtemp(join(tmpdir(), 'chorus-chat-'));
  assets = createAssets({ database, blobs: createBlobs({ kind: 'files', folder }, log), log });
  handler = createHandlers('text', handlers, { database, assets, findPassages, readDocument, openTools, providers })[
    'chat.completion'
  ];
});
afterAll(async () => {
  providers.close();
  await database.close();
  await Promise.all([store.stop(), fake.close(), rm(folder, { recursive: true, force: true })]);
});

const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

/** Runs the handler as the worker kit does; `say` lets a test wait in `emit`. */
function run(
  input: ChatCompletionInput,
  owner: Owner = personal(),
  say?: () => Promise<void>,
  of: typeof handler = handler,
) {
  const controller = new AbortController();
  const events: RunningEvent[] = [];
  const noted: Record<string, unknown> = {};
  const shown = new ShownOutput();
  const context: JobContext<'chat.completion'> = {
    input,
    owner,
    executionId: newId('job'),
    caller: { executionId: 'job_x', user: owner.user_id, isBatch: false },
    attempt: 1,
    signal: controller.signal,
    log,
    emit: (event) => {
      events.push(event);
      shown.add(event);
      return say?.();
    },
    note: (known) => Object.assign(noted, known),
    output: () => shown.output() as JobOutput<'chat.completion'>[],
    checkpoint: { value: null, save: async () => undefined },
    place: keptPlace,
    decisions: noDecisions,
  };
  return { running: of.run(context), abort: (reason: unknown) => controller.abort(reason), events, noted };
}

const stateless = (model: string, content = 'Go.'): ChatCompletionInput => ({
  model: `compatible/${model}`,
  settings: {},
  source: { type: 'messages', messages: [{ role: 'user', content }] },
});

test("streams the model's text and returns all of it with its usage", async () => {
  const { running, events, noted } = run(stateless('words-50-delay-1@text'));
  const result = await running;
  expect(result).toMatchObject({
    output: [{ type: 'text', text: expectedText('words-50') }],
    model: 'compatible/words-50-delay-1@text',
    provider: 'compatible',
    finish_reason: 'stop',
  });
  expect(result.usage.total_tokens).toBeGreaterThan(0);
  expect(events).not.toEqual([]);
  expect(events.every((event) => event.type === 'text.delta' && event.index === 0)).toBe(true);
  expect(noted).toMatchObject({ model: 'compatible/words-50-delay-1@text', provider: 'compatible' });
});

test('truncates an endless answer to what a record can hold', async () => {
  const text = 'wordwordword '.repeat(80_000);
  const stream = async function* (): ReturnType<Providers['streamChat']> {
    for (;;) yield { type: 'text', text };
  };
  const endless = createHandlers('text', handlers, {
    database,
    assets,
    findPassages,
    readDocument,
    openTools,
    providers: { ...providers, streamChat: stream },
  })['chat.completion'];
  const { running, events } = run(stateless('endless'), personal(), undefined, endless);
  const result = await running;
  expect(result.finish_reason).toBe('length');
  const shown = events.map((event) => ('delta' in event ? event.delta : '')).join('');
  expect(result.output).toEqual([{ type: 'text', text: shown }]);
  expect(shown.length).toBeGreaterThan(7_000_000);
  expect(shown.length).toBeLessThanOrEqual(8_000_000);
});

test('sends images to vision models, and replaces missing or unsupported ones by text', async () => {
  const owner = personal();
  const one = await assets.create({ owner, body: TINY_PNG, filename: null });
  const gone = await assets.create({ owner, body: TINY_PNG, filename: null });
  const foreign = await assets.create({ owner: personal(), body: TINY_PNG, filename: null });
  const ask = async (model: string, of: typeof handler = handler) => {
    const executionId = newId('job');
    const attachments = [one.id, gone.id, foreign.id];
    const { opened: _, ...source } = await startTurn(database, owner, {
      message: 'What is it?',
      attachments,
      executionId,
    });
    const before = fake.requests.length;
    const result = await run({ model, settings: {}, source: { type: 'session', ...source } }, owner, undefined, of)
      .running;
    expect(result.context?.estimated_tokens).toBeGreaterThan(4_000);
    const { messages } = fake.requests[before]!.body as { messages: { content: unknown }[] };
    return messages.at(-1)?.content;
  };
  await assets.remove(owner, gone.id);
  const missing = { type: 'text', text: 'An image was here; it has been deleted.' };
  expect(await ask('compatible/echo@seen')).toEqual([
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/jpeg;base64,\/9j\//) } },
    missing,
    missing,
  ]);

  const blind = { ...providers, models: () => [{ ...aModel, id: 'compatible/echo@unseen' }] };
  const observed = createHandlers('text', handlers, {
    database,
    assets,
    findPassages,
    readDocument,
    openTools,
    providers: blind,
  })['chat.completion'];
  const [question, ...rest] = (await ask('compatible/echo@unseen', observed)) as { text: string }[];
  expect(question?.text).toBe('What is it?');
  for (const { text } of rest) expect(text).toBe('An image is here, but this model cannot see it.');
});

const aModel = {
  object: 'model' as const,
  created: 1,
  owned_by: 'openai',
  capabilities: ['chat' as const],
  context_window: null,
};

test('sends the session up to this turn, and nothing of other sessions', async () => {
  const owner = personal();
  const model = 'compatible/echo@session';
  const begin = async (message: string, session_id?: string) => {
    const executionId = newId('job');
    const turn = await startTurn(database, owner, { message, session_id, executionId });
    return { ...turn, executionId };
  };
  const first = await begin('the first question');
  await database.messages.complete(owner, first.assistant_message_id, {
    content: 'the first answer',
    status: 'succeeded',
    usage: null,
    execution_id: first.executionId,
  });
  await database.sessions.release(owner, first.session_id, first.executionId);
  await begin('of another session');
  const { opened: _opened, executionId: _id, ...source } = await begin('the second question', first.session_id);
  const before = fake.requests.length;
  const { running } = run(
    { model, settings: { temperature: 0.5, max_tokens: 9 }, source: { type: 'session', ...source } },
    owner,
  );
  expect((await running).output).toEqual([{ type: 'text', text: 'the second question' }]);
  const body = fake.requests[before]?.body as Record<string, unknown>;
  expect(body).toMatchObject({
    messages: [
      { role: 'user', content: 'the first question' },
      { role: 'assistant', content: 'the first answer' },
      { role: 'user', content: 'the second question' },
    ],
    temperature: 0.5,
    max_tokens: 9,
  });
});

test('fits the conversation to the context window, declared or discovered', async () => {
  const owner = personal();
  const model = 'compatible/fits-120@context';
  let source: Extract<ChatCompletionInput['source'], { type: 'session' }> | undefined;
  for (const word of ['one', 'two', 'three', 'four']) {
    const executionId = newId('job');
    const message = `${word} ${'x'.repeat(200)}`;
    const turn = await startTurn(database, owner, { message, session_id: source?.session_id, executionId });
    const done = { content: word, status: 'succeeded', usage: null, execution_id: executionId } as const;
    await database.messages.complete(owner, turn.assistant_message_id, done);
    await database.sessions.release(owner, turn.session_id, executionId);
    const { opened: _opened, ...ids } = turn;
    source = { type: 'session', ...ids };
  }
  const narrow = { ...providers, contextWindow: () => 240 };
  const observed = createHandlers('text', handlers, {
    database,
    assets,
    findPassages,
    readDocument,
    openTools,
    providers: narrow,
  })['chat.completion'];
  const { running, noted } = run(
    { model: 'compatible/echo@told', settings: {}, source: source! },
    owner,
    undefined,
    observed,
  );
  expect((await running).context).toEqual({ messages: 3, estimated_tokens: expect.any(Number), dropped: true });
  expect(noted.context).toMatchObject({ messages: 3 });

  let calls = 0;
  const surprised = async function* (
    ...args: Parameters<Providers['streamChat']>
  ): ReturnType<Providers['streamChat']> {
    calls += 1;
    const size = JSON.stringify(args[0].messages).length;
    if (size > 300) throw new ChorusError('context_too_long', 'Too long.');
    yield* providers.streamChat({ ...args[0], model: 'compatible/echo@found' }, args[1]);
  };
  const found = createHandlers('text', handlers, {
    database,
    assets,
    findPassages,
    readDocument,
    openTools,
    providers: { ...providers, streamChat: surprised },
  })['chat.completion'];
  const second = await run({ model, settings: {}, source: source! }, owner, undefined, found).running;
  expect(second.context).toMatchObject({ messages: 1, dropped: true });
  expect(second.output).toEqual([{ type: 'text', text: expect.stringMatching(/^four x+$/) }]);
  expect(calls).toBeGreaterThan(1);
});

test("puts an agent's instructions first and falls back to its models", async () => {
  const before = fake.requests.length;
  const input = {
    ...stateless('fail-500@agent', 'Hello'),
    instructions: 'Be brief.',
    fallbacks: ['compatible/echo@agent'],
  };
  const result = await run(input).running;
  expect(result).toMatchObject({ output: [{ type: 'text', text: 'Hello' }], model: 'compatible/echo@agent' });
  const asked = fake.requests.slice(before).map(({ body }) => (body as { messages: unknown[] }).messages);
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hello' },
  ];
  expect(asked.length).toBeGreaterThan(1);
  for (const one of asked) expect(one).toEqual(messages);
});

test("rejects a turn of another user's session", async () => {
  const owner = personal();
  const executionId = newId('job');
  const turn = await startTurn(database, owner, { message: 'mine', executionId });
  const { opened: _opened, ...source } = turn;
  const input = { ...stateless('echo'), source: { type: 'session' as const, ...source } };
  await expect(run(input, personal()).running).rejects.toMatchObject({ code: 'not_found' });
});

test.each([
  ['words-20-error-after-5@handler', 'provider_error', 5],
  ['words-20-cut-after-5@handler', 'provider_error', 5],
  ['fail-401@handler', 'provider_auth', 0],
  ['context-too-long@handler', 'context_too_long', 0],
  ['refuse@handler', 'content_refused', 0],
])('%s fails with %s after the text shown', async (model, code, words) => {
  const { running, events } = run(stateless(model));
  await expect(running).rejects.toMatchObject({ name: 'ChorusError', code });
  const text = events.map((event) => (event.type === 'text.delta' ? event.delta : '')).join('');
  expect(text.split(' ').filter(Boolean)).toHaveLength(words);
});

test('resets the text when another model takes over, and reports that model', async () => {
  const first = 'compatible/words-20-cut-after-5@fallback';
  const fallbacks = [[first, 'compatible/seed-2-words-3@fallback', 'embedded/assistant']];
  const chained = createProviders(settings, { log, fallbacks });
  await chained.ready();
  const own = createHandlers('text', handlers, {
    database,
    assets,
    findPassages,
    readDocument,
    openTools,
    providers: chained,
  })['chat.completion'];
  const source = {
    type: 'session' as const,
    session_id: 's',
    user_message_id: 'u',
    assistant_message_id: 'a',
    opening: 'Go.',
  };
  const { running, events, noted } = run({ model: first, settings: {}, source }, personal(), undefined, own);
  const result = await running;
  chained.close();
  const answerer = { model: 'compatible/seed-2-words-3@fallback', provider: 'compatible' };
  expect(result).toMatchObject(answerer);
  expect(noted).toMatchObject(answerer);
  expect(result.output).toEqual([{ type: 'text', text: 'w2.1 w2.2 w2.3' }]);
  const resets = events.filter(({ type }) => type === 'text.reset');
  expect(resets).toEqual([{ type: 'text.reset', reason: 'provider_failed' }]);

  // OpenAI's clients cannot take text back, so the turn fails.
  const clients = run({ ...stateless('x'), model: first }, personal(), undefined, own);
  await expect(clients.running).rejects.toMatchObject({ code: 'provider_error' });
  expect(clients.events.some(({ type }) => type === 'text.reset')).toBe(false);
});

test('closes the provider request on abort and throws the reason', async () => {
  const before = fake.requests.length;
  const { running, abort } = run(stateless('words-5-hang-after-5@abort'));
  running.catch(() => undefined);
  await fake.received(before + 1);
  const reason = new Error('stop');
  abort(reason);
  await expect(running).rejects.toBe(reason);
  await fake.closed(before + 1);
});

test('estimates the usage of an answer that is cancelled before or after its first words', async () => {
  for (const model of ['words-5-hang-after-5@spent', 'words-5-hang-after-0@spent']) {
    const before = fake.requests.length;
    const { running, abort, events, noted } = run(stateless(model, 'x'.repeat(300)));
    running.catch(() => undefined);
    if (model.includes('after-5')) await expect.poll(() => events.length).toBeGreaterThan(0);
    else await fake.received(before + 1);
    abort(new Error('stop'));
    await expect(running).rejects.toThrow('stop');
    const words = model.includes('after-5') ? { output_tokens: expect.any(Number) } : { output_tokens: 0 };
    expect(noted.usage).toMatchObject({ input_tokens: 104, ...words, estimated: true });
  }
});

test('waits when the event log applies backpressure', async () => {
  let waiting = 0;
  let most = 0;
  const { running } = run(stateless('flood-500@wait'), personal(), async () => {
    waiting += 1;
    most = Math.max(most, waiting);
    await new Promise((resolve) => setImmediate(resolve));
    waiting -= 1;
  });
  expect((await running).output).toEqual([{ type: 'text', text: expectedText('words-500') }]);
  expect(most).toBe(1);
});

test('resets text in a session, but not for clients that append', () => {
  expect(handler.mayReset?.(stateless('x'))).toBe(false);
  const source = { type: 'session' as const, session_id: 's', user_message_id: 'u', assistant_message_id: 'a' };
  expect(handler.mayReset?.({ ...stateless('x'), source })).toBe(true);
});

test('sends the bytes of an image to a server, never its URL', async () => {
  const webImages = { check: async () => undefined, fetch: async () => new Uint8Array([1, 2, 3]) };
  const parts = { database, assets, findPassages, readDocument, openTools, providers, webImages };
  const downloading = createHandlers('text', handlers, parts)['chat.completion'];
  const before = fake.requests.length;
  const url = 'https://images.test/a.png';
  const messages = [{ role: 'user' as const, content: [{ type: 'image_url' as const, image_url: { url } }] }];
  const input = { ...stateless('echo@image', ''), source: { type: 'messages' as const, messages } };
  await run(input, personal(), undefined, downloading).running;
  const sent = JSON.stringify(fake.requests.slice(before).map(({ body }) => body));
  expect(sent).toContain('data:image/jpeg;base64,AQID');
  expect(sent).not.toContain('images.test');
});
