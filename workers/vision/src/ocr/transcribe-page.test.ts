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

async function transcribe(model: string) {
  const fake = await startFakeOpenAI();
  const off = { apiKey: null, baseUrl: null };
  const settings = { compatible: { apiKey: null, baseUrl: fake.url } };
  const all = new Proxy(settings, { get: (on, name) => (name in on ? on.compatible : off) }) as never;
  const providers = createProviders(all, { log });
  closers.push(() => providers.close(), fake.close);
  const caller = { executionId: 'job_test', user: 'ada', isBatch: false };
  const options = { model, caller, endsAt: performance.now() + 60_000 };
  const page = { number: 3, mimeType: 'image/jpeg' as const, bytes: FAKE_IMAGE };
  const read = transcribeBy(providers, { ...options, onUsage: () => {}, onWarning: () => {} });
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
