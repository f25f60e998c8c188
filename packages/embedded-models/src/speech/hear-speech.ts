import { type Decoded, MOONSHINE_RATE, type Moonshine } from './moonshine.ts';

/** Shorter speech, and speech with low confidence, is decoded again. */
const SHORT_S = 2.5;
const UNSURE = -0.35;
/** Short speech is decoded up to four times, until the model is this confident. */
const SURE = -0.2;

/** Silence around the speech, in seconds, and its loudest sample. */
const OTHER_TRIES = [
  { edgeS: 0.4, peak: 0.9 },
  { edgeS: 0.1, peak: null },
  { edgeS: 0.25, peak: 0.9 },
];

/** Confidence in text that repeats itself, or that is marked as a song, since the model hallucinated it. */
const INVENTED = -1.5;

/** Decodes speech, and decodes it again where the model often errs, for example by repeating or missing short words. */
export async function hearSpeech(
  moonshine: Moonshine,
  samples: Float32Array,
): Promise<{ text: string; confidence: number }> {
  const isShort = samples.length < SHORT_S * MOONSHINE_RATE;
  let best = await moonshine(samples);
  if (isShort || scoreOf(best) < UNSURE)
    for (const way of isShort ? OTHER_TRIES : OTHER_TRIES.slice(0, 1)) {
      const other = await moonshine(prepared(samples, way));
      if (scoreOf(other) > scoreOf(best)) best = other;
      if (scoreOf(best) > SURE) break;
    }
  const { text, confidence, isLoop } = best;
  const isInvented = isLoop || text.includes('♪');
  const said = isLoop ? withoutLoop(text) : text;
  return {
    text: said.replaceAll('♪', '').trim(),
    confidence: isInvented ? Math.min(INVENTED, confidence) : confidence,
  };
}

const scoreOf = ({ isLoop, confidence }: Decoded) => (isLoop ? Number.NEGATIVE_INFINITY : confidence);

function prepared(samples: Float32Array, { edgeS, peak }: (typeof OTHER_TRIES)[number]): Float32Array {
  const edge = Math.round(edgeS * MOONSHINE_RATE);
  const made = new Float32Array(samples.length + 2 * edge);
  const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  const gain = peak === null || loudest === 0 ? 1 : peak / loudest;
  for (const [at, sample] of samples.entries()) made[edge + at] = sample * gain;
  return made;
}

/** Keeps only one of the words that are repeated up to the end. */
function withoutLoop(text: string): string {
  return text.replace(/\b(.{2,60}?)(?:[\s.,!?]+\1){2,}[\s.,!?]*\w*$/i, '$1');
}
