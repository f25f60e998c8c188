import table from './prices.json' with { type: 'json' };
import { priceOf } from './prices.ts';

/** USD for what is spoken. */
interface SpeechPrice {
  per_million_characters: number;
}

/** USD for what is listened to. */
interface TranscriptPrice {
  per_hour: number;
  /** Shorter sounds cost as much as so many seconds. */
  least_s?: number;
}

const SPEECH: Record<string, SpeechPrice | undefined> = table.speech;
const TRANSCRIPTS: Record<string, TranscriptPrice | undefined> = table.transcripts;

/** The voice and the language that a model's name ends with: they cost the same. */
const VOICE = /-[a-z]+-[a-z]{2}$/;

/**
 * What a spoken text cost by the public prices of `prices.json`, in USD.
 * @param model `provider/model`
 * @returns null where the price is not known
 */
export function costOfSpeech(model: string, text: string): number | null {
  const price = priceOf(SPEECH, model) ?? SPEECH[model.replace(VOICE, '')];
  return price === undefined ? null : rounded(([...text].length * price.per_million_characters) / 1e6);
}

/** The same for a transcript of so many seconds; null seconds: not known. */
export function costOfTranscript(model: string, seconds: number | null): number | null {
  const price = priceOf(TRANSCRIPTS, model);
  if (price === undefined || seconds === null) return null;
  return rounded((Math.max(seconds, price.least_s ?? 0) * price.per_hour) / 3_600);
}

/** Whole units of 10⁻¹² USD. */
function rounded(usd: number): number {
  return Math.round(usd * 1e12) / 1e12;
}
