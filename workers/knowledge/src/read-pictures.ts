import { ChorusError, type OcrPage } from '@chorus/contract';
import type { PageText, ReadPictures } from '@chorus/documents';
import type { RevisionFiles } from '@chorus/knowledge';
import type { Ocr } from '@chorus/ocr';
import type { Place } from '@chorus/worker-kit';

/** Pictures are stored with the pages, numbered from here. */
const FIRST_NUMBER = 1_000_000;

const AT_ONCE = 2;
const KEEP_PICTURES = 10;
const KEEP_MS = 20_000;

/** OCR also sees letters in photos, but with low confidence. */
const MIN_CONFIDENCE = 0.5;
/** A single letter or digit is usually part of a drawing. */
const WORD = /[\p{L}\p{N}]{2}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Reads pictures inside a document by OCR, starting with those stored by an earlier attempt. */
export function readPicturesOf(
  ocr: Pick<Ocr, 'read'>,
  files: Pick<RevisionFiles, 'pages' | 'putPages'>,
  place: Place,
): ReadPictures {
  const beganAt = performance.now();
  return async (pictures, { languages, signal, onPage, onFailure }) => {
    const options = { signal, ...(languages && languages.length > 0 ? { languages } : {}) };
    const known = new Map((await files.pages()).map(({ number, text }) => [number - FIRST_NUMBER, text]));
    const read: PageText[] = [];
    const setupMs = performance.now() - beganAt;
    let done = 0;
    let waiting: PageText[] = [];
    let keptAt = performance.now();
    const keep = async () => {
      if (waiting.length > 0) await files.putPages(waiting);
      waiting = [];
      keptAt = performance.now();
    };
    const readOne = async (number: number) => {
      const { bytes, mimeType } = pictures[number - 1]!;
      let text = known.get(number);
      if (text === undefined) {
        try {
          const pages: string[] = [];
          for await (const page of ocr.read(bytes, mimeType, options)) pages.push(textOf(page));
          text = pages.filter((page) => page !== '').join('\n\n');
          waiting.push({ number: FIRST_NUMBER + number, text });
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof ChorusError) || error.code === 'store_unavailable') throw error;
          onFailure?.(number, error.message);
        }
      }
      if (text !== undefined) read.push({ number, text });
      done += 1;
      onPage?.(done);
    };
    for (let next = 1; next <= pictures.length; next += AT_ONCE) {
      const numbers = Array.from({ length: Math.min(AT_ONCE, pictures.length + 1 - next) }, (_, at) => next + at);
      await Promise.all(numbers.map(readOne));
      if (done < pictures.length && (await place.isWanted(setupMs))) {
        await keep();
        place.giveBack();
      }
      if (waiting.length >= KEEP_PICTURES && performance.now() - keptAt >= KEEP_MS) await keep();
    }
    return read.sort((one, other) => one.number - other.number);
  };
}

function textOf({ markdown, confidence }: OcrPage): string {
  return (confidence ?? 1) >= MIN_CONFIDENCE && WORD.test(markdown) ? markdown : '';
}
