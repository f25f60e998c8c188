import { SPEECH_RATE } from '../../speech-port.ts';
import { toPcm16 } from './pcm16.ts';

/** Below it nothing is heard. */
const QUIET = 0.01;
/** Left before the first sound, in seconds, so that it is not cut off. */
const LEAD_S = 0.03;
/** Left behind the last, by the sign that the phrase ends with. */
const PAUSES_S: [RegExp, number][] = [
  [/[.!?…]$/, 0.32],
  [/[,;:—]$/, 0.16],
];
const NO_PAUSE_S = 0.06;

/** What a model spoke, with the silence around it as long as the text asks for. */
export function shapePhrase(samples: Float32Array, phrase: string): Uint8Array {
  const first = samples.findIndex((sample) => Math.abs(sample) > QUIET);
  if (first < 0) return toPcm16(samples);
  const last = samples.findLastIndex((sample) => Math.abs(sample) > QUIET);
  const pause = PAUSES_S.find(([sign]) => sign.test(phrase))?.[1] ?? NO_PAUSE_S;
  const begin = Math.max(0, first - Math.round(LEAD_S * SPEECH_RATE));
  const end = last + 1 + Math.round(pause * SPEECH_RATE);
  const shaped = new Float32Array(end - begin);
  shaped.set(samples.subarray(begin, end));
  return toPcm16(shaped);
}
