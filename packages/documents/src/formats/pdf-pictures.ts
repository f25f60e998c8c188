import { type LayoutBlock, openPdf, type ParsedPage } from '../pdf/index.ts';
import type { PictureList } from '../pictures/picture-list.ts';

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A picture on a page with a text layer. */
export interface PlacedPicture {
  kind: 'picture';
  id: number;
  bbox: Box;
}

/** Pages whose pictures are in memory together. */
const PAGES_AT_ONCE = 4;

/** Smaller pictures are logos and icons. */
const MIN_PAGE_SHARE = 0.015;

/** Further pictures of a page are ignored. */
const MAX_ON_PAGE = 100;

/** A picture with more letters of the text layer on it is a background, or a scan with recognized text. */
const MAX_LETTERS_ABOVE = 20;

/** Returns whether a page with a text layer has a picture that may contain more text. */
export const isIllustrated = ({ complexity }: ParsedPage): boolean =>
  (complexity?.largestImageCoverage ?? 0) >= MIN_PAGE_SHARE;

/** Sends the pictures of these pages, and returns their positions by page. */
export async function readPdfPictures(
  path: string,
  pages: readonly ParsedPage[],
  pictures: PictureList,
): Promise<Map<number, PlacedPicture[]>> {
  const placed = new Map<number, PlacedPicture[]>();
  for (let from = 0; from < pages.length; from += PAGES_AT_ONCE) {
    const some = new Map(pages.slice(from, from + PAGES_AT_ONCE).map((page) => [page.pageNum, page]));
    const options = { outputFormat: 'json', extractImages: true, targetPages: [...some.keys()].join(',') } as const;
    const { images, imageErrorCount } = await openPdf(options, (pdf) => pdf.parse(path));
    pictures.noteDamaged(imageErrorCount);
    for (const { page: number, id: name, bbox, bytes } of images) {
      const page = some.get(number);
      const found = placed.get(number) ?? [];
      if (page === undefined || found.length === MAX_ON_PAGE || !mayHoldText(page, bbox)) continue;
      const id = pictures.place(`${number} ${name}`);
      if (id === null) continue;
      await pictures.send(id, bytes);
      placed.set(number, [...found, { kind: 'picture', id, bbox }]);
    }
  }
  return placed;
}

function mayHoldText({ width, height, textItems }: ParsedPage, bbox: Box): boolean {
  if (bbox.width * bbox.height < width * height * MIN_PAGE_SHARE) return false;
  const above = textItems.filter((item) => holds(bbox, item.x + item.width / 2, item.y + item.height / 2));
  return above.reduce((sum, { text }) => sum + text.replace(/\s/g, '').length, 0) <= MAX_LETTERS_ABOVE;
}

const holds = ({ x, y, width, height }: Box, across: number, down: number): boolean =>
  across >= x && across <= x + width && down >= y && down <= y + height;

/** Puts each picture after the last block above it. */
export function withPictures(
  blocks: readonly LayoutBlock[],
  pictures: readonly PlacedPicture[],
): (LayoutBlock | PlacedPicture)[] {
  const merged: (LayoutBlock | PlacedPicture)[] = [...blocks];
  for (const picture of pictures) {
    const { x, y, width, height } = picture.bbox;
    const before = merged.findLastIndex(
      ({ bbox }) => bbox && bbox.y + bbox.height / 2 < y + height / 2 && bbox.x < x + width && bbox.x + bbox.width > x,
    );
    // Without positions, the pictures come at the end of the page.
    merged.splice(before < 0 && blocks.some(({ bbox }) => bbox === undefined) ? merged.length : before + 1, 0, picture);
  }
  return merged;
}
