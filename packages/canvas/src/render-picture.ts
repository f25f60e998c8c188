import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Resvg, type ResvgRenderOptions } from '@resvg/resvg-js';
import sharp, { type Sharp } from 'sharp';
import { drawPicture, type Moment, type Picture, type PictureSpec } from './picture.ts';

const ttf = join(dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json')), 'ttf');

/** Only the package's fonts, for the same letters on every machine. */
const FONT: ResvgRenderOptions['font'] = {
  loadSystemFonts: false,
  fontFiles: ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf', 'DejaVuSerif.ttf'].map((name) => join(ttf, name)),
  defaultFontFamily: 'DejaVu Sans',
};

/** Pixels on the shorter side of pixel art. */
const PIXEL_ART_SIDE = 108;

function rasterOf(svg: string, fitTo?: ResvgRenderOptions['fitTo']) {
  return new Resvg(svg, { font: FONT, ...(fitTo && { fitTo }) }).render();
}

export async function renderPicture(spec: PictureSpec, moment?: Moment): Promise<Uint8Array> {
  const picture = drawPicture(spec, moment);
  return picture.pixelated ? pixelated(spec, picture).png().toBuffer() : rasterOf(picture.svg).asPng();
}

export async function renderPixels(spec: PictureSpec, moment: Moment): Promise<Uint8Array> {
  const picture = drawPicture(spec, moment);
  return picture.pixelated ? pixelated(spec, picture).ensureAlpha().raw().toBuffer() : rasterOf(picture.svg).pixels;
}

/** Draws small and enlarges, except for the strip. */
function pixelated({ width, height }: PictureSpec, { svg, strip }: Picture): Sharp {
  const small = rasterOf(svg, {
    mode: 'width',
    value: Math.max(32, Math.round((width / Math.min(width, height)) * PIXEL_ART_SIDE)),
  });
  const raw = { width: small.width, height: small.height, channels: 4 } as const;
  const large = sharp(small.pixels, { raw }).resize(width, height, { kernel: 'nearest', fit: 'fill' });
  return strip === null ? large : large.composite([{ input: rasterOf(strip.svg).asPng(), left: 0, top: strip.top }]);
}
