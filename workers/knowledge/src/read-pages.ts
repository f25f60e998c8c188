import { ChorusError } from '@chorus/contract';
import type { PageText, ReadPages } from '@chorus/documents';
import type { RevisionFiles } from '@chorus/knowledge';
import type { Ocr } from '@chorus/ocr';
import type { Place } from '@chorus/worker-kit';

/** Pages are kept when there are so many, and so much time has passed, that reading them again would be worse. */
const KEEP_PAGES = 10;
const KEEP_MS = 20_000;

/** Of OCR, in one call. */
const MOST_PAGES = 1_000;

/** Pages of a file that can't be read are left out; with more of them the file is broken. */
const MOST_BROKEN = 20;

/** Reads pages from their pictures by OCR, beginning with those that an earlier attempt at this revision has kept. */
export function readPagesOf(ocr: Pick<Ocr, 'read'>, files: RevisionFiles, place: Place): ReadPages {
  const beganAt = performance.now();
  return async ({ path, mimeType }, pages, { languages, signal, onPage }) => {
    const options = { signal, ...(languages && languages.length > 0 ? { languages } : {}) };
    const read: PageText[] = [];
    const add = (page: PageText) => {
      read.push(page);
      onPage?.(read.length);
    };
    if (pages === null) {
      // An image: few pages, and nobody knows how many.
      for await (const { number, markdown } of ocr.read(path, mimeType, options)) add({ number, text: markdown });
      return read;
    }
    const wanted = new Set(pages);
    for (const page of await files.pages()) if (wanted.delete(page.number)) read.push(page);
    if (read.length > 0) onPage?.(read.length);
    // What the next attempt repeats before it reads a page: fetching, and reading the letters of the other pages.
    const setupMs = performance.now() - beganAt;
    let waiting: PageText[] = [];
    let keptAt = performance.now();
    for (let left = [...wanted], broken = 0; left.length > 0; ) {
      try {
        const some = left.slice(0, MOST_PAGES).join(',');
        for await (const { number, markdown } of ocr.read(path, mimeType, { ...options, pages: some })) {
          left = left.filter((one) => one !== number);
          const page = { number, text: markdown };
          add(page);
          waiting.push(page);
          if (left.length > 0 && (await place.isWanted(setupMs))) {
            await files.putPages(waiting);
            place.giveBack();
          }
          if (waiting.length < KEEP_PAGES || performance.now() - keptAt < KEEP_MS) continue;
          await files.putPages(waiting);
          waiting = [];
          keptAt = performance.now();
        }
      } catch (error) {
        broken += 1;
        if (signal.aborted || !isOfPage(error) || broken > MOST_BROKEN) throw error;
        left = left.slice(1); // they come in order, so it was the first of those that are left
      }
    }
    return read.sort((one, other) => one.number - other.number);
  };
}

const isOfPage = (error: unknown) =>
  error instanceof ChorusError && (error.code === 'timeout' || error.code === 'invalid_request');
