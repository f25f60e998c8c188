import { randomInt } from 'node:crypto';
import { CanvasError } from './canvas-error.ts';
import type { PictureSpec } from './picture.ts';
import type { InputImage } from './render-pool.ts';
import { RenderPool } from './render-pool.ts';

export interface Size {
  width: number;
  height: number;
}

export interface ImageRequest {
  prompt: string;
  negativePrompt?: string;
  /** Pixels; by default 1024 x 1024. */
  size?: Size;
  /** Chosen at random by default. */
  seed?: number;
  /** Image files that the palette is taken from. */
  references?: readonly InputImage[];
}

const DEFAULT_SIZE: Size = { width: 1_024, height: 1_024 };
const MIN_SIDE = 64;
const MAX_SIDE = 4_096;

/** Shared by pictures and videos, which use the same processors. */
export const renderPool = new RenderPool(new URL('./render-main.ts', import.meta.url));

/**
 * Draws a scene of shapes for a prompt, by rules and without a model. The same seed gives the same
 * bytes.
 *
 * @returns a PNG
 * @throws CanvasError; the signal's reason
 */
export async function drawImage(request: ImageRequest, signal: AbortSignal): Promise<Uint8Array> {
  const { size = DEFAULT_SIZE, references = [] } = request;
  const spec = specOf(request, size);
  return renderPool.run('picture', { spec, references }, size.width * size.height, signal);
}

/** @throws CanvasError `invalid_request` */
export function specOf(
  { prompt, negativePrompt = '', seed = randomInt(2 ** 31) }: Omit<ImageRequest, 'size'>,
  { width, height }: Size,
): PictureSpec {
  if (Math.min(width, height) < MIN_SIDE || Math.max(width, height) > MAX_SIDE)
    throw new CanvasError('invalid_request', `Each side must be ${MIN_SIDE} to ${MAX_SIDE} pixels`);
  return { prompt, negativePrompt, seed, width, height, palette: [] };
}
