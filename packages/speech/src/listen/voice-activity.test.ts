import { fakeVoice } from '@chorus/testing';
import { expect, test } from 'vitest';
import { bytesOf, durationMs, fromFloats, SAMPLE_RATE } from '../pcm.ts';
import { findSpeech } from './find-speech.ts';
import { FRAME_MS, loadVoiceActivity } from './voice-activity.ts';

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

test('distinguishes a voice from silence and noise, in pieces of any size', async () => {
  const model = await loadVoiceActivity();
  const voice = fakeVoice(2);
  const whole = await model.open().push(voice);
  expect(whole.length).toBe(Math.floor((2_000 - FRAME_MS / 16) / FRAME_MS));
  expect(mean(whole.slice(5))).toBeGreaterThan(0.5);

  const pieces = model.open();
  const answers = [];
  for (let at = 0; at < voice.length; at += bytesOf(21))
    answers.push(pieces.push(voice.subarray(at, at + bytesOf(21))));
  expect((await Promise.all(answers)).flat()).toEqual(whole);

  let seed = 1;
  const hiss = Float32Array.from({ length: SAMPLE_RATE }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return 0.1 * (seed / 1_073_741_823 - 1);
  });
  for (const quiet of [hiss, new Float32Array(SAMPLE_RATE)])
    expect(mean(await model.open().push(fromFloats(quiet)))).toBeLessThan(0.2);
});

test('handles concurrent sounds independently', async () => {
  const model = await loadVoiceActivity();
  const voice = fakeVoice(0.4);
  const sounds = Array.from({ length: 40 }, (_, index) =>
    index % 2 === 0 ? voice.subarray(index * 64) : new Uint8Array(voice.length - index * 64),
  );
  const alone: number[][] = [];
  for (const sound of sounds.slice(0, 4)) alone.push(await model.open().push(sound));
  const together = await Promise.all(sounds.map((sound) => model.open().push(sound)));
  for (const [index, answers] of alone.entries()) {
    expect(together[index]).toHaveLength(answers.length);
    for (const [frame, probability] of answers.entries()) expect(together[index]?.[frame]).toBeCloseTo(probability, 3);
  }
  expect(together.map((answers) => Math.max(...answers) > 0.5)).toEqual(sounds.map((_, index) => index % 2 === 0));
});

test('finds the part with speech, with a margin', async () => {
  const { signal } = new AbortController();
  const silence = new Uint8Array(bytesOf(1_500));
  const voice = fakeVoice(1);
  const found = await findSpeech(Buffer.concat([silence, voice, silence]), { marginMs: 100, signal });
  expect(durationMs(found!)).toBeGreaterThan(900);
  expect(durationMs(found!)).toBeLessThan(1_600);
  // Pauses within it are kept, however long.
  const apart = await findSpeech(Buffer.concat([silence, voice, silence, silence, silence, voice, silence]), {
    marginMs: 100,
    signal,
  });
  expect(durationMs(apart!)).toBeGreaterThan(6_400);
  expect(durationMs(apart!)).toBeLessThan(7_100);
  expect(await findSpeech(silence, { marginMs: 100, signal })).toBeNull();
  await expect(findSpeech(silence, { marginMs: 100, signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow(
    'gone',
  );
});

test('finds a quiet word, and one that fills the recording', async () => {
  const { signal } = new AbortController();
  const word = fakeVoice(0.35);
  const quiet = Uint8Array.from(word);
  const samples = new Int16Array(quiet.buffer);
  for (const at of samples.keys()) samples[at] = samples[at]! / 60;
  for (const sound of [word, quiet, quiet.subarray(0, bytesOf(250))])
    expect(await findSpeech(sound, { marginMs: 400, signal })).toHaveLength(sound.length);
});
