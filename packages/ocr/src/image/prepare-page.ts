import sharp from 'sharp';
import { lookAtPage, type PageLook } from './look-at-page.ts';
import { type Raster, rawOf, toRaster } from './raster.ts';

/** The usual height of letters that the engine reads best, in pixels; beyond it costs time and gains nothing. */
const LETTER_HEIGHT = 20;
const MIN_SCALE = 0.3;
const MAX_SCALE = 3.5;
/** Of the picture that is read. */
const MAX_PIXELS = 12_000_000;
/**
 * Letters are made narrower, since the engine's time grows with the length of lines and it reads narrow letters as well: so much on a page of few
 * letters, and so much on one of many.
 */
const WIDTH_OF_FEW = { letters: 1_200, width: 0.8 };
const WIDTH_OF_MANY = { letters: 2_500, width: 0.6 };
/** Letters of this height, in pixels, survive the removal of single specks. */
const SPECKS_REMOVED_FROM = 15;
/** A slope below this, in degrees, is left. */
const LEVEL = 0.1;
/** Below this nobody knows which way is up: both are tried. */
const SURE = 0.15;

/** A page as the engine reads it, and how its places lie on the upright page. */
export interface PreparedPage {
  picture: Raster;
  /** Whether there is nothing on it. */
  blank: boolean;
  /** Whether its sides changed places when it was turned. */
  sideways: boolean;
  /** Pixels of the picture for one of the page that was given. */
  scaleX: number;
  scaleY: number;
  /** Degrees clockwise, -180 to 360, by which the page was turned about its centre. */
  rotation: number;
  /** Whether a part of it lies in a shadow. */
  shaded: boolean;
  /** Whether it may as well be upside down. */
  unsure: boolean;
}

/** Makes a page ready to be read: dark on light, its lines level and the right way up, its letters of one height. */
export async function preparePage(page: Raster): Promise<PreparedPage> {
  const look = await lookAtPage(page);
  const turn = (look.sideways ? 90 : 0) + (look.upright < 0 ? 180 : 0);
  const slope = Math.abs(look.slope) < LEVEL ? 0 : look.slope;
  const contrast = 255 / (look.white - look.black);
  const level = look.dark
    ? { factor: -contrast, offset: (255 - look.black) * contrast }
    : { factor: contrast, offset: -look.black * contrast };
  let image = sharp(page.data, rawOf(page)).linear(level.factor, level.offset).rotate(turn);
  if (look.letterHeight !== null && look.letterHeight >= SPECKS_REMOVED_FROM) image = image.median(3);
  const upright = await toRaster(image);
  const { width, height } = upright;
  const scaleY = scaleOf(look, width, height);
  const scaleX = scaleY * widthOf(look.letters);
  const picture =
    slope === 0 ? await resized(upright, scaleX, scaleY) : await straightened(upright, slope, scaleX, scaleY);
  const unsure = look.letterHeight !== null && Math.abs(look.upright) < SURE;
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

function scaleOf({ letterHeight }: PageLook, width: number, height: number): number {
  // Where no letters are told apart, narrow pages are taken for small ones.
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

/** Turned back by its slope about its centre, and scaled; what leaves the page is cut, what comes into it is white. */
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

/** The same page the other way up. */
export async function upsideDown(page: PreparedPage): Promise<PreparedPage> {
  const picture = await toRaster(sharp(page.picture.data, rawOf(page.picture)).rotate(180));
  return { ...page, picture, rotation: page.rotation + (page.rotation < 180 ? 180 : -180) };
}
