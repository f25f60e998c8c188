import sharp from 'sharp';
import { type Blob, findBlobs } from './find-blobs.ts';
import { type Direction, findDirection } from './find-direction.ts';
import { findInk } from './find-ink.ts';
import { findLetters } from './find-letters.ts';
import { isShaded } from './is-shaded.ts';
import { type Raster, rawOf, toRaster } from './raster.ts';

/** Longer side of the image to analyze; small ones are enlarged, so that letters separate. */
const SIDE = 1_800;
const MAX_ENLARGEMENT = 2;
/** The median gray is paper: light or dark unless it falls between these. */
const DARK_PAPER = 60;
const LIGHT_PAPER = 150;

export interface PageAnalysis extends Direction {
  blank: boolean;
  dark: boolean;
  /** Gray levels to stretch to black and white, once dark on light. */
  black: number;
  white: number;
  shaded: boolean;
  /** Typical letter height in pixels of the page; null with too few letters. */
  letterHeight: number | null;
}

export async function analyzePage(page: Raster): Promise<PageAnalysis> {
  const scale = Math.min(MAX_ENLARGEMENT, SIDE / Math.max(page.width, page.height));
  const small = sharp(page.data, rawOf(page))
    .resize({ width: Math.max(1, Math.round(page.width * scale)), kernel: 'cubic' })
    .median(3);
  const picture = await toRaster(small);
  const counts = countGreys(picture);
  const paper = greyAt(counts, 0.5);
  const dark = analyzeGreys(picture, counts, true);
  const light = analyzeGreys(picture, counts, false);
  const look = paper > LIGHT_PAPER ? light() : paper < DARK_PAPER ? dark() : more(light(), dark());
  return { ...look, letterHeight: look.letterHeight === null ? null : look.letterHeight / scale };
}

const more = (one: PageAnalysis, other: PageAnalysis) => (other.letters > one.letters ? other : one);

const analyzeGreys = (picture: Raster, counts: Uint32Array, dark: boolean) => (): PageAnalysis => {
  const greys = dark ? counts.toReversed() : counts;
  // There may be little ink, but there is much paper.
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
  const letterHeight = direction.letters < 5 ? null : typicalHeight(letters, direction.sideways);
  return { ...direction, blank: blobs.length === 0, dark, black, white, shaded: isShaded(seen), letterHeight };
};

function typicalHeight(letters: Blob[], sideways: boolean): number {
  const heights = letters.map(({ left, right, top, bottom }) => (sideways ? right - left : bottom - top));
  return heights.sort((a, b) => a - b)[Math.floor(heights.length / 2)] as number;
}

function countGreys({ data }: Raster): Uint32Array {
  const counts = new Uint32Array(256);
  for (const grey of data) counts[grey] = (counts[grey] as number) + 1;
  return counts;
}

function greyAt(counts: Uint32Array, share: number): number {
  const most = counts.reduce((sum, count) => sum + count, 0) * share;
  let grey = 0;
  for (let seen = counts[0] as number; seen < most && grey < 255; seen += counts[grey] as number) grey += 1;
  return grey;
}
