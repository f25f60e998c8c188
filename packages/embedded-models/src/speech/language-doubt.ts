/** Speech as a model understood it. */
export interface HeardSpeech {
  text: string;
  /** Mean log probability of the words. */
  confidence: number;
  seconds: number;
  isNoisy: boolean;
}

/** `foreign`: certainly not the model's language. `unclear`: perhaps. */
export type LanguageDoubt = 'foreign' | 'unclear';

/**
 * Limits of confidence, and how much speech they need. An English model is confident in English, down to about −0.4
 * with noise and accents. It guesses other languages: half of their recordings are below −0.8.
 */
const UNCLEAR = { confidence: -0.45, seconds: 1.2 };
const FOREIGN = { confidence: -0.65, inNoise: -0.9, seconds: 2.5 };
/** Shorter speech may be a name or a sound. */
const SHORT_UNCLEAR = -0.65;

/** Returns whether speech may be in a language that the model does not know. Null if it is clear. */
export function doubtLanguage(sections: readonly HeardSpeech[]): LanguageDoubt | null {
  const seconds = sections.reduce((sum, section) => sum + section.seconds, 0);
  const confidence = sections.reduce((sum, section) => sum + section.confidence * section.seconds, 0) / seconds;
  if (!Number.isFinite(confidence)) return null;
  const limit = sections.some(({ isNoisy }) => isNoisy) ? FOREIGN.inNoise : FOREIGN.confidence;
  if (confidence < limit && seconds >= FOREIGN.seconds) return 'foreign';
  return confidence < (seconds >= UNCLEAR.seconds ? UNCLEAR.confidence : SHORT_UNCLEAR) ? 'unclear' : null;
}
