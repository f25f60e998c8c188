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

/** What a model spoke, piece by piece, with the silence around it as long as the text asks for. */
export async function* shapePhrase(
  pieces: AsyncIterable<Float32Array> | Iterable<Float32Array>,
  phrase: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  /** What is quiet is given on when it is known that more is said behind it. */
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
