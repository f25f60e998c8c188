import { ChorusError, type OcrPage } from '@chorus/contract';
import { type Ocr, READABLE_TYPES } from '@chorus/ocr';
import { compareText, type TextComparison } from './compare-text.ts';
import type { Subject } from './subject.ts';
import type { Finding } from './verification.ts';

const MAX_PAGES = 20;

/** Characters of read text that are shown. */
const MAX_SHOWN = 2_000;

const LIKE = 0.9;
const UNLIKE = 0.6;
/** Minimum OCR confidence for evidence. */
const MIN_CONFIDENCE = 0.5;
/** Shorter texts occur in longer words by chance. */
const LONG_LETTERS = 8;

/** Checks whether a text appears in the picture or document. */
export async function checkExpectedText(
  ocr: Pick<Ocr, 'read'>,
  { file: { path, mimeType } }: Subject,
  expected: string | null,
  signal: AbortSignal,
): Promise<Finding> {
  if (expected === null) return skipped('No expected text was given.');
  if (!(READABLE_TYPES as readonly string[]).includes(mimeType))
    return skipped(`Text cannot be read from files of the type ${mimeType}.`);
  const pages: OcrPage[] = [];
  try {
    for await (const page of ocr.read(path, mimeType, { signal })) {
      pages.push(page);
      if (pages.length === MAX_PAGES) break; // stops reading
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ChorusError)) throw error;
    return { result: 'uncertain', reason: `The text could not be read: ${error.message}`, details: {} };
  }
  const read = pages.map(({ text }) => text).join('\n');
  const confidence = meanConfidence(pages);
  const comparison = compareText(expected, read);
  return {
    ...judge(comparison, read, confidence),
    details: {
      read: read.slice(0, MAX_SHOWN).toWellFormed(),
      likeness: round(comparison.likeness),
      word_coverage: round(comparison.wordCoverage),
      missing_words: comparison.missing,
      confidence,
    },
  };
}

const skipped = (reason: string): Finding => ({ result: 'skipped', reason, details: {} });

function judge(comparison: TextComparison, read: string, confidence: number | null): Omit<Finding, 'details'> {
  const { likeness, wordCoverage, missing, numberMissing, letters } = comparison;
  if (letters === 0) return { result: 'uncertain', reason: 'The expected text has neither letters nor digits.' };
  if (read.trim() === '') return { result: 'mismatch', reason: 'No text was found. Unusual lettering may be missed.' };
  const without = missing.length === 0 ? '' : ` Not found: ${missing.slice(0, 5).join(', ')}.`;
  if (likeness >= LIKE && (letters >= LONG_LETTERS || wordCoverage >= 0.5))
    return numberMissing
      ? { result: 'uncertain', reason: `The text appears, but a number was read differently.${without}` }
      : { result: 'match', reason: 'The text appears.' };
  if (wordCoverage >= 0.95)
    return { result: 'uncertain', reason: 'All its words appear, but in another order or apart.' };
  if (confidence !== null && confidence < MIN_CONFIDENCE)
    return { result: 'uncertain', reason: `The text that was read is too unclear for a result.${without}` };
  if (likeness < UNLIKE && wordCoverage < UNLIKE)
    return { result: 'mismatch', reason: `Other text appears instead.${without}` };
  return { result: 'uncertain', reason: `Part of the text, or something similar, appears.${without}` };
}

/** Returns the mean confidence of pages that were read from an image. */
function meanConfidence(pages: OcrPage[]): number | null {
  const known = pages.flatMap(({ confidence }) => (confidence === null ? [] : [confidence]));
  return known.length === 0 ? null : round(known.reduce((sum, value) => sum + value, 0) / known.length);
}

const round = (value: number) => Math.round(value * 1_000) / 1_000;
