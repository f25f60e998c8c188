import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PCM16, SPEECH_RATE } from '@chorus/contract';
import { fakeSpeech } from '@chorus/testing';
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
  expect(providers.voices('openai/gpt-5')).toEqual(providers.voices('openai/tts-1'));
  expect(() => providers.voices('nobody/x')).toThrow(expect.objectContaining({ code: 'model_not_found' }));
});

describe('speech', () => {
  /** A server that sends what is written, piece by piece, when the test wants it. */
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

  test('is heard while it is made, in whole samples', async () => {
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

  test('is ended at the provider when the reader leaves', async () => {
    const { asked, speech } = await startSpeaker();
    const pieces = speech();
    const first = pieces.next();
    const answer = await asked;
    answer.write(sound);
    await first;
    await pieces.return?.();
    await answer.closed;
  });

  test('ends at once on an abort', async () => {
    const { asked, speech } = await startSpeaker();
    const controller = new AbortController();
    const first = speech(controller.signal).next();
    const answer = await asked;
    const reason = new Error('interrupted');
    controller.abort(reason);
    await expect(first).rejects.toBe(reason);
    await answer.closed;
  });

  test('does not take a sound file for samples', async () => {
    const { asked, speech } = await startSpeaker();
    const first = speech().next();
    const answer = await asked;
    answer.write(Buffer.from('RIFF1234WAVEfmt '));
    await expect(first).rejects.toMatchObject({
      code: 'provider_error',
      message: expect.stringContaining('a sound file'),
    });
  });
});
