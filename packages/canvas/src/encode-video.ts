import { Worker } from 'node:worker_threads';
import { CanvasError } from './canvas-error.ts';

export interface VideoShape {
  path: string;
  width: number;
  height: number;
  fps: number;
  frames: number;
}

export type ToEncoder =
  | { type: 'open'; shape: VideoShape }
  | { type: 'frame'; frame: number; planes: Uint8Array }
  | { type: 'close' };

export type FromEncoder = { type: 'done' } | { type: 'failed'; reason: string };

export interface VideoJob extends VideoShape {
  /** Number of frames drawn in advance. */
  framesAhead: number;
  /** Draws a frame as planes of Y, U and V (I420). */
  frameOf(frame: number, signal: AbortSignal): Promise<Uint8Array>;
  signal: AbortSignal;
  onFrame?(completed: number, total: number): void;
}

/**
 * Writes H.264 in an MP4 that can start to play before it is complete. One thread encodes the frames
 * in order.
 *
 * @throws CanvasError `render_failed`; errors of `frameOf`; the signal's reason
 */
export async function encodeVideo({ framesAhead: ahead, frameOf, signal, onFrame, ...shape }: VideoJob): Promise<void> {
  signal.throwIfAborted();
  // Stops drawing frames that are no longer needed.
  const ended = new AbortController();
  const drawing = AbortSignal.any([signal, ended.signal]);
  const encoder = new Encoder(drawing);
  const coming: Promise<Uint8Array>[] = [];
  const draw = (frame: number) => {
    if (frame >= shape.frames) return;
    const made = frameOf(frame, drawing);
    made.catch(() => {}); // handled when its turn comes
    coming.push(made);
  };
  try {
    for (let frame = 0; frame < ahead; frame += 1) draw(frame);
    await encoder.send({ type: 'open', shape });
    for (let frame = 0; frame < shape.frames; frame += 1) {
      const planes = await (coming.shift() as Promise<Uint8Array>);
      draw(frame + ahead);
      await encoder.send({ type: 'frame', frame, planes }, [planes.buffer as ArrayBuffer]);
      onFrame?.(frame + 1, shape.frames);
    }
    await encoder.send({ type: 'close' });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    ended.abort();
    await encoder.end();
  }
}

class Encoder {
  readonly #worker = new Worker(new URL('./encode-main.ts', import.meta.url), { name: 'canvas-video' });
  #answer: PromiseWithResolvers<void> | null = null;

  constructor(signal: AbortSignal) {
    const fail = (reason: unknown) => this.#answer?.reject(reason);
    this.#worker.on('message', (message: FromEncoder) => {
      if (message.type === 'done') this.#answer?.resolve();
      else fail(new CanvasError('render_failed', `The video could not be encoded: ${message.reason}`));
    });
    this.#worker.once('error', () => {}); // its exit follows
    this.#worker.once('exit', () => fail(new CanvasError('render_failed', 'The encoder stopped unexpectedly')));
    signal.addEventListener('abort', () => fail(signal.reason), { once: true });
  }

  async send(message: ToEncoder, transfer: ArrayBuffer[] = []): Promise<void> {
    this.#answer = Promise.withResolvers<void>();
    this.#worker.postMessage(message, transfer);
    await this.#answer.promise;
  }

  async end(): Promise<void> {
    this.#answer?.promise.catch(() => {});
    await this.#worker.terminate();
  }
}
