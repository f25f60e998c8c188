import sharp from 'sharp';
import { analyzePage, type PageAnalysis } from './analyze-page.ts';
import { type Raster, rawOf, toRaster } from './raster.ts';

/** Letter height in pixels that the engine reads best; more costs time without gain. */
const LETTER_HEIGHT = 20;
const MIN_SCALE = 0.3;
const MAX_SCALE = 3.5;
const MAX_PIXELS = 12_000_000;
/**
 * Letters are narrowed to save time, with equal accuracy: this much on pages with few letters, and this much
 * with many.
 */
const WIDTH_OF_FEW = { letters: 1_200, width: 0.8 };
const WIDTH_OF_MANY = { letters: 2_500, width: 0.6 };
/** Letters at least this high survive the removal of specks. */
const MIN_DESPECKLE_HEIGHT = 15;
/** Smaller slopes, in degrees, are not corrected. */
const MIN_SLOPE = 0.1;
/** Below this both orientations are tried. */
const MIN_CONFIDENCE = 0.15;

export interface PreparedPage {
  picture: Raster;
  blank: boolean;
  sideways: boolean;
  /** Pixels of this image per pixel of the original. */
  scaleX: number;
  scaleY: number;
  /** Clockwise rotation about the center, in degrees, -180 to 360. */
  rotation: number;
  shaded: boolean;
  unsure: boolean;
}

/** Prepares a page for OCR: dark on light, level, upright, and with letters of one height. */
export async function preparePage(page: Raster): Promise<PreparedPage> {
  const look = await analyzePage(page);
  const turn = (look.sideways ? 90 : 0) + (look.upright < 0 ? 180 : 0);
  const slope = Math.abs(look.slope) < MIN_SLOPE ? 0 : look.slope;
  const contrast = 255 / (look.white - look.black);
  const level = look.dark
    ? { factor: -contrast, offset: (255 - look.black) * contrast }
    : { factor: contrast, offset: -look.black * contrast };
  let image = sharp(page.data, rawOf(page)).linear(level.factor, level.offset).rotate(turn);
  if (look.letterHeight !== null && look.letterHeight >= MIN_DESPECKLE_HEIGHT) image = image.median(3);
  const upright = await toRaster(image);
  const { width, height } = upright;
  const scaleY = scaleOf(look, width, height);
  const scaleX = scaleY * widthOf(look.letters);
  const picture =
    slope === 0 ? await resized(upright, scaleX, scaleY) : await straightened(upright, slope, scaleX, scaleY);
  const unsure = look.letterHeight !== null && Math.abs(look.upright) < MIN_CONFIDENCE;
  return {
    picture,
    blank: look.blank,
    sideways: look.sideways,
    scaleX,
    scaleY,
    rotation: turn - slope,
    shaded: look.shaded,
    unsure,
  };
}

function scaleOf({ letterHeight }: PageAnalysis, width: number, height: number): number {
  // Without detected letters, narrow pages are taken for small ones.
  const wanted = letterHeight === null ? 1_800 / width : LETTER_HEIGHT / letterHeight;
  const most = Math.sqrt(MAX_PIXELS / (width * height));
  return Math.min(Math.max(MIN_SCALE, Math.min(MAX_SCALE, wanted)), most);
}

function widthOf(letters: number): number {
  const share = (letters - WIDTH_OF_FEW.letters) / (WIDTH_OF_MANY.letters - WIDTH_OF_FEW.letters);
  return WIDTH_OF_FEW.width + (WIDTH_OF_MANY.width - WIDTH_OF_FEW.width) * Math.max(0, Math.min(1, share));
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

/** Rotates by the slope about the center and scales; overflow is cut, gaps become white. */
async function straightened(page: Raster, slope: number, scaleX: number, scaleY: number): Promise<Raster> {
  const angle = (-slope * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const turned = await toRaster(
    sharp(page.data, rawOf(page)).affine(
      [
        [cos * scaleX, -sin * scaleX],
        [sin * scaleY, cos * scaleY],
      ],
      { background: '#fff', interpolator: 'bicubic' },
    ),
  );
  const width = Math.min(turned.width, Math.max(1, Math.round(page.width * scaleX)));
  const height = Math.min(turned.height, Math.max(1, Math.round(page.height * scaleY)));
  const left = Math.floor((turned.width - width) / 2);
  const top = Math.floor((turned.height - height) / 2);
  return toRaster(sharp(turned.data, rawOf(turned)).extract({ left, top, width, height }));
}

export async function upsideDown(page: PreparedPage): Promise<PreparedPage> {
  const picture = await toRaster(sharp(page.picture.data, rawOf(page.picture)).rotate(180));
  return { ...page, picture, rotation: page.rotation + (page.rotation < 180 ? 180 : -180) };
}
