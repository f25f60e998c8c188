import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Resvg, type ResvgRenderOptions } from '@resvg/resvg-js';
import sharp, { type Sharp } from 'sharp';
import { drawPicture, type Moment, type Picture, type PictureWish } from './picture.ts';

const ttf = join(dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json')), 'ttf');

/** The fonts of the package alone: the same letters on every machine. */
const FONT: ResvgRenderOptions['font'] = {
  loadSystemFonts: false,
  fontFiles: ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf', 'DejaVuSerif.ttf'].map((name) => join(ttf, name)),
  defaultFontFamily: 'DejaVu Sans',
};

/** The shorter side of pixel art has so many pixels. */
const LARGE_PIXELS = 108;

function rasterOf(svg: string, fitTo?: ResvgRenderOptions['fitTo']) {
  return new Resvg(svg, { font: FONT, ...(fitTo && { fitTo }) }).render();
}

/** A picture as a PNG. */
export async function renderPicture(wish: PictureWish, moment?: Moment): Promise<Uint8Array> {
  const picture = drawPicture(wish, moment);
  return picture.pixelated ? pixelated(wish, picture).png().toBuffer() : rasterOf(picture.svg).asPng();
}

/** The same as its pixels: RGBA, a row after the other. */
export async function renderPixels(wish: PictureWish, moment: Moment): Promise<Uint8Array> {
  const picture = drawPicture(wish, moment);
  return picture.pixelated ? pixelated(wish, picture).ensureAlpha().raw().toBuffer() : rasterOf(picture.svg).pixels;
}

/** Drawn small and shown large; the strip below it stays as it is. */
function pixelated({ width, height }: PictureWish, { svg, strip }: Picture): Sharp {
  const small = rasterOf(svg, {
    mode: 'width',
    value: Math.max(32, Math.round((width / Math.min(width, height)) * LARGE_PIXELS)),
  });
  const raw = { width: small.width, height: small.height, channels: 4 } as const;
  const large = sharp(small.pixels, { raw }).resize(width, height, { kernel: 'nearest', fit: 'fill' });
  return strip === null ? large : large.composite([{ input: rasterOf(strip.svg).asPng(), left: 0, top: strip.top }]);
}
