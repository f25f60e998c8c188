import { FAKE_IMAGE, fakeSpeech } from '@chorus/testing';
import { describe, expect, test } from 'vitest';
import type { CallOptions } from '../provider-port.ts';
import type { Providers } from '../providers.ts';
import { callsTo, expectedVector, PLANTED_KEY, start, startFake } from '../test-providers.ts';

const options: CallOptions = { signal: new AbortController().signal, executionId: 'job_test' };
const audio = new Uint8Array([1, 2, 3]);

const speak = (providers: Providers, model: string) => providers.generateSpeech({ model, text: 'Hello.' }, options);
const listen = (providers: Providers, model: string) =>
  providers.transcribe({ model, audio, mediaType: 'audio/mpeg' }, options);
const draw = (providers: Providers, model: string) =>
  providers.generateImage({ model, prompt: 'a cat', size: { width: 512, height: 512 }, seed: 7 }, options);
const film = (providers: Providers, model: string) =>
  providers.startVideo({ model, prompt: 'a cat', durationS: 5 }, options);

const transcript = {
  text: 'one two',
  segments: [{ text: 'one two', startSecond: 0, endSecond: 1.5 }],
  language: 'en',
};

/** Each provider's media jobs: their result, and the model names that make the fake fail. */
const JOBS = [
  { name: 'elevenlabs', job: 'speech', run: speak, model: 'eleven_test', gives: { audio: fakeSpeech('Hello.') } },
  { name: 'elevenlabs', job: 'transcription', run: listen, model: 'scribe_test', gives: transcript },
  { name: 'deepgram', job: 'speech', run: speak, model: 'aura-test-en', gives: { audio: fakeSpeech('Hello.') } },
  {
    name: 'deepgram',
    job: 'transcription',
    run: listen,
    model: 'nova-test',
    gives: { text: 'one two', durationS: 1.5 },
  },
  { name: 'fal', job: 'image', run: draw, model: 'fal-ai/flux/dev', gives: { bytes: FAKE_IMAGE } },
  {
    name: 'fal',
    job: 'video',
    run: film,
    model: 'fal-ai/video-test',
    gives: { operation: { responseUrl: expect.stringContaining('/requests/') } },
  },
] as const;

describe.each(JOBS)('$name $job', ({ name, job, run, model, gives }) => {
  const failing = (how: string) => `${name}/${how}${job === 'video' ? '@video' : ''}`;

  test('returns what was requested', async () => {
    const { providers } = await startFake(name);
    const result: Record<string, unknown> = { ...(await run(providers, `${name}/${model}`)) };
    for (const key of ['audio', 'bytes']) if (key in result) result[key] = Buffer.from(result[key] as Uint8Array);
    expect(result).toMatchObject(gives);
  });

  test('a bad key is provider_auth', async () => {
    const { providers } = await startFake(name, { apiKey: 'another' });
    const error = await run(providers, `${name}/${model}`).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'provider_auth' });
    expect(JSON.stringify([error, error.message])).not.toContain(PLANTED_KEY);
  });

  test.each([
    ['refuse', { code: 'content_refused' }, 1],
    ['fail-429-retry-after-60', { code: 'provider_rate_limited', retryAfterS: 60 }, 1],
    ['fail-503', { code: 'provider_unavailable', message: expect.stringContaining('overloaded') }, 3],
    ['cut-after-1', { code: 'provider_error', message: expect.stringContaining('connection broke') }, 3],
  ])('%s', async (how, expected, calls) => {
    const { fake, providers } = await startFake(name);
    const error = await run(providers, failing(how)).catch((thrown) => thrown);
    expect(error).toMatchObject(expected);
    // A job that may have been accepted is not submitted twice: a video costs as much as a thousand
    // images. Delivered speech is not repeated.
    expect(callsTo(fake)).toHaveLength(['video', 'speech'].includes(job) && how.startsWith('cut') ? 1 : calls);
  });

  test('is retried', async () => {
    const { fake, providers } = await startFake(name);
    await run(providers, failing('fail-503-once'));
    expect(callsTo(fake).length).toBeGreaterThanOrEqual(2);
  });
});

