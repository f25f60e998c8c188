import { createLogger } from '@chorus/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PCM16, SPEECH_RATE } from '../../speech-port.ts';
import { EmbeddedSpeech } from './embedded-speech.ts';

// Each engine is loaded once and says or hears as little as shows what it should: seconds of computing, where nothing else runs.

const speech = new EmbeddedSpeech(createLogger({ name: 'test', level: 'silent' }));
const options = { signal: new AbortController().signal, executionId: 'job_test' };
const SENTENCES = ['Ask not what your country can do for you.', 'Ask what you can do.'];
const silence = (seconds: number) => new Uint8Array(seconds * SPEECH_RATE * 2);
const wordsOf = (text: string) => text.toLowerCase().replace(/[^a-z ]/g, '');

let pieces: Uint8Array[] = [];
beforeAll(async () => {
  pieces = await Array.fromAsync(speech.streamSpeech({ model: 'kokoro', text: SENTENCES.join(' ') }, options));
}, 120_000);
afterAll(() => speech.close());

test('each sentence is given when it is spoken, in whole samples', () => {
  expect(pieces).toHaveLength(SENTENCES.length);
  for (const piece of pieces) expect(piece.length % 2).toBe(0);
  const seconds = Buffer.concat(pieces).length / 2 / SPEECH_RATE;
  expect(seconds).toBeGreaterThan(2.5);
  expect(seconds).toBeLessThan(6);
});

test('what is spoken is understood again, whole and while it is spoken', { timeout: 120_000 }, async () => {
  const audio = Buffer.concat(pieces);
  const whole = await speech.transcribe({ model: 'moonshine', audio, mediaType: PCM16 }, options);
  expect(wordsOf(whole.text)).toBe(wordsOf(SENTENCES.join(' ')));
  expect(whole).toMatchObject({ language: 'en', durationS: audio.length / 2 / SPEECH_RATE });

  const live = speech.openTranscription({ model: 'moonshine' }, options);
  live.push(pieces[0]!);
  const partials: string[] = [];
  for await (const partial of live.partials) {
    partials.push(partial);
    if (partials.length > 1) continue;
    live.push(pieces[1]!);
    live.push(silence(0.5));
    expect(wordsOf((await live.end()).text)).toBe(wordsOf(SENTENCES.join(' ')));
  }
  expect(wordsOf(partials[0]!)).toBe(wordsOf(SENTENCES[0]!));
});

test('silence is nothing said', async () => {
  const audio = silence(3);
  expect(await speech.transcribe({ model: 'moonshine-tiny', audio, mediaType: PCM16 }, options)).toMatchObject({
    text: '',
    segments: [],
  });
  expect(speech.pids).toHaveLength(2); // it was not even loaded
});

test('voices are those that it has, or the names of known ones', async () => {
  expect(speech.voices('kokoro')).toContainEqual({ id: 'bm_george', name: 'George', language: 'en-GB' });
  const speak = (voice: string) =>
    Array.fromAsync(speech.streamSpeech({ model: 'kokoro', text: '...', voice }, options));
  await expect(speak('nobody')).rejects.toMatchObject({ code: 'invalid_request' });
  expect(await speak('marin')).toEqual([]);
});

test('what it can not do is said', async () => {
  const audio = silence(1);
  await expect(
    speech.transcribe({ model: 'moonshine', audio, mediaType: 'audio/mpeg' }, options),
  ).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(speech.transcribe({ model: 'whisper', audio, mediaType: PCM16 }, options)).rejects.toMatchObject({
    code: 'model_not_found',
  });
});
