import { drawScene } from './draw-scene.ts';
import { outlineOf } from './draw-thing.ts';
import { n } from './geometry.ts';
import { stripOf } from './lettering.ts';
import { chooseLook } from './look.ts';
import { createRandom, hashOf } from './random.ts';
import { readPrompt } from './read-prompt.ts';
import { chooseSetting } from './setting.ts';
import { Defs, type Frame, type Layer, type Stage } from './stage.ts';

/** What a picture is drawn from. The same always gives the same picture. */
export interface PictureWish {
  prompt: string;
  negativePrompt: string;
  seed: number;
  width: number;
  height: number;
  /** Colours of images that it goes by, the commonest first. */
  palette: readonly string[];
}

/** A camera: how far it has gone to the side, from -1 to 1, and how near it has come. */
export interface Camera {
  x: number;
  zoom: number;
}

const STILL: Camera = { x: 0, zoom: 1 };

/** One moment of a picture, as SVG. */
export interface Picture {
  svg: string;
  /** The strip below it alone, and where it begins; null: there is none. */
  strip: { svg: string; top: number } | null;
  /** Whether it wants to be seen in large pixels. */
  pixelated: boolean;
}

/** What makes a picture a moment of a video. */
export interface Moment {
  /** Seconds since the beginning. */
  t: number;
  camera: Camera;
  /** A picture as a `data:` address that it begins with, and is drawn over. */
  backdrop?: string;
}

/** So far beyond its edges a picture is drawn, in parts of its width, for a camera that moves. */
const OVER = 0.09;

/** What is drawn over a given picture comes in so many seconds. */
const FADE_S = 1.2;

export function drawPicture(wish: PictureWish, { t, camera, backdrop }: Moment = { t: 0, camera: STILL }): Picture {
  const { prompt, negativePrompt, seed, width, height, palette } = wish;
  const brief = readPrompt(prompt, negativePrompt);
  const text = `${prompt}\n${negativePrompt}`;
  const random = createRandom(`${seed}:${['a', 'b', 'c'].map((salt) => hashOf(salt + text).toString(36)).join('')}`);
  const strip = stripOf(width, height, brief.titled ? prompt.slice(0, 2_000) : null);
  const tall = height - strip.height;
  const frame: Frame = {
    width,
    height: tall,
    horizon: tall * 0.6,
    u: Math.min(width, tall) / 100,
    over: width * OVER,
  };
  const setting = chooseSetting(brief, random);
  const look = chooseLook(brief, setting.world, random.fork('look'), palette);
  const stage: Stage = { brief, look, frame, random, t, defs: new Defs() };
  const drawn = drawScene(stage, setting, backdrop !== undefined)
    .map((layer) => moved(layer, frame, camera))
    .join('');
  const outline = outlineOf(stage, 1);
  const layers = outline === '' ? drawn : `<g ${outline}>${drawn}</g>`;
  const over = backdrop === undefined ? layers : overPicture(backdrop, frame, camera, t, layers);
  const open = (h: number) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${h}" viewBox="0 0 ${width} ${h}">`;
  return {
    svg: `${open(height)}<defs>${stage.defs.svg}</defs>${over}${strip.svg(width, tall)}</svg>`,
    strip: strip.height === 0 ? null : { svg: `${open(strip.height)}${strip.svg(width, 0)}</svg>`, top: tall },
    pixelated: brief.styles.has('pixel'),
  };
}

/** A layer as the camera sees it: near ones move more. */
function moved({ distance, svg }: Layer, { width, height, over }: Frame, camera: Camera): string {
  const shift = camera.x * over * 0.85 * (1 - distance) ** 1.2;
  const zoom = 1 + (camera.zoom - 1) * (1 - distance * 0.7);
  if (shift === 0 && zoom === 1) return svg;
  const [x, y] = [width / 2, height * 0.62];
  return `<g transform="translate(${n(x - shift)} ${n(y)}) scale(${round(zoom)}) translate(${n(-x)} ${n(-y)})">${svg}</g>`;
}

/** A given picture fills the frame, and the camera goes into it; what the prompt asks for comes after its first moment. */
function overPicture(
  address: string,
  { width, height }: Frame,
  { x, zoom }: Camera,
  t: number,
  layers: string,
): string {
  const reach = zoom + 0.03 * Math.abs(x);
  const image = `<image href="${address}" width="${width}" height="${height}" preserveAspectRatio="xMidYMid slice"/>`;
  const seen = `<g transform="translate(${n(width / 2 - x * width * 0.012)} ${n(height / 2)}) scale(${round(reach)}) translate(${n(-width / 2)} ${n(-height / 2)})">${image}</g>`;
  const share = Math.min(1, t / FADE_S);
  return share === 0 ? seen : `${seen}<g opacity="${round(share)}">${layers}</g>`;
}

const round = (value: number) => Math.round(value * 1e4) / 1e4;