/** The other ports of chat providers. */
describe.each([
  ['openai', 'text-embedding-3-small', 'gpt-image-1', 'gpt-4o-mini-tts', 'whisper-1'],
  ['google', 'gemini-test-embedding', 'gemini-test-image', 'gemini-test-tts', 'gemini-test-transcribe'],
  ['mistral', 'mistral-embed', null, null, null],
  ['groq', null, null, null, 'whisper-test'],
  ['compatible', 'granite-embedding', null, null, null],
] as const)('%s besides chat', (name, embedding, image, speech, transcription) => {
  const startOne = async () => (name === 'openai' || name === 'compatible' ? start() : startFake(name));
  const embed = (providers: Providers, model: string, texts: string[]) =>
    providers.embedTexts({ model, texts, purpose: 'document' }, options);

  test('embeds', async () => {
    const { providers } = await startOne();
    if (embedding === null) {
      await expect(embed(providers, `${name}/any`, ['a'])).rejects.toMatchObject({ code: 'invalid_request' });
      return;
    }
    const { vectors, usage } = await embed(providers, `${name}/${embedding}`, ['a', 'b']);
    expect(vectors).toEqual([expectedVector('a'), expectedVector('b')]);
    if (name === 'openai')
      expect(usage).toEqual({ input_tokens: 4, output_tokens: 0, total_tokens: 4, cost_usd: 8e-8 });
    await expect(embed(providers, `${name}/fail-401`, ['a'])).rejects.toMatchObject({ code: 'provider_auth' });
  });

  test('draws', async () => {
    const { providers } = await startOne();
    if (image === null) await expect(draw(providers, `${name}/any`)).rejects.toMatchObject({ code: 'invalid_request' });
    else expect(Buffer.from((await draw(providers, `${name}/${image}`)).bytes)).toEqual(FAKE_IMAGE);
  });

  test('speaks', async () => {
    const { providers } = await startOne();
    if (speech === null)
      await expect(speak(providers, `${name}/any`)).rejects.toMatchObject({ code: 'invalid_request' });
    else expect(Buffer.from((await speak(providers, `${name}/${speech}`)).audio)).toEqual(fakeSpeech('Hello.'));
  });

  test('listens', async () => {
    const { providers } = await startOne();
    if (transcription === null)
      await expect(listen(providers, `${name}/any`)).rejects.toMatchObject({ code: 'invalid_request' });
    else expect(await listen(providers, `${name}/${transcription}`)).toMatchObject({ text: 'one two' });
  });
});

test.each([
  ['elevenlabs', 'eleven_test', 'speech', 'eleven_sts'],
  ['deepgram', 'nova-test', 'transcription', 'none'],
  ['deepgram', 'aura-test-en', 'speech', 'none'],
] as const)('%s lists %s for %s', async (name, id, capability, not) => {
  const { providers } = await startFake(name);
  const own = () => providers.models().filter((model) => model.owned_by === name);
  await expect.poll(own).toContainEqual(expect.objectContaining({ id: `${name}/${id}`, capabilities: [capability] }));
  expect(own().map((model) => model.id)).not.toContain(`${name}/${not}`);
  // It has no chat model, so it is never the default.
  expect(providers.defaultModel()).toBe('embedded/assistant');
  expect(providers.supports(`${name}/gpt-5`)).toBe(false);
});

test('fal names some models and accepts any other', async () => {
  const { providers } = await startFake('fal');
  const own = providers.models().filter(({ owned_by }) => owned_by === 'fal');
  expect(new Set(own.flatMap(({ capabilities }) => capabilities))).toEqual(new Set(['image', 'video']));
});

test('immediately refuses jobs that a provider has no port for', async () => {
  const { fake, providers } = await startFake('deepgram');
  await expect(draw(providers, 'deepgram/nova-test')).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(draw(providers, 'unknown/x')).rejects.toMatchObject({ code: 'model_not_found' });
  expect(callsTo(fake)).toHaveLength(0);
});
