import { ChorusError, type Size } from '@chorus/contract';
import type { RenderedVideo, RenderOptions, VideoCall } from '../../provider-port.ts';
import { FREE, renderPool, wishOf } from './canvas.ts';
import { encodeVideo } from './encode-video.ts';
import type { Moment } from './picture.ts';

const DEFAULT_SIZE: Size = { width: 1_280, height: 720 };
const DEFAULT_FPS = 24;
const MAX_SECONDS = 60;

/** The largest frame of H.264's common levels. */
const MAX_FRAME_PIXELS = 4_096 * 2_304;
/** All frames together: half an hour of two processors. */
const MAX_PIXELS = 16_000_000_000;

/**
 * Draws a scene as a picture is, and lets it live: a camera that moves, clouds, waves, rain, whoever walks and flies. Frames are drawn by several threads
 * and encoded in their order, so no more than a few are ever in memory.
 * @throws ChorusError `invalid_request`, `provider_error`; the signal's reason
 */
export async function drawVideo(call: VideoCall, options: RenderOptions): Promise<RenderedVideo> {
  const { signal, path, onFrame } = options;
  const { width, height } = evenSize(call.size ?? DEFAULT_SIZE);
  const fps = call.fps ?? DEFAULT_FPS;
  const frames = Math.max(1, Math.round(call.durationS * fps));
  const pixels = width * height;
  refuseTooMuch(call.durationS, frames, pixels);
  const wish = wishOf(call, { width, height });
  const given = call.image && {
    palette: await renderPool.run('palette', { images: [call.image] }, pixels, signal),
    backdrop: await renderPool.run('backdrop', { image: call.image, width, height }, pixels, signal),
  };
  if (given) wish.palette = given.palette;
  const momentOf = (frame: number): Moment => ({
    t: frame / fps,
    camera: cameraAt(frame / Math.max(1, frames - 1), wish.seed, given !== undefined),
    ...(given && { backdrop: given.backdrop }),
  });
  const poster = await renderPool.run('picture', { wish, moment: momentOf(0), references: [] }, pixels, signal);
  const frameOf = (frame: number, own: AbortSignal) =>
    renderPool.run('frame', { wish, moment: momentOf(frame) }, pixels, own);
  await encodeVideo({
    path,
    width,
    height,
    fps,
    frames,
    ahead: renderPool.threads + 1,
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
    usage: FREE,
    warnings:
      call.size && (call.size.width !== width || call.size.height !== height)
        ? [`Videos have even sides: this one has ${width} x ${height} pixels.`]
        : [],
  };
}

function evenSize({ width, height }: Size): Size {
  return { width: width - (width % 2), height: height - (height % 2) };
}

function refuseTooMuch(seconds: number, frames: number, pixels: number): void {
  if (seconds > MAX_SECONDS) throw new ChorusError('invalid_request', `A video has at most ${MAX_SECONDS} s`);
  if (pixels > MAX_FRAME_PIXELS)
    throw new ChorusError('invalid_request', `A frame has at most ${MAX_FRAME_PIXELS} pixels, such as 4096 x 2304`);
  if (frames * pixels > MAX_PIXELS)
    throw new ChorusError(
      'invalid_request',
      'The video has too many pixels in all: make it shorter, smaller or with fewer frames',
    );
}

/** From one side to the other and a little nearer, slowly at both ends; over a given picture from where it stands still. */
function cameraAt(share: number, seed: number, fromStill: boolean): Moment['camera'] {
  const eased = share * share * (3 - 2 * share);
  const side = seed % 2 === 0 ? 1 : -1;
  return fromStill
    ? { x: side * eased, zoom: 1 + 0.09 * eased }
    : { x: side * (eased * 2 - 1), zoom: 1 + 0.07 * eased };
}
