import { expect, test } from 'vitest';
import { bytesOf, fromFloats, SAMPLE_RATE } from '../pcm.ts';
import { FRAME_MS, loadVoiceActivity } from './voice-activity.ts';

/** Something like vowels: a pitch that moves, through the resonances of a mouth that opens and closes. */
function babble(seconds: number): Float32Array {
  const samples = new Float32Array(seconds * SAMPLE_RATE);
  const mouth = [
    [700, 80, 1],
    [1_220, 90, 0.6],
    [2_600, 120, 0.3],
  ] as const;
  let phase = 0;
  const states = mouth.map(() => [0, 0] as [number, number]);
  for (let index = 0; index < samples.length; index++) {
    const time = index / SAMPLE_RATE;
    phase += (120 + 25 * Math.sin(2 * Math.PI * 0.7 * time)) / SAMPLE_RATE;
    const pulse = phase >= 1 ? 1 : 0;
    phase %= 1;
    const open = 0.5 + 0.5 * Math.sin(2 * Math.PI * 4 * time);
    let sum = 0;
    mouth.forEach(([hz, width, gain], at) => {
      const radius = Math.exp((-Math.PI * width) / SAMPLE_RATE);
      const [one, two] = states[at] as [number, number];
      const shifted = hz * (1 + 0.15 * Math.sin(2 * Math.PI * 1.3 * time + at));
      const next = pulse + 2 * radius * Math.cos((2 * Math.PI * shifted) / SAMPLE_RATE) * one - radius * radius * two;
      states[at] = [next, one];
      sum += next * gain;
    });
    samples[index] = 0.05 * open * sum;
  }
  return samples;
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

test('tells a voice from silence and noise, whatever pieces they come in', async () => {
  const model = await loadVoiceActivity();
  const voice = fromFloats(babble(2));
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
