import { median } from '@chorus/documents/pdf';
import sharp from 'sharp';
import { evenOut } from './even-out.ts';
import { type Blob, findBlobs } from './find-blobs.ts';
import { type Directions, findDirections } from './find-direction.ts';
import { findInk } from './find-ink.ts';
import { findLetters } from './find-letters.ts';
import { type Area, fieldsOf, findArea, findPaper, isUneven } from './find-paper.ts';
import { type Raster, rawOf, toRaster } from './raster.ts';

/** Size of the image to analyze. Small ones are enlarged, so that letters separate. */
const PIXELS = 2_300_000;
const MAX_ENLARGEMENT = 2;
/** Pages whose median gray is above this are dark on light. */
const LIGHT_PAPER = 150;
const MIN_LETTERS = 6;
/** Width of the filter against specks. Narrower images cannot be filtered. */
const MEDIAN = 3;

export interface PageAnalysis extends Directions {
  blank: boolean;
  dark: boolean;
  /** Part of the page to read, in its pixels. */
  area: Area;
  /** The paper of the area, if it is uneven. */
  paper: Raster | null;
  /** Gray levels of the area to stretch to black and white, once dark on light and even. */
  black: number;
  white: number;
  /** Typical size of letters in pixels of the page. Null with too few letters. */
  letter: { width: number; height: number } | null;
  /** Whether specks outnumber the letters. */
  dusty: boolean;
}

export async function analyzePage(page: Raster): Promise<PageAnalysis> {
  const scale = Math.min(MAX_ENLARGEMENT, Math.sqrt(PIXELS / (page.width * page.height)));
  const small = sharp(page.data, rawOf(page)).resize({
    width: Math.max(1, Math.round(page.width * scale)),
    kernel: 'cubic',
  });
  const isNarrow = Math.floor(Math.min(page.width, page.height) * scale) < MEDIAN;
  const picture = await toRaster(isNarrow ? small : small.median(MEDIAN));
  const light = examine(picture, false);
  if (greyAt(countGreys(picture), 0.5) > LIGHT_PAPER) return conclude(page, light);
  const dark = examine({ ...picture, data: picture.data.map((grey) => 255 - grey) }, true);
  return conclude(page, dark.lined.length > light.lined.length ? dark : light);
}

interface Examined extends Directions {
  picture: Raster;
  dark: boolean;
  blank: boolean;
  dusty: boolean;
  letters: Blob[];
}

function examine(picture: Raster, dark: boolean): Examined {
  const blobs = findBlobs(findInk(stretched(picture)));
  const letters = findLetters(blobs);
  return {
    picture,
    dark,
    blank: blobs.length === 0,
    dusty: blobs.length > letters.length * 2,
    letters,
    ...findDirections(letters),
  };
}

async function conclude(page: Raster, { picture, letters, ...facts }: Examined): Promise<PageAnalysis> {
  const paper = findPaper(picture);
  const area = findArea(facts.lined, letters, paper, picture);
  const uneven = isUneven(paper, area) ? fieldsOf(paper, area) : null;
  const inside = await toRaster(sharp(picture.data, rawOf(picture)).extract(area));
  const { black, white } = levelsOf(uneven === null ? inside : await evenOut(inside, uneven));
  const scale = picture.width / page.width;
  const enlarged = ({ left, top, right, bottom, ink }: Blob): Blob => ({
    left: left / scale,
    top: top / scale,
    right: right / scale,
    bottom: bottom / scale,
    ink,
  });
  const lined = facts.lined.map(enlarged);
  const usual = lined.length < MIN_LETTERS ? letters.map(enlarged) : lined;
  const letter =
    usual.length < MIN_LETTERS
      ? null
      : {
          width: median(usual.map(({ left, right }) => right - left)),
          height: median(usual.map(({ top, bottom }) => bottom - top)),
        };
  const left = Math.floor(area.left / scale);
  const top = Math.floor(area.top / scale);
  return {
    ...facts,
    lined,
    paired: facts.paired.map(enlarged),
    paper: uneven,
    black,
    white,
    letter,
    area: {
      left,
      top,
      width: Math.max(1, Math.min(page.width - left, Math.ceil(area.width / scale))),
      height: Math.max(1, Math.min(page.height - top, Math.ceil(area.height / scale))),
    },
  };
}

function stretched(picture: Raster): Raster {
  const { black, white } = levelsOf(picture);
  const levels = Uint8Array.from({ length: 256 }, (_, grey) =>
    Math.max(0, Math.min(255, ((grey - black) * 255) / (white - black))),
  );
  return { ...picture, data: picture.data.map((grey) => levels[grey] as number) };
}

/** There may be little ink, but there is much paper. */
function levelsOf(picture: Raster): { black: number; white: number } {
  const counts = countGreys(picture);
  const black = greyAt(counts, 0.003);
  return { black, white: Math.max(black + 1, greyAt(counts, 0.9)) };
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
