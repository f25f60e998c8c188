import sharp from 'sharp';
import { type Blob, findBlobs } from './find-blobs.ts';
import { type Direction, findDirection } from './find-direction.ts';
import { findInk } from './find-ink.ts';
import { findLetters } from './find-letters.ts';
import { isShaded } from './is-shaded.ts';
import { type Raster, rawOf, toRaster } from './raster.ts';

/** The longer side of the picture that is looked at, in pixels; small ones are enlarged, so that their letters come apart. */
const SIDE = 1_800;
const MAX_ENLARGEMENT = 2;
/** Paper is most of a page: its grey tells which of the two is ink, unless it lies between these. */
const DARK_PAPER = 60;
const LIGHT_PAPER = 150;

/** What can be told of a page before anything is read. */
export interface PageLook extends Direction {
  /** Whether there is nothing on it. */
  blank: boolean;
  /** Whether it is light on dark. */
  dark: boolean;
  /** The greys that nearly all of the page lies between: what is to become black and white, once it is dark on light. */
  black: number;
  white: number;
  /** Whether a part of it lies in a shadow. */
  shaded: boolean;
  /** The usual height of its letters, in pixels of the page; null where there are too few. */
  letterHeight: number | null;
}

export async function lookAtPage(page: Raster): Promise<PageLook> {
  const scale = Math.min(MAX_ENLARGEMENT, SIDE / Math.max(page.width, page.height));
  const small = sharp(page.data, rawOf(page))
    .resize({ width: Math.max(1, Math.round(page.width * scale)), kernel: 'cubic' })
    .median(3);
  const picture = await toRaster(small);
  const counts = countGreys(picture);
  const paper = greyAt(counts, 0.5);
  const dark = lookAt(picture, counts, true);
  const light = lookAt(picture, counts, false);
  const look = paper > LIGHT_PAPER ? light() : paper < DARK_PAPER ? dark() : more(light(), dark());
  return { ...look, letterHeight: look.letterHeight === null ? null : look.letterHeight / scale };
}

const more = (one: PageLook, other: PageLook) => (other.letters > one.letters ? other : one);

const lookAt = (picture: Raster, counts: Uint32Array, dark: boolean) => (): PageLook => {
  const greys = dark ? counts.toReversed() : counts;
  // Ink may be little; paper is not.
  const black = greyAt(greys, 0.003);
  const white = Math.max(black + 1, greyAt(greys, 0.9));
  const levels = Uint8Array.from(greys, (_, grey) =>
    Math.max(0, Math.min(255, ((grey - black) * 255) / (white - black))),
  );
  const data = picture.data.map((grey) => levels[dark ? 255 - grey : grey] as number);
  const seen = { ...picture, data };
  const blobs = findBlobs(findInk(seen));
  const letters = findLetters(blobs);
  const direction = findDirection(letters);
  const letterHeight = direction.letters < 5 ? null : usualHeight(letters, direction.sideways);
  return { ...direction, blank: blobs.length === 0, dark, black, white, shaded: isShaded(seen), letterHeight };
};

function usualHeight(letters: Blob[], sideways: boolean): number {
  const heights = letters.map(({ left, right, top, bottom }) => (sideways ? right - left : bottom - top));
  return heights.sort((a, b) => a - b)[Math.floor(heights.length / 2)] as number;
}

function countGreys({ data }: Raster): Uint32Array {
  const counts = new Uint32Array(256);
  for (const grey of data) counts[grey] = (counts[grey] as number) + 1;
  return counts;
}

/** The grey that this share of all pixels is not lighter than. */
function greyAt(counts: Uint32Array, share: number): number {
  const most = counts.reduce((sum, count) => sum + count, 0) * share;
  let grey = 0;
  for (let seen = counts[0] as number; seen < most && grey < 255; seen += counts[grey] as number) grey += 1;
  return grey;
}
