import { SPEECH_RATE } from '@chorus/contract/names';
import { toPcm16 } from './pcm16.ts';

/** The level below which nothing is audible. */
const QUIET = 0.01;
/** Silence kept before the first sound. */
const LEAD_S = 0.03;
/** Silence added at the end, by punctuation. */
const PAUSES_S: [RegExp, number][] = [
  [/[.!?…]$/, 0.32],
  [/[,;:—]$/, 0.16],
];
const NO_PAUSE_S = 0.06;

/** Trims spoken pieces and adds the silence that the text requires. */
export async function* shapePhrase(
  pieces: AsyncIterable<Float32Array> | Iterable<Float32Array>,
  phrase: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  /** Silence that is held back until more sound follows. */
  let quiet: Float32Array = new Float32Array();
  let isSaid = false;
  for await (const piece of pieces) {
    const samples = joinedOf(quiet, piece);
    const last = samples.findLastIndex(isHeard) + 1;
    if (last === 0) {
      quiet = samples;
      continue;
    }
    const lead = Math.round(LEAD_S * SPEECH_RATE);
    const first = isSaid ? 0 : Math.max(0, samples.findIndex(isHeard) - lead);
    isSaid = true;
    yield toPcm16(samples.subarray(first, last));
    quiet = samples.slice(last);
  }
  if (!isSaid) return;
  const pause = PAUSES_S.find(([sign]) => sign.test(phrase))?.[1] ?? NO_PAUSE_S;
  yield new Uint8Array(Math.round(pause * SPEECH_RATE) * 2);
}

const isHeard = (sample: number) => Math.abs(sample) > QUIET;

function joinedOf(first: Float32Array, second: Float32Array): Float32Array {
  if (first.length === 0) return second;
  const both = new Float32Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
