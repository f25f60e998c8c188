import { PCM16 } from '@chorus/contract';
import type { Providers } from '@chorus/providers';
import { spokenText } from '../../../packages/embedded-models/src/speech/spoken/spoken-text.ts';
import { editDistance } from '../error-rates.ts';
import { heading, report } from '../report.ts';
import { HARD_SENTENCES } from './hard-sentences.ts';

const options = { signal: new AbortController().signal, executionId: 'bench' };

/** Speaks sentences with numbers, units and abbreviations, and transcribes them. */
export async function roundTrip(providers: Providers): Promise<void> {
  heading('Hard sentences, spoken by embedded/kokoro and transcribed by embedded/moonshine');
  let wrong = 0;
  let all = 0;
  for (const [written, said] of HARD_SENTENCES) {
    const { audio } = await collect(providers, written);
    const { text } = await providers.transcribe(
      { model: 'embedded/moonshine', audio, mediaType: PCM16, language: 'en' },
      options,
    );
    const [heard, wanted] = [spokenWords(text), spokenWords(said)];
    const errors = editDistance(heard, wanted);
    wrong += errors;
    all += wanted.length;
    if (errors > 0) console.log(`    ${written}\n    → ${text}`);
  }
  report('word error rate', `${((wrong / all) * 100).toFixed(1)}%`, 'aim under 10%');
}

async function collect(providers: Providers, text: string): Promise<{ audio: Uint8Array }> {
  const pieces = await Array.fromAsync(providers.streamSpeech({ model: 'embedded/kokoro', text }, options));
  return { audio: Buffer.concat(pieces) };
}

/** Writes numbers in words, and joins single letters: transcripts have `3%` and `FBI`. */
export function spokenWords(text: string): string[] {
  const words = spokenText(text.toUpperCase() === text ? text.toLowerCase() : text)
    .toLowerCase()
    .replace(/\b([a-z]) (?=[a-z]\b)/g, '$1')
    .replaceAll('-', ' ');
  return words.match(/[a-z']+/g) ?? [];
}
