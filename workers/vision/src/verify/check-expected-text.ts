import { ChorusError, type OcrPage } from '@chorus/contract';
import { type Ocr, READABLE_TYPES } from '@chorus/ocr';
import { compareText, type TextComparison } from './compare-text.ts';
import type { Subject } from './subject.ts';
import type { Finding } from './verification.ts';

/** Of a document no more pages are read. */
const MAX_PAGES = 20;

/** What was read is shown so far, in letters. */
const MAX_SHOWN = 2_000;

const LIKE = 0.9;
const UNLIKE = 0.6;
/** What OCR was less sure of proves nothing. */
const SURE = 0.5;
/** Shorter texts stand within longer words by chance. */
const LONG_LETTERS = 8;

/** Whether a text is written in the picture or document. */
export async function checkExpectedText(
  ocr: Pick<Ocr, 'read'>,
  { file: { path, mimeType } }: Subject,
  expected: string | null,
  signal: AbortSignal,
): Promise<Finding> {
  if (expected === null) return skipped('No text was given that should be written in it.');
  if (!(READABLE_TYPES as readonly string[]).includes(mimeType))
    return skipped(`Text is not read from files of the type ${mimeType}.`);
  const pages: OcrPage[] = [];
  try {
    for await (const page of ocr.read(path, mimeType, { signal })) {
      pages.push(page);
      if (pages.length === MAX_PAGES) break; // which ends the reading
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ChorusError)) throw error;
    return { result: 'uncertain', reason: `Its text could not be read: ${error.message}`, details: {} };
  }
  const read = pages.map(({ text }) => text).join('\n');
  const confidence = sureness(pages);
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
  if (letters === 0)
    return { result: 'uncertain', reason: 'What should be written there has neither letters nor digits.' };
  if (read.trim() === '')
    return { result: 'mismatch', reason: 'No text was found in it. Lettering in an unusual form may be missed.' };
  const without = missing.length === 0 ? '' : ` Not read: ${missing.slice(0, 5).join(', ')}.`;
  if (likeness >= LIKE && (letters >= LONG_LETTERS || wordCoverage >= 0.5))
    return numberMissing
      ? { result: 'uncertain', reason: `The text is written there, but a number was read differently.${without}` }
      : { result: 'match', reason: 'The text is written there.' };
  if (wordCoverage >= 0.95)
    return { result: 'uncertain', reason: 'All its words are written there, but not in this order, or apart.' };
  if (confidence !== null && confidence < SURE)
    return { result: 'uncertain', reason: `What was read there is too unclear to tell.${without}` };
  if (likeness < UNLIKE && wordCoverage < UNLIKE)
    return { result: 'mismatch', reason: `Something else is written there.${without}` };
  return { result: 'uncertain', reason: `A part of the text, or something like it, is written there.${without}` };
}

/** The mean over the pages whose text was read from a picture. */
function sureness(pages: OcrPage[]): number | null {
  const known = pages.flatMap(({ confidence }) => (confidence === null ? [] : [confidence]));
  return known.length === 0 ? null : round(known.reduce((sum, value) => sum + value, 0) / known.length);
}

const round = (value: number) => Math.round(value * 1_000) / 1_000;
