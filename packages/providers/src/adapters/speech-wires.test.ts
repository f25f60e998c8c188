import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OPENAI_VOICES, PCM16, SPEECH_RATE } from '@chorus/contract';
import { type FakeProvider, fakeSpeech } from '@chorus/testing';
import { describe, expect, test } from 'vitest';
import type { CallOptions } from '../provider-port.ts';
import { createProviders } from '../providers.ts';
import { callsTo, closers, log, settingsOf, start, startFake } from '../test-providers.ts';

const options: CallOptions = { signal: new AbortController().signal, executionId: 'job_test' };

describe('requests plain samples at 24 kHz, and sends them as a WAV file for transcripts', () => {
  test('openai', async () => {
    const { fake, providers } = await start();
    const call = { model: 'openai/tts-1', text: 'Hello.', voice: 'nova', speed: 1.5 };
    expect(await providers.generateSpeech(call, options)).toMatchObject({
      durationMs: 60,
      usage: { cost_usd: 0.00009 },
    });
    expect(fake.requests.at(-1)?.body).toMatchObject({ response_format: 'pcm', voice: 'nova', speed: 1.5 });
    const audio = new Uint8Array(SPEECH_RATE * 2 * 10);
    const heard = await providers.transcribe({ model: 'openai/whisper-1', audio, mediaType: PCM16 }, options);
    expect(heard).toMatchObject({ text: 'one two', durationS: 10, usage: { cost_usd: 0.001 } });
    const file = fake.requests.at(-1)?.form.find(({ name }) => name === 'file')?.value as Buffer;
    expect(file.toString('latin1', 0, 12)).toMatch(/^RIFF.{4}WAVE$/s);
    expect(file).toHaveLength(44 + audio.length);
  });

  test('elevenlabs', async () => {
    const { fake, providers } = await startFake('elevenlabs');
    await providers.generateSpeech({ model: 'elevenlabs/eleven_test', text: 'Hello.', voice: 'anna' }, options);
    expect(callsTo(fake)).toMatchObject([
      { path: '/v1/text-to-speech/anna/stream', query: { output_format: 'pcm_24000' } },
    ]);
  });

  test('deepgram', async () => {
    const { fake, providers } = await startFake('deepgram');
    await providers.generateSpeech({ model: 'deepgram/aura-test-en', text: 'Hello.' }, options);
    expect(callsTo(fake)).toMatchObject([
      { query: { encoding: 'linear16', container: 'none', sample_rate: '24000', model: 'aura-test-en' } },
    ]);
  });
});

test('transcribes at the end if the provider cannot transcribe live', async () => {
  const { fake, providers } = await startFake('deepgram');
  const live = providers.openTranscription({ model: 'deepgram/nova-test' }, options);
  for (let second = 0; second < 3; second += 1) live.push(new Uint8Array(SPEECH_RATE * 2));
  expect(callsTo(fake)).toHaveLength(0);
  expect(await live.end()).toMatchObject({ text: 'one two', durationS: 3 });
  expect(await Array.fromAsync(live.partials)).toEqual([]);

  const closed = providers.openTranscription({ model: 'deepgram/nova-test' }, options);
  closed.close();
  await expect(closed.end()).rejects.toMatchObject({ code: 'cancelled' });
  expect(callsTo(fake)).toHaveLength(1);
});

test('names voices if the provider has them', async () => {
  const { providers } = await start();
  expect(providers.voices('openai/gpt-4o-mini-tts')).toContainEqual({ id: 'nova', name: 'Nova', language: null });
  expect(providers.voices('openai/gpt-4o-mini-tts')).toHaveLength(13);
  expect(() => providers.voices('unknown/x')).toThrow(expect.objectContaining({ code: 'model_not_found' }));
});

test.each([
  ['openai', 'gpt-4o-mini-tts'],
  ['openai', 'tts-1-hd'],
  ['google', 'gemini-test-tts'],
  ['elevenlabs', 'eleven_test'],
] as const)('%s has a voice of %s for each of OpenAI’s', async (name, model) => {
  const { providers } = name === 'openai' ? await start() : await startFake(name);
  const voices = providers.voices(`${name}/${model}`);
  for (const voice of OPENAI_VOICES)
    expect(voices.filter(({ id, stands_for = [] }) => id === voice || stands_for.includes(voice))).toHaveLength(1);
});

