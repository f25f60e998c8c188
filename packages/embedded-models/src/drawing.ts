import type { CanvasError, DrawnVideo, ImageRequest, VideoOptions, VideoRequest } from '@chorus/canvas';
import type { Usage } from '@chorus/contract';
import { ChorusError } from '@chorus/contract/errors';
import { unpriced } from './engine-call.ts';

type Canvas = typeof import('@chorus/canvas');

/** Draws a picture as a PNG. @throws ChorusError `invalid_request`, `provider_error`; the signal's reason */
export async function drawImage(
  request: ImageRequest,
  { signal }: { signal: AbortSignal },
): Promise<{ bytes: Uint8Array; usage: Usage; warnings: string[] }> {
  const bytes = await withCanvas((canvas) => canvas.drawImage(request, signal));
  return { bytes, usage: unpriced(), warnings: [] };
}

/** Draws a video into a file. @throws ChorusError as `drawImage` */
export async function drawVideo(request: VideoRequest, options: VideoOptions): Promise<DrawnVideo & { usage: Usage }> {
  const video = await withCanvas((canvas) => canvas.drawVideo(request, options));
  return { ...video, usage: unpriced() };
}

/** Loads the drawing program when it is first used. */
async function withCanvas<T>(draw: (canvas: Canvas) => Promise<T>): Promise<T> {
  const canvas = await import('@chorus/canvas');
  try {
    return await draw(canvas);
  } catch (error) {
    if (!(error instanceof canvas.CanvasError)) throw error;
    throw new ChorusError(CODES[error.code], error.message, { cause: error });
  }
}

const CODES = { invalid_request: 'invalid_request', render_failed: 'provider_error' } as const satisfies Record<
  CanvasError['code'],
  string
>;
