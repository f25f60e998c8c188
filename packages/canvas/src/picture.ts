import { drawScene } from './draw-scene.ts';
import { outlineOf } from './draw-thing.ts';
import { stripOf } from './lettering.ts';
import { chooseLook } from './look.ts';
import { createRandom, hashOf } from './random.ts';
import { readPrompt } from './read-prompt.ts';
import { chooseSetting } from './setting.ts';
import type { Frame, Layer, Stage } from './stage.ts';
import { Defs, each, svg } from './svg.ts';

/** The input of a picture. The same input always gives the same picture. */
export interface PictureSpec {
  prompt: string;
  negativePrompt: string;
  seed: number;
  width: number;
  height: number;
  /** Colors of reference images, most common first. */
  palette: readonly string[];
}

export interface Camera {
  x: number;
  zoom: number;
}

const STILL: Camera = { x: 0, zoom: 1 };

export interface Picture {
  svg: string;
  /** The strip below the picture and its top, or null. */
  strip: { svg: string; top: number } | null;
  /** Whether it is shown in large pixels. */
  pixelated: boolean;
}

export interface Moment {
  t: number;
  camera: Camera;
  /** A start image as a `data:` URL, drawn behind everything. */
  backdrop?: string;
}

/** Extra width on each side for a moving camera, as a share of the width. */
const CAMERA_MARGIN = 0.09;

/** Seconds in which drawings fade in over a start image. */
const FADE_S = 1.2;

export function drawPicture(spec: PictureSpec, { t, camera, backdrop }: Moment = { t: 0, camera: STILL }): Picture {
  const { prompt, negativePrompt, seed, width, height, palette } = spec;
  const brief = readPrompt(prompt, negativePrompt);
  const text = `${prompt}\n${negativePrompt}`;
  const random = createRandom(`${seed}:${each(['a', 'b', 'c'], (salt) => hashOf(salt + text).toString(36))}`);
  const strip = stripOf(width, height, brief.titled ? prompt.slice(0, 2_000) : null);
  const tall = height - strip.height;
  const frame: Frame = {
    width,
    height: tall,
    horizon: tall * 0.6,
    u: Math.min(width, tall) / 100,
    margin: width * CAMERA_MARGIN,
  };
  const setting = chooseSetting(brief, random);
  const look = chooseLook(brief, setting.world, random.fork('look'), palette);
  const stage: Stage = { brief, look, frame, random, t, defs: new Defs() };
  const drawn = each(drawScene(stage, setting, backdrop !== undefined), (layer) => moved(layer, frame, camera));
  const outline = outlineOf(stage, 1);
  const layers = outline === '' ? drawn : `<g ${outline}>${drawn}</g>`;
  const margin = backdrop === undefined ? layers : overPicture(backdrop, frame, camera, t, layers);
  const open = (h: number) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${h}" viewBox="0 0 ${width} ${h}">`;
  return {
    svg: `${open(height)}<defs>${stage.defs.svg}</defs>${margin}${strip.svg(width, tall)}</svg>`,
    strip: strip.height === 0 ? null : { svg: `${open(strip.height)}${strip.svg(width, 0)}</svg>`, top: tall },
    pixelated: brief.styles.has('pixel'),
  };
}

function moved({ distance, svg: drawn }: Layer, { width, height, margin }: Frame, camera: Camera): string {
  const shift = camera.x * margin * 0.85 * (1 - distance) ** 1.2;
  const zoom = 1 + (camera.zoom - 1) * (1 - distance * 0.7);
  if (shift === 0 && zoom === 1) return drawn;
  const [x, y] = [width / 2, height * 0.62];
  return svg`<g transform="translate(${x - shift} ${y}) scale(${round(zoom)}) translate(${-x} ${-y})">${drawn}</g>`;
}

/** Shows a start image full-frame and zooms in, while the drawings fade in. */
function overPicture(
  address: string,
  { width, height }: Frame,
  { x, zoom }: Camera,
  t: number,
  layers: string,
): string {
  const reach = zoom + 0.03 * Math.abs(x);
  const image = `<image href="${address}" width="${width}" height="${height}" preserveAspectRatio="xMidYMid slice"/>`;
  const seen = svg`<g transform="translate(${width / 2 - x * width * 0.012} ${height / 2}) scale(${round(reach)}) translate(${-width / 2} ${-height / 2})">${image}</g>`;
  const share = Math.min(1, t / FADE_S);
  return share === 0 ? seen : `${seen}<g opacity="${round(share)}">${layers}</g>`;
}

const round = (value: number) => String(Math.round(value * 1e4) / 1e4);