test('passes on instructions, and custom voices as objects', async () => {
  const { fake, providers } = await start();
  const call = { model: 'openai/gpt-4o-mini-tts', text: 'Hello.', voice: 'voice_123', instructions: 'Whisper.' };
  await providers.generateSpeech(call, options);
  expect(fake.requests.at(-1)?.body).toMatchObject({ voice: { id: 'voice_123' }, instructions: 'Whisper.' });
});

test('splits a text that is too long for the provider into sections', async () => {
  const { fake, providers } = await startFake('deepgram');
  const text = 'It rains. '.repeat(300).trim();
  const { audio } = await providers.generateSpeech({ model: 'deepgram/aura-test-en', text }, options);
  const spoken = callsTo(fake).map(({ body }) => String(body.text));
  expect(spoken.map((section) => section.length)).toEqual([1_999, 999]);
  expect(spoken.join(' ')).toBe(text);
  expect(audio.length).toBe(fakeSpeech(spoken.join('')).length);
});

describe('transcripts', () => {
  const audio = new Uint8Array(SPEECH_RATE * 2 * 2);
  const pcm = { audio, mediaType: PCM16 };
  const fieldsOf = (fake: Pick<FakeProvider, 'requests'>) =>
    Object.fromEntries(
      fake.requests.at(-1)?.form.flatMap(({ name, value }) => (name === 'file' ? [] : [[name, value]])) ?? [],
    );
  const times = [
    { text: 'one', startSecond: 0, endSecond: 0.5 },
    { text: 'two', startSecond: 1, endSecond: 1.5 },
  ];

  test.each(['openai', 'groq'] as const)('%s accepts all options and reports words', async (name) => {
    const { fake, providers } = name === 'openai' ? await start() : await startFake(name);
    const model = `${name}/whisper-1`;
    const call = { ...pcm, model, language: 'en', prompt: 'Numbers', temperature: 0.2, words: true };
    const heard = await providers.transcribe(call, options);
    expect(heard).toMatchObject({ text: 'one two', language: 'en', segments: times, words: times });
    expect(fieldsOf(fake)).toMatchObject({
      language: 'en',
      prompt: 'Numbers',
      temperature: '0.2',
      response_format: 'verbose_json',
      'timestamp_granularities[]': 'word',
    });
    expect((await providers.transcribe({ ...pcm, model }, options)).words).toEqual([]);
  });

  test.each(['openai', 'groq'] as const)('%s translates', async (name) => {
    const { fake, providers } = name === 'openai' ? await start() : await startFake(name);
    const call = { ...pcm, model: `${name}/whisper-1`, task: 'translate' as const, prompt: 'Numbers' };
    expect(await providers.transcribe(call, options)).toMatchObject({
      text: 'one two',
      language: 'en',
      segments: times,
    });
    expect(fake.requests.at(-1)?.path).toMatch(/\/v1\/audio\/translations$/);
    expect(fieldsOf(fake)).toMatchObject({ model: 'whisper-1', prompt: 'Numbers', response_format: 'verbose_json' });
    expect(Object.keys(fieldsOf(fake))).not.toContain('timestamp_granularities[]');
  });

  test('openai counts the tokens of models without times', async () => {
    const { fake, providers } = await start();
    const heard = await providers.transcribe({ ...pcm, model: 'openai/gpt-4o-transcribe' }, options);
    expect(heard).toMatchObject({
      segments: [],
      words: [],
      usage: { input_tokens: 12, output_tokens: 3, total_tokens: 15 },
    });
    expect(fieldsOf(fake)).toEqual({ model: 'gpt-4o-transcribe' });
  });

  test.each([
    ['deepgram', 'nova-test', ['one,', 'two,']],
    ['elevenlabs', 'scribe_test', ['one', 'two']],
    ['google', 'gemini-test-transcribe', ['one', 'two']],
  ] as const)('%s reports words, which make segments', async (name, model, words) => {
    const { fake, providers } = await startFake(name);
    const call = { ...pcm, model: `${name}/${model}`, language: 'en', words: true };
    expect(await providers.transcribe(call, options)).toMatchObject({
      text: 'one two',
      segments: [{ text: words.join(' '), startSecond: 0, endSecond: 1.5 }],
      words: times.map((time, index) => ({ ...time, text: words[index] })),
    });
    const { query, body } = fake.requests.at(-1)!;
    const asked = [query.language, fieldsOf(fake).language_code, JSON.stringify(body)].join();
    expect(asked).toContain('en');
    await expect(providers.transcribe({ ...call, task: 'translate' }, options)).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

test('lists the abilities of speech and transcription models', async () => {
  const { providers } = await start({ models: ['tts-1', 'whisper-1', 'gpt-4o-transcribe'] });
  const optionsOf = (id: string) => {
    const { speech_options, transcription_options } = providers.models().find((model) => model.id === id) ?? {};
    return speech_options ?? transcription_options;
  };
  await expect
    .poll(() => optionsOf('openai/whisper-1'))
    .toMatchObject({ translates: true, timestamps: ['segment', 'word'] });
  expect(optionsOf('openai/gpt-4o-transcribe')).toMatchObject({ translates: false, timestamps: [], prompt: true });
  expect(optionsOf('openai/tts-1')).toEqual({ instructions: false, speed: { min: 0.25, max: 4 } });
  expect(optionsOf('embedded/moonshine')).toMatchObject({ languages: ['en'], translates: false, prompt: false });
  expect(optionsOf('embedded/kokoro')).toEqual({ instructions: false, speed: { min: 0.5, max: 2 } });
});

describe('speech', () => {
  /** A server whose test decides which bytes it sends, and when. */
  async function startSpeaker() {
    const asked = Promise.withResolvers<{ write(piece: Uint8Array): void; end(): void; closed: Promise<unknown> }>();
    const server = createServer((request, response) => {
      if (request.url !== '/audio/speech') return response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'audio/pcm' });
      const closed = new Promise((resolve) => response.on('close', resolve));
      asked.resolve({ write: (piece) => response.write(piece), end: () => response.end(), closed });
      return undefined;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const providers = createProviders(settingsOf({ openai: { apiKey: 'key', baseUrl } }), { log });
    await providers.ready();
    closers.push(
      () => providers.close(),
      () => server.close(),
    );
    const call = { model: 'openai/tts-1', text: 'Hello.' };
    const speech = (signal = options.signal) =>
      providers.streamSpeech(call, { ...options, signal })[Symbol.asyncIterator]();
    return { asked: asked.promise, speech };
  }
  const sound = fakeSpeech('Hello.');

  test('streams while it is generated, in whole samples', async () => {
    const { asked, speech } = await startSpeaker();
    const pieces = speech();
    const first = pieces.next();
    const answer = await asked;
    answer.write(sound.subarray(0, 1_001));
    expect((await first).value).toEqual(sound.subarray(0, 1_000));
    answer.write(sound.subarray(1_001));
    answer.end();
    expect((await pieces.next()).value).toEqual(sound.subarray(1_000));
    expect(await pieces.next()).toMatchObject({ done: true });
  });

  test('stops at the provider when the reader leaves', async () => {
    const { asked, speech } = await startSpeaker();
    const pieces = speech();
    const first = pieces.next();
    const answer = await asked;
    answer.write(sound);
    await first;
    await pieces.return?.();
    await answer.closed;
  });

  test('ends immediately on an abort', async () => {
    const { asked, speech } = await startSpeaker();
    const controller = new AbortController();
    const first = speech(controller.signal).next();
    const answer = await asked;
    const reason = new Error('interrupted');
    controller.abort(reason);
    await expect(first).rejects.toBe(reason);
    await answer.closed;
  });

  test.each([
    ['a sound file', 'RIFF1234WAVEfmt '],
    ['text instead', '{"error":{"message":"No such voice"}}'],
    ['text instead', '<!doctype html>'],
  ])('does not take %s for samples', async (name, sent) => {
    const { asked, speech } = await startSpeaker();
    const first = speech().next();
    const answer = await asked;
    answer.write(Buffer.from(sent));
    await expect(first).rejects.toMatchObject({ code: 'provider_error', message: expect.stringContaining(name) });
  });
});
