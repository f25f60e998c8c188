import { ChorusError } from '@chorus/contract/errors';
import type { FormatReader } from '../parse-task.ts';
import {
  type LayoutBlock,
  mayBeVertical,
  openPdf,
  type ParsedPage,
  repeatedLines,
  scoreTextLayer,
  verticalParagraphs,
  withFormRows,
  withLostLines,
} from '../pdf/index.ts';
import { PictureList } from '../pictures/picture-list.ts';
import { PageText } from './pdf-page-text.ts';
import { isIllustrated, readPdfPictures, withPictures } from './pdf-pictures.ts';

/** Pages to open together, since font sizes and repeated lines at their edges distinguish headings from text. */
const PAGES_AT_ONCE = 100;

/** Reads the text layer of a PDF with its pictures, and lists the pages that need OCR. */
export const readPdf: FormatReader = async ({ path, limits }, writer) => {
  const pictures: number[] = [];
  const text = new PageText(writer);
  const embedded = new PictureList(writer);
  let title: string | null = null;
  let pageCount = 1;
  for (let first = 1; first <= pageCount; first += PAGES_AT_ONCE) {
    const last = first + PAGES_AT_ONCE - 1;
    const parsed = await parsePages(path, first, last);
    if (first === 1) {
      pageCount = checked(parsed.totalPages, limits.pages);
      title = titleOf(parsed.docMeta?.xmp);
    }
    const pages = new Map(parsed.pages.map((page) => [page.pageNum, page]));
    const illustrated = parsed.pages.filter((page) => isIllustrated(page) && scoreTextLayer(page) === 'whole');
    const vertical = await readVertical(path, parsed.pages.filter(mayBeVertical));
    const placed = await readPdfPictures(path, illustrated, embedded);
    const repeated = repeatedLines(parsed.pages);
    for (let number = first; number <= Math.min(last, pageCount); number += 1) {
      const page = pages.get(number);
      // A page that cannot be parsed may still be rendered.
      const worth = page === undefined ? 'nothing' : scoreTextLayer(page);
      const isPicture = worth !== 'whole';
      if (isPicture) {
        pictures.push(number);
        text.end(); // OCR may replace its text
      }
      if (page !== undefined && worth !== 'nothing')
        text.add(number, withPictures(vertical.get(number) ?? blocksOf(page, repeated), placed.get(number) ?? []));
      if (isPicture) text.end();
    }
    await writer.reach(Math.min(last, pageCount), pageCount);
  }
  text.end();
  return { title: title ?? writer.firstHeading, pageCount, pictures, warnings: embedded.warnings() };
};

/** Uses the whole text if everything on the page was taken for a repeated header or footer. */
function blocksOf(page: ParsedPage, repeated: ReadonlySet<string>): LayoutBlock[] {
  const plain = page.text.trim();
  if (page.blocks === undefined || page.blocks.length === 0)
    return plain === '' ? [] : [{ kind: 'paragraph', text: plain }];
  return withLostLines({ ...page, blocks: withFormRows(page) }, repeated);
}

/** Returns the paragraphs of pages with vertical text. */
async function readVertical(path: string, pages: readonly ParsedPage[]): Promise<Map<number, LayoutBlock[]>> {
  if (pages.length === 0) return new Map();
  const targetPages = pages.map(({ pageNum }) => pageNum).join(',');
  const parsed = await openPdf({ emitWordBoxes: true, targetPages }, (pdf) => pdf.parse(path));
  return new Map(
    parsed.pages.flatMap((page): [number, LayoutBlock[]][] => {
      const paragraphs = verticalParagraphs(page);
      return paragraphs === null ? [] : [[page.pageNum, paragraphs.map((text) => ({ kind: 'paragraph', text }))]];
    }),
  );
}

function checked(totalPages: number, limit: number): number {
  if (totalPages === 0) throw new ChorusError('invalid_request', 'The PDF has no pages.');
  if (totalPages > limit)
    throw new ChorusError('payload_too_large', `The PDF has ${totalPages} pages; the limit is ${limit}.`);
  return totalPages;
}

function parsePages(path: string, first: number, last: number) {
  const targetPages = `${first}-${last}`;
  const options = { outputFormat: 'json', extractBlocks: true, extractDocumentMetadata: first === 1 } as const;
  return openPdf({ ...options, targetPages }, (pdf) => pdf.parse(path));
}

function titleOf(xmp: string | undefined): string | null {
  const [, title] = /<dc:title>\s*<rdf:Alt>\s*<rdf:li[^>]{0,100}>([^<]{1,500})<\/rdf:li>/.exec(xmp ?? '') ?? [];
  const plain = title?.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: keyof typeof ENTITIES) => ENTITIES[name]).trim();
  // Programs write the name of the printed file here.
  return plain === undefined || plain === '' || /^untitled|\.\w{2,4}$|^Microsoft /i.test(plain) ? null : plain;
}

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
