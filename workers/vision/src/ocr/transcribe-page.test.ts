import type { Usage } from '@chorus/contract';
import { createProviders } from '@chorus/providers';
import { createLogger } from '@chorus/runtime/log';
import { FAKE_IMAGE, startFakeOpenAI } from '@chorus/testing';
import { afterEach, expect, test } from 'vitest';
import { transcribeBy } from './transcribe-page.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const closers: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function transcribe(model: string, onUsage: (usage: Usage) => void = () => {}) {
  const fake = await startFakeOpenAI();
  const off = { apiKey: null, baseUrl: null };
  const settings = { compatible: { apiKey: null, baseUrl: fake.url } };
  const all = new Proxy(settings, { get: (on, name) => (name in on ? on.compatible : off) }) as never;
  const providers = createProviders(all, { log });
  closers.push(() => providers.close(), fake.close);
  const caller = { executionId: 'job_test', user: 'ada', isBatch: false };
  const options = { model, caller, endsAt: performance.now() + 60_000 };
  const page = { number: 3, mimeType: 'image/jpeg' as const, bytes: FAKE_IMAGE };
  const read = transcribeBy(providers, { ...options, onUsage, onWarning: () => {} });
  return read(page, new AbortController().signal);
}

test('leaves reasoning out of the transcript', async () => {
  expect(await transcribe('compatible/think-words-2')).toEqual({ text: 'w1 w2', markdown: 'w1 w2' });
});

test('a refusal is an error, not an empty page', async () => {
  await expect(transcribe('compatible/refuse-politely')).rejects.toMatchObject({
    code: 'content_refused',
    message: "The model refused to transcribe page 3: I'm sorry, I cannot help with that.",
  });
});

test('counts what was written of a page that fails', async () => {
  const used: Usage[] = [];
  const failing = transcribe('compatible/error-after-5', (usage) => used.push(usage));
  await expect(failing).rejects.toMatchObject({ code: expect.any(String) });
  expect(used).toMatchObject([{ output_tokens: expect.any(Number), estimated: true }]);
});

test('counts pages that a server does not meter', async () => {
  const used: Usage[] = [];
  await transcribe('compatible/words-3-unmetered', (usage) => used.push(usage));
  expect(used).toMatchObject([{ input_tokens: expect.any(Number), estimated: true }]);
  expect(used[0]?.input_tokens).toBeGreaterThan(1_500); // the picture
});
