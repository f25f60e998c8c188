import { randomInt } from 'node:crypto';
import { ChorusError, type Size, type Usage } from '@chorus/contract';
import type { CallOptions, ImageCall, MadeImage } from '../../provider-port.ts';
import type { PictureWish } from './picture.ts';
import { RenderPool } from './render-pool.ts';

const DEFAULT_SIZE: Size = { width: 1_024, height: 1_024 };
const MIN_SIDE = 64;
const MAX_SIDE = 4_096;

/** Nothing is read or written that has a price. */
export const FREE: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };

/** One for the process: pictures and videos share its processors. */
export const renderPool = new RenderPool(new URL('../../canvas-main.ts', import.meta.url));

/**
 * Draws a picture of what a prompt says, by rules: a scene of shapes, no trained model. The same call with the same seed gives the same bytes.
 * @throws ChorusError `invalid_request`; the signal's reason
 */
export async function drawImage(call: ImageCall, { signal }: CallOptions): Promise<MadeImage> {
  const { size = DEFAULT_SIZE, references = [] } = call;
  const wish = wishOf(call, size);
  const bytes = await renderPool.run('picture', { wish, references }, size.width * size.height, signal);
  return { bytes, usage: FREE, warnings: [] };
}

/** @throws ChorusError `invalid_request` */
export function wishOf(
  call: Pick<ImageCall, 'prompt' | 'negativePrompt' | 'seed'>,
  { width, height }: Size,
): PictureWish {
  if (Math.min(width, height) < MIN_SIDE || Math.max(width, height) > MAX_SIDE)
    throw new ChorusError('invalid_request', `Each side must be ${MIN_SIDE} to ${MAX_SIDE} pixels`);
  return {
    prompt: call.prompt,
    negativePrompt: call.negativePrompt ?? '',
    seed: call.seed ?? randomInt(2 ** 31),
    width,
    height,
    palette: [],
  };
}
