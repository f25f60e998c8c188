import { renderPool, type Size, specOf } from './canvas.ts';
import { CanvasError } from './canvas-error.ts';
import { encodeVideo } from './encode-video.ts';
import type { Moment } from './picture.ts';
import type { InputImage } from './render-pool.ts';

export interface VideoRequest {
  prompt: string;
  durationS: number;
  fps?: number;
  /** Pixels; by default 1280 x 720. */
  size?: Size;
  seed?: number;
  image?: InputImage;
}

export interface VideoOptions {
  signal: AbortSignal;
  /** The file to write. The caller deletes it, even after a failure. */
  path: string;
  onFrame?(completed: number, total: number): void;
}

export interface DrawnVideo extends Size {
  mediaType: string;
  durationMs: number;
  fps: number;
  poster: Uint8Array;
  /** One sentence for each difference from the request. */
  warnings: string[];
}

const DEFAULT_SIZE: Size = { width: 1_280, height: 720 };
const DEFAULT_FPS = 24;
const MAX_SECONDS = 60;

/** The largest frame of H.264's common levels. */
const MAX_FRAME_PIXELS = 4_096 * 2_304;
/** Limit of pixels in all frames together: half an hour on two processors. */
const MAX_PIXELS = 16_000_000_000;

/**
 * Draws a picture and animates it: the camera, clouds, waves, rain, and things that walk or fly.
 * Several threads draw frames, which are encoded in order, so only a few are in memory.
 *
 * @throws CanvasError; the signal's reason
 */
export async function drawVideo(request: VideoRequest, options: VideoOptions): Promise<DrawnVideo> {
  const { signal, path, onFrame } = options;
  const { width, height } = evenSize(request.size ?? DEFAULT_SIZE);
  const fps = request.fps ?? DEFAULT_FPS;
  const frames = Math.max(1, Math.round(request.durationS * fps));
  const pixels = width * height;
  checkLimits(request.durationS, frames, pixels);
  const spec = specOf(request, { width, height });
  const given = request.image && {
    palette: await renderPool.run('palette', { images: [request.image] }, pixels, signal),
    backdrop: await renderPool.run('backdrop', { image: request.image, width, height }, pixels, signal),
  };
  if (given) spec.palette = given.palette;
  const momentOf = (frame: number): Moment => ({
    t: frame / fps,
    camera: cameraAt(frame / Math.max(1, frames - 1), spec.seed, given !== undefined),
    ...(given && { backdrop: given.backdrop }),
  });
  const poster = await renderPool.run('picture', { spec, moment: momentOf(0), references: [] }, pixels, signal);
  const frameOf = (frame: number, own: AbortSignal) =>
    renderPool.run('frame', { spec, moment: momentOf(frame) }, pixels, own);
  await encodeVideo({
    path,
    width,
    height,
    fps,
    frames,
    framesAhead: renderPool.threads + 1,
    frameOf,
    signal,
    ...(onFrame && { onFrame }),
  });
  return {
    width,
    height,
    mediaType: 'video/mp4',
    durationMs: Math.round((frames / fps) * 1_000),
    fps,
    poster,
    warnings:
      request.size && (request.size.width !== width || request.size.height !== height)
        ? [`Videos need even sides. This one has ${width} x ${height} pixels.`]
        : [],
  };
}

function evenSize({ width, height }: Size): Size {
  return { width: width - (width % 2), height: height - (height % 2) };
}

function checkLimits(seconds: number, frames: number, pixels: number): void {
  if (seconds > MAX_SECONDS) throw new CanvasError('invalid_request', `A video can be at most ${MAX_SECONDS} s long`);
  if (pixels > MAX_FRAME_PIXELS)
    throw new CanvasError(
      'invalid_request',
      `A frame can have at most ${MAX_FRAME_PIXELS} pixels, such as 4096 x 2304`,
    );
  if (frames * pixels > MAX_PIXELS)
    throw new CanvasError(
      'invalid_request',
      'The video has too many pixels. Make it shorter or smaller, or lower its frame rate.',
    );
}

/** Moves from side to side while zooming in, with easing. A start image begins unmoved. */
function cameraAt(share: number, seed: number, fromStill: boolean): Moment['camera'] {
  const eased = share * share * (3 - 2 * share);
  const side = seed % 2 === 0 ? 1 : -1;
  return fromStill
    ? { x: side * eased, zoom: 1 + 0.09 * eased }
    : { x: side * (eased * 2 - 1), zoom: 1 + 0.07 * eased };
}
