import sharp from 'sharp';
import type { PageAnalysis } from './analyze-page.ts';
import { evenOut } from './even-out.ts';
import { type Raster, rawOf, toRaster } from './raster.ts';

/** Letter size in pixels that the engine reads best. Larger ones only take more time. */
const LETTER_SIZE = 20;
const MIN_SCALE = 0.3;
const MAX_SCALE = 3.5;
const MAX_PIXELS = 12_000_000;
/**
 * Factors by which wide letters are narrowed, on pages with few letters and with many, to save time with equal
 * accuracy. Letters never become narrower than a proportion.
 */
const WIDTH_OF_FEW = { letters: 1_200, width: 0.8 };
const WIDTH_OF_MANY = { letters: 2_500, width: 0.6 };
const MIN_PROPORTION = 0.7;
/** Narrower letters are widened to this proportion, by at most this factor. */
const NARROW = 0.55;
const MAX_WIDENING = 1.4;
/** Letters of at least this height survive the removal of specks. It hurts smaller ones less than many specks would. */
const MIN_DESPECKLE_HEIGHT = 25;
const MIN_DESPECKLE_HEIGHT_OF_DUSTY = 15;
/** Smaller slopes, in degrees, are not corrected. */
const MIN_SLOPE = 0.1;

export const TURNS = [0, 90, 180, 270] as const;
/** Clockwise, in degrees. */
export type Turn = (typeof TURNS)[number];

export interface PreparedPage {
  picture: Raster;
  turn: Turn;
  /** Pixels of this image per pixel of the original. */
  scaleX: number;
  scaleY: number;
  /** Clockwise rotation of the page about its center, in degrees. */
  rotation: number;
  /** Corner of this image on the rotated page, in pixels of the original. */
  left: number;
  top: number;
}

/** Prepares a page for OCR: only its text, dark on light, level, turned, and with letters of one height. */
export async function preparePage(page: Raster, look: PageAnalysis, turn: Turn): Promise<PreparedPage> {
  const sideways = turn % 180 !== 0;
  const direction = sideways ? look.down() : look.across;
  const slope = Math.abs(direction.slope) < MIN_SLOPE ? 0 : direction.slope;
  const letter = look.letter && (sideways ? { width: look.letter.height, height: look.letter.width } : look.letter);
  const despeckled = look.dusty ? MIN_DESPECKLE_HEIGHT_OF_DUSTY : MIN_DESPECKLE_HEIGHT;
  let image = sharp((await contrasted(page, look)).data, rawOf(look.area)).rotate(turn);
  if (letter !== null && letter.height >= despeckled) image = image.median(3);
  const upright = await toRaster(image);
  const scaleY = scaleOf(letter, upright);
  const scaleX = scaleY * widthOf(letter, direction.letters);
  const picture =
    slope === 0 ? await resized(upright, scaleX, scaleY) : await straightened(upright, slope, scaleX, scaleY);
  const middle = rotated(middleOf(look.area, page, turn), -slope);
  const [wide, high] = sideways ? [page.height, page.width] : [page.width, page.height];
  return {
    picture,
    turn,
    scaleX,
    scaleY,
    rotation: turn - slope,
    left: wide / 2 + middle.x - picture.width / scaleX / 2,
    top: high / 2 + middle.y - picture.height / scaleY / 2,
  };
}

/** Returns the area dark on light, evenly lit, and with full contrast. */
async function contrasted(page: Raster, { area, dark, paper, black, white }: PageAnalysis): Promise<Raster> {
  const cut = sharp(page.data, rawOf(page)).extract(area);
  const contrast = 255 / (white - black);
  if (paper === null)
    return toRaster(dark ? cut.linear(-contrast, (255 - black) * contrast) : cut.linear(contrast, -black * contrast));
  const even = await evenOut(await toRaster(dark ? cut.negate() : cut), paper);
  return toRaster(sharp(even.data, rawOf(even)).linear(contrast, -black * contrast));
}

interface Point {
  x: number;
  y: number;
}

/** Returns the middle of an area, relative to that of the page. */
function middleOf({ left, top, width, height }: PageAnalysis['area'], page: Raster, turn: Turn): Point {
  return rotated({ x: left + width / 2 - page.width / 2, y: top + height / 2 - page.height / 2 }, turn);
}

