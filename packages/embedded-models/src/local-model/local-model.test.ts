import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@chorus/runtime/log';
import { writeFakeGguf } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LocalModel } from './local-model.ts';
import { StopWords } from './stop-words.ts';

let folder: string;
let model: LocalModel;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chorus-gguf-'));
  await writeFakeGguf(join(folder, 'fake.gguf'));
  model = new LocalModel(join(folder, 'fake.gguf'), createLogger({ name: 'test', level: 'silent' }));
});
afterAll(async () => {
  model.close();
  await rm(folder, { recursive: true, force: true });
});

const greedy = { temperature: 0, max_tokens: 12 };

test('fails only its own answers after a crash, and restarts with the next call', async () => {
  const call = { messages: [{ role: 'user' as const, content: 'go' }], settings: greedy };
  const options = { signal: new AbortController().signal };
  const stream = model.stream({ ...call, settings: {} }, options);
  await stream.next();
  process.kill(model.pid ?? 0, 'SIGKILL');
  await expect(Array.fromAsync(stream)).rejects.toMatchObject({ code: 'provider_error' });
  expect((await Array.fromAsync(model.stream(call, options))).at(-1)).toMatchObject({ type: 'finish' });
});

test('finds stop words across pieces', () => {
  const cut = new StopWords(['END', '']);
  expect(['a E', 'N', 'x EN', 'D more', 'z'].map((piece) => cut.take(piece))).toEqual(['a ', '', 'ENx ', '', '']);
  expect(cut.rest()).toBe('');
  const open = new StopWords(['END']);
  expect(open.take('an EN') + open.rest()).toBe('an EN');
});
