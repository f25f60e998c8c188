import { ChorusError } from '@chorus/contract';
import { type LayoutBlock, LiteParse, type ParsedPage } from '@llamaindex/liteparse';
import type { FormatReader } from '../format-reader.ts';
import { PageText } from './pdf-page-text.ts';

/** Pages that are opened together: the sizes of their letters and what repeats at their edges tell headings from text. */
const PAGES_AT_ONCE = 100;
/** A page with so few letters of its own may be a picture with a stamp on it. */
const FEW_LETTERS = 200;
const MUCH_PICTURE = 0.5;
/** Filled outlines of more than this share of a page may be letters. */
const MUCH_DRAWN = 0.002;

const OPTIONS = {
  ocrEnabled: false,
  quiet: true,
  imageMode: 'off',
  outputFormat: 'json',
  extractLinks: false,
  extractBlocks: true,
  includeComplexity: true,
  continueOnPageError: true,
  numWorkers: 1,
} as const;

/** The text that the pages of a PDF carry themselves, and the numbers of those that only their pictures tell. */
export const readPdf: FormatReader = async ({ path, limits }, writer) => {
  const pictures: number[] = [];
  const text = new PageText(writer);
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
    for (let number = first; number <= Math.min(last, pageCount); number += 1) {
      const page = pages.get(number);
      // What can't be taken apart can perhaps be drawn.
      const isPicture = page === undefined || needsPicture(page);
      if (isPicture) {
        pictures.push(number);
        text.end(); // its text may be replaced
      }
      if (page !== undefined && !isUseless(page)) text.add(number, blocksOf(page));
      if (isPicture) text.end();
    }
    await writer.reach(Math.min(last, pageCount), pageCount);
  }
  text.end();
  return { title: title ?? writer.firstHeading, pageCount, pictures };
};

/** Where all of a page was taken for what repeats at the edges of pages, that is its text. */
function blocksOf({ blocks = [], text }: ParsedPage): LayoutBlock[] {
  const said = text.trim();
  return blocks.length > 0 || said === '' ? blocks : [{ kind: 'paragraph', text: said }];
}

function checked(totalPages: number, limit: number): number {
  if (totalPages === 0) throw new ChorusError('invalid_request', 'The PDF has no pages.');
  if (totalPages > limit)
    throw new ChorusError('payload_too_large', `The PDF has ${totalPages} pages; ${limit} are allowed.`);
  return totalPages;
}

async function parsePages(path: string, first: number, last: number) {
  const extractDocumentMetadata = first === 1;
  try {
    return await new LiteParse({ ...OPTIONS, extractDocumentMetadata, targetPages: `${first}-${last}` }).parse(path);
  } catch (error) {
    const encrypted = /password|security|encrypt/i.test(String(error));
    const what = encrypted
      ? 'The PDF is encrypted: only files that open without a password can be read.'
      : 'The PDF is broken or cut off: it can not be opened.';
    throw new ChorusError('invalid_request', what, { cause: error });
  }
}

/** Whether the picture of the page tells more than its letters. Nobody has looked yet whether there is anything on one without letters. */
function needsPicture(page: ParsedPage): boolean {
  const { complexity, width, height, text } = page;
  const letters = text.replace(/\s/g, '').length;
  const { fullPageImage = false, imageCoverage = 0, uncoveredVectorArea = 0 } = complexity ?? {};
  const drawn = uncoveredVectorArea > width * height * MUCH_DRAWN;
  if (letters === 0 || isUseless(page)) return true;
  return letters < FEW_LETTERS && (fullPageImage || imageCoverage > MUCH_PICTURE || drawn);
}

/** Whether its characters are mostly none that are read: fonts without a table of what their signs mean give such. */
function isUseless({ text, complexity }: ParsedPage): boolean {
  if (complexity?.isGarbled) return true;
  const strange = text.match(/[\p{Cc}\p{Co}\p{Cn}\uFFFD]/gu)?.filter((sign) => !/[\n\t]/.test(sign)).length ?? 0;
  return strange > text.length * 0.2;
}

/** What the file's metadata calls it. */
function titleOf(xmp: string | undefined): string | null {
  const [, title] = /<dc:title>\s*<rdf:Alt>\s*<rdf:li[^>]{0,100}>([^<]{1,500})<\/rdf:li>/.exec(xmp ?? '') ?? [];
  const plain = title?.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: keyof typeof ENTITIES) => ENTITIES[name]).trim();
  // Programs write the name of the file they printed.
  return plain === undefined || plain === '' || /^untitled|\.\w{2,4}$|^Microsoft /i.test(plain) ? null : plain;
}

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
