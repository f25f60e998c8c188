import { ChorusError } from '@chorus/contract';
import type { PageText, ReadPages } from '@chorus/documents';
import type { RevisionFiles } from '@chorus/knowledge';
import type { Ocr } from '@chorus/ocr';
import type { Place } from '@chorus/worker-kit';

/** Results are stored after this many pages, once repeating them would take longer than storing. */
const KEEP_PAGES = 10;
const KEEP_MS = 20_000;

/** Pages per OCR call. */
const MAX_PAGES = 1_000;

/** Unreadable pages are skipped up to this number; beyond it, the file is broken. */
const MAX_BROKEN = 20;

/** Reads page images by OCR, starting with pages stored by an earlier attempt. */
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
      // An image has few pages, and their number is unknown.
      for await (const { number, markdown } of ocr.read(path, mimeType, options)) add({ number, text: markdown });
      return read;
    }
    const wanted = new Set(pages);
    for (const page of await files.pages()) if (wanted.delete(page.number)) read.push(page);
    if (read.length > 0) onPage?.(read.length);
    // Time that another attempt repeats before OCR: fetching the file and reading its text layer.
    const setupMs = performance.now() - beganAt;
    let waiting: PageText[] = [];
    let keptAt = performance.now();
    for (let left = [...wanted], broken = 0; left.length > 0; ) {
      try {
        const some = left.slice(0, MAX_PAGES).join(',');
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
        if (signal.aborted || !isOfPage(error) || broken > MAX_BROKEN) throw error;
        left = left.slice(1); // in order, so this was the first remaining page
      }
    }
    return read.sort((one, other) => one.number - other.number);
  };
}

const isOfPage = (error: unknown) =>
  error instanceof ChorusError && (error.code === 'timeout' || error.code === 'invalid_request');
