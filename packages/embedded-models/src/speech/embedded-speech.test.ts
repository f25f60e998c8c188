import { OPENAI_VOICES, PCM16, SPEECH_RATE } from '@chorus/contract';
import { createLogger } from '@chorus/runtime/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EmbeddedSpeech } from './embedded-speech.ts';
import { fliteVoice, kokoroVoice } from './voices.ts';

// Each engine is loaded once and given little to do: a few seconds of computing.

const speech = new EmbeddedSpeech(createLogger({ name: 'test', level: 'silent' }));
const options = { signal: new AbortController().signal, executionId: 'job_test' };
const SENTENCES = ['Good morning, everybody.', 'Ask not what your country can do for you.'];
const SLOW = { timeout: 120_000 };

const speak = (model: string, text: string, more: { voice?: string; speed?: number } = {}) =>
  Array.fromAsync(speech.streamSpeech({ model, text, ...more }, options));
const whole = async (...asked: Parameters<typeof speak>) => Buffer.concat(await speak(...asked));
const listen = (audio: Uint8Array, model = 'moonshine') =>
  speech.transcribe({ model, audio, mediaType: PCM16 }, options);
const silence = (seconds: number) => new Uint8Array(seconds * SPEECH_RATE * 2);
const wordsOf = (text: string) => text.toLowerCase().replace(/[^a-z ]/g, '');

let pieces: Uint8Array[] = [];
beforeAll(async () => {
  speech.prepare('moonshine');
  pieces = [await whole('flite', SENTENCES[0]!), await whole('flite', SENTENCES[1]!)];
}, SLOW.timeout);
afterAll(() => speech.close());

test('speaks sentences in whole samples, and transcribes them', SLOW, async () => {
  const audio = Buffer.concat(pieces);
  expect(await whole('flite', SENTENCES.join(' '))).toEqual(audio);
  expect(audio.length % 2).toBe(0);
  const heard = await listen(audio);
  expect(wordsOf(heard.text)).toBe(wordsOf(SENTENCES.join(' ')));
  expect(heard).toMatchObject({ language: 'en', durationS: audio.length / 2 / SPEECH_RATE });
});

test('understands a natural voice, too', SLOW, async () => {
  const sound = await whole('kokoro', 'Good morning.', { voice: 'marin' });
  expect(wordsOf((await listen(sound)).text)).toBe('good morning');
});

test('transcribes while speech arrives', SLOW, async () => {
  const live = speech.openTranscription({ model: 'moonshine' }, options);
  const [first, second] = pieces as [Uint8Array, Uint8Array];
  const partials = live.partials[Symbol.asyncIterator]();
  live.push(first);
  expect(wordsOf((await partials.next()).value)).toBe(wordsOf(SENTENCES[0]!));
  live.push(second);
  live.push(silence(0.5));
  expect(wordsOf((await partials.next()).value)).toBe(wordsOf(SENTENCES.join(' ')));
  live.push(silence(0.5));
  expect(wordsOf((await live.end()).text)).toBe(wordsOf(SENTENCES.join(' ')));
  expect(await partials.next()).toMatchObject({ done: true });
});

test('supports speeds and voices', SLOW, async () => {
  const usual = await whole('flite', SENTENCES[0]!, { voice: 'bm_george' });
  const faster = await whole('flite', SENTENCES[0]!, { voice: 'bm_george', speed: 2 });
  expect(faster.length).toBeLessThan(usual.length * 0.75);
  expect(speech.voices('kokoro')).toContainEqual({ id: 'bm_george', name: 'George', language: 'en-GB' });
  await expect(speak('kokoro', 'Hello.', { voice: 'unknown' })).rejects.toMatchObject({ code: 'invalid_request' });
});

test.each(OPENAI_VOICES)("has a voice for OpenAI's %s", (name) => {
  expect([kokoroVoice(name), fliteVoice(name)]).toEqual([expect.any(String), expect.any(String)]);
});

test('returns no speech for text without sound, and no text for silence', async () => {
  const before = speech.pids.length;
  for (const model of ['kokoro', 'flite']) expect(await speak(model, '… 中文 😀 – !')).toEqual([]);
  expect(await listen(silence(3), 'moonshine-tiny')).toMatchObject({ text: '', segments: [] });
  expect(speech.pids).toHaveLength(before); // the small model was not loaded
});

test('refuses unsupported requests', async () => {
  const call = { model: 'moonshine', audio: silence(1), mediaType: 'audio/mpeg' };
  await expect(speech.transcribe(call, options)).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(listen(silence(1), 'whisper')).rejects.toMatchObject({ code: 'model_not_found' });
  await expect(speak('kokoro', 'a'.repeat(20_001))).rejects.toMatchObject({ code: 'invalid_request' });
});