/** Rotates clockwise. */
function rotated({ x, y }: Point, degrees: number): Point {
  const angle = (degrees * Math.PI) / 180;
  return { x: x * Math.cos(angle) - y * Math.sin(angle), y: x * Math.sin(angle) + y * Math.cos(angle) };
}

type Letter = PageAnalysis['letter'];

function scaleOf(letter: Letter, { width, height }: Raster): number {
  // Without detected letters, narrow pages are treated as small ones.
  const wanted = letter === null ? 1_800 / width : LETTER_SIZE / Math.sqrt(letter.width * letter.height);
  const most = Math.sqrt(MAX_PIXELS / (width * height));
  return Math.min(Math.max(MIN_SCALE, Math.min(MAX_SCALE, wanted)), most);
}

function widthOf(letter: Letter, letters: number): number {
  if (letter === null) return 1;
  const narrow = letter.height / letter.width;
  if (narrow * NARROW > 1) return Math.min(MAX_WIDENING, narrow * NARROW);
  const share = (letters - WIDTH_OF_FEW.letters) / (WIDTH_OF_MANY.letters - WIDTH_OF_FEW.letters);
  const width = WIDTH_OF_FEW.width + (WIDTH_OF_MANY.width - WIDTH_OF_FEW.width) * Math.max(0, Math.min(1, share));
  return Math.max(width, Math.min(1, (MIN_PROPORTION * letter.height) / letter.width));
}

function resized(page: Raster, scaleX: number, scaleY: number): Promise<Raster> {
  const size = {
    width: Math.max(1, Math.round(page.width * scaleX)),
    height: Math.max(1, Math.round(page.height * scaleY)),
  };
  return toRaster(
    sharp(page.data, rawOf(page)).resize({ ...size, fit: 'fill', kernel: scaleX > 1 ? 'cubic' : 'lanczos3' }),
  );
}

/** Rotates by the slope about the center, and scales. Gaps become white. */
async function straightened(page: Raster, slope: number, scaleX: number, scaleY: number): Promise<Raster> {
  const angle = (-slope * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return toRaster(
    sharp(page.data, rawOf(page)).affine(
      [
        [cos * scaleX, -sin * scaleX],
        [sin * scaleY, cos * scaleY],
      ],
      { background: '#fff', interpolator: 'bicubic' },
    ),
  );
}

/** Turns a prepared page upside down, which costs less than preparing it again. */
export async function upsideDown(page: PreparedPage, original: Raster): Promise<PreparedPage> {
  const picture = await toRaster(sharp(page.picture.data, rawOf(page.picture)).rotate(180));
  const { left, top, scaleX, scaleY } = page;
  const [wide, high] = page.turn % 180 === 0 ? [original.width, original.height] : [original.height, original.width];
  return {
    ...page,
    picture,
    turn: ((page.turn + 180) % 360) as Turn,
    rotation: page.rotation + (page.turn < 180 ? 180 : -180),
    left: wide - left - picture.width / scaleX,
    top: high - top - picture.height / scaleY,
  };
}

/** Maps a point of the original to the prepared image. */
export function placeIn(page: PreparedPage, original: Raster, { x, y }: Point): Point {
  const { x: across, y: down } = rotated({ x: x - original.width / 2, y: y - original.height / 2 }, page.rotation);
  const [wide, high] = page.turn % 180 === 0 ? [original.width, original.height] : [original.height, original.width];
  return { x: (wide / 2 + across - page.left) * page.scaleX, y: (high / 2 + down - page.top) * page.scaleY };
}

/** Cuts out a part around a point, of at most this many pixels. Null if the page is not much larger. */
export async function sampleOf({ picture }: PreparedPage, pixels: number, { x, y }: Point): Promise<Raster | null> {
  const most = Math.sqrt(pixels);
  const width = Math.min(picture.width, Math.round(Math.max(most, pixels / picture.height)));
  const height = Math.min(picture.height, Math.round(pixels / width));
  if (width * height > picture.width * picture.height * 0.6) return null;
  const left = Math.round(Math.max(0, Math.min(picture.width - width, x - width / 2)));
  const top = Math.round(Math.max(0, Math.min(picture.height - height, y - height / 2)));
  return toRaster(sharp(picture.data, rawOf(picture)).extract({ left, top, width, height }));
}
