import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFakeGguf } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProviders, type Providers } from '../providers.ts';
import { ask, closers, log, settingsOf } from '../test-providers.ts';

let folder: string;
let providers: Providers;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chorus-gguf-'));
  await writeFakeGguf(join(folder, 'fake.gguf'));
  providers = createProviders(settingsOf({}), { log, embeddedModelPath: join(folder, 'fake.gguf') });
  await providers.ready();
});
afterAll(async () => {
  providers.close();
  await rm(folder, { recursive: true, force: true });
});

const greedy = { temperature: 0, max_tokens: 12 };

test('serves a GGUF file as embedded/local: streams, counts and reports its window', async () => {
  const { parts, text, error } = await ask(providers, 'embedded/local', { settings: greedy });
  expect(error).toBeNull();
  expect(parts.filter((part) => part.type === 'text').length).toBeGreaterThan(2);
  expect(text).toMatch(/\b(one|two|three|four|five|six|seven|eight)\b/);
  expect(parts.at(-1)).toMatchObject({ type: 'finish', finish_reason: 'length', usage: { output_tokens: 12 } });
  expect(providers.contextWindow('embedded/local')).toBe(512);
  expect(providers.defaultModel()).toBe('embedded/local');
  expect(
    providers
      .models()
      .map(({ id }) => id)
      .slice(0, 2),
  ).toEqual(['embedded/local', 'embedded/assistant']);
});

test('answers several requests at once, and queues more', async () => {
  const all = await Promise.all(
    Array.from({ length: 6 }, () => ask(providers, 'embedded/local', { settings: greedy })),
  );
  for (const { parts, error } of all) {
    expect(error).toBeNull();
    expect(parts.at(-1)).toMatchObject({ usage: { output_tokens: 12 } });
  }
});

test('stops at a stop word without showing it', async () => {
  const { text } = await ask(providers, 'embedded/local', { settings: greedy });
  const stop = text.trim().split(' ')[2] ?? '';
  const stopped = await ask(providers, 'embedded/local', { settings: { ...greedy, stop: [stop] } });
  expect(stopped.text).toBe(text.slice(0, text.indexOf(stop)));
  expect(stopped.parts.at(-1)).toMatchObject({ finish_reason: 'stop' });
});

test('an abort ends an answer and frees its slot', async () => {
  for (let round = 0; round < 4; round += 1) {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const call = { model: 'embedded/local', messages: [{ role: 'user' as const, content: 'go' }], settings: {} };
    const options = { signal: controller.signal, executionId: 'job_test', mayReset: true };
    const stream = providers.streamChat(call, options)[Symbol.asyncIterator]();
    await stream.next();
    controller.abort(reason);
    await expect(
      (async () => {
        for (;;) if ((await stream.next()).done) return;
      })(),
    ).rejects.toBe(reason);
  }
  expect((await ask(providers, 'embedded/local', { settings: greedy })).error).toBeNull();
});

test('reports a conversation that does not fit', async () => {
  const messages = [{ role: 'user' as const, content: 'word '.repeat(2_000) }];
  expect((await ask(providers, 'embedded/local', { messages, settings: greedy })).error).toMatchObject({
    code: 'context_too_long',
  });
  expect((await ask(providers, 'embedded/local', { settings: greedy })).error).toBeNull();
});

test('an invalid model file affects only its own model', async () => {
  const path = join(folder, 'no-model.gguf');
  await writeFile(path, 'this is no model');
  const others = createProviders(settingsOf({}), { log, embeddedModelPath: path });
  closers.push(() => others.close());
  await others.ready();
  expect((await ask(others, 'embedded/local')).error).toMatchObject({ code: 'provider_error' });
  expect(others.models().map(({ id }) => id)).not.toContain('embedded/local');
  expect((await ask(others, 'embedded/assistant')).error).toBeNull();
});
