import { type Decoded, MOONSHINE_RATE, type Moonshine } from './moonshine.ts';

/** Shorter speech, and speech that the model is unsure of, is decoded twice. */
const SHORT_S = 2.5;
const UNSURE = -0.35;

/** The second time, it is made loud and set in silence. */
const PEAK = 0.9;
const EDGE_S = 0.25;

/** Confidence in text that repeats itself, or that is set as a song: the model invented it. */
const INVENTED = -1.5;

/** Decodes speech, with a second try where the model often errs. It repeats short words, for example. */
export async function hearSpeech(
  moonshine: Moonshine,
  samples: Float32Array,
): Promise<{ text: string; confidence: number }> {
  const first = await moonshine(samples);
  const isSure = !first.isLoop && first.confidence >= UNSURE && samples.length >= SHORT_S * MOONSHINE_RATE;
  const second = isSure ? first : await moonshine(prepared(samples));
  const { text, confidence, isLoop } = scoreOf(second) > scoreOf(first) ? second : first;
  const isInvented = isLoop || text.includes('♪');
  const said = isLoop ? withoutLoop(text) : text;
  return {
    text: said.replaceAll('♪', '').trim(),
    confidence: isInvented ? Math.min(INVENTED, confidence) : confidence,
  };
}

const scoreOf = ({ isLoop, confidence }: Decoded) => (isLoop ? Number.NEGATIVE_INFINITY : confidence);

function prepared(samples: Float32Array): Float32Array {
  const edge = Math.round(EDGE_S * MOONSHINE_RATE);
  const made = new Float32Array(samples.length + 2 * edge);
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  const gain = peak === 0 ? 1 : PEAK / peak;
  for (const [at, sample] of samples.entries()) made[edge + at] = sample * gain;
  return made;
}

/** Keeps one of words that are repeated up to the end. */
function withoutLoop(text: string): string {
  return text.replace(/\b(.{2,60}?)(?:[\s.,!?]+\1){2,}[\s.,!?]*\w*$/i, '$1');
}
