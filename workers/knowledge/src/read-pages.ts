import type { OcrPage } from '@chorus/contract';
import type { PageText, ReadPages } from '@chorus/documents';
import type { RevisionFiles } from '@chorus/knowledge';
import {
  DEFAULT_LANGUAGES,
  type DoubtfulPage,
  describeDoubts,
  type Ocr,
  type OpenedFile,
  type ReadOptions,
} from '@chorus/ocr';
import type { Place } from '@chorus/worker-kit';

/** Results are stored after this many pages, once repeating them would take longer than storing. */
const KEEP_PAGES = 10;
const KEEP_MS = 20_000;

/** Pages per OCR call. */
const MAX_PAGES = 1_000;

type OcrText = PageText & DoubtfulPage;

/** Reads page images by OCR, starting with pages stored by an earlier attempt, and reports doubtful ones. */
export function readPagesOf(
  ocr: Pick<Ocr, 'read' | 'engine'>,
  files: Pick<RevisionFiles, 'pages' | 'putPages'>,
  place: Place,
): ReadPages {
  const beganAt = performance.now();
  return async ({ path, mimeType }, pages, { languages: given = [], signal, onPage, onFailure, onWarning }) => {
    const languages = given.length > 0 ? given : DEFAULT_LANGUAGES;
    const options = { signal, languages };
    const read: OcrText[] = [];
    const add = (page: OcrText) => {
      read.push(page);
      onPage?.(read.length);
    };
    const reported = async () => {
      read.sort((one, other) => one.number - other.number);
      for (const doubt of describeDoubts(read, languages, await ocr.engine())) onWarning?.(doubt);
      return read;
    };
    if (pages === null) {
      // An image has few pages, and their number is unknown.
      for (let left: string | null = null; ; ) {
        let opened: OpenedFile | null = null;
        const now: ReadOptions = {
          ...options,
          pages: left,
          onOpen(file) {
            opened = file;
          },
        };
        for await (const page of ocr.read(path, mimeType, now)) add(toReadPage(page));
        left = (opened as OpenedFile | null)?.pagesLeft ?? null;
        if (left === null) return reported();
      }
    }
    const wanted = new Set(pages);
    for (const page of await files.pages()) if (wanted.delete(page.number)) read.push({ confidence: null, ...page });
    if (read.length > 0) onPage?.(read.length);
    // Time that another attempt repeats before OCR: fetching the file and reading its text layer.
    const setupMs = performance.now() - beganAt;
    let waiting: OcrText[] = [];
    let keptAt = performance.now();
    for (let left = [...wanted]; left.length > 0; left = left.slice(MAX_PAGES)) {
      const some = left.slice(0, MAX_PAGES);
      const failed = new Set<number>();
      const now: ReadOptions = {
        ...options,
        pages: some.join(','),
        onFailure({ page, error }) {
          failed.add(page);
          onFailure?.(page, error.message);
        },
      };
      for await (const found of ocr.read(path, mimeType, now)) {
        const { number } = found;
        if (failed.has(number)) continue; // its text layer, which the document already has
        const page = toReadPage(found);
        add(page);
        waiting.push(page);
        if (number !== left.at(-1) && (await place.isWanted(setupMs))) {
          await files.putPages(waiting);
          place.giveBack();
        }
        if (waiting.length < KEEP_PAGES || performance.now() - keptAt < KEEP_MS) continue;
        await files.putPages(waiting);
        waiting = [];
        keptAt = performance.now();
      }
      // The document will fail. Its next attempt continues here.
      if (failed.size > 0 && waiting.length > 0) await files.putPages(waiting.splice(0));
    }
    return reported();
  };
}

const toReadPage = ({ number, markdown, confidence, script }: OcrPage): OcrText => ({
  number,
  text: markdown,
  confidence,
  ...(script && { script }),
});
