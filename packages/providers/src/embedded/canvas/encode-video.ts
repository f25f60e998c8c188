import { Worker } from 'node:worker_threads';
import { ChorusError } from '@chorus/contract';
import type { FromEncoder, ToEncoder, VideoShape } from './encode-protocol.ts';

export interface VideoJob extends VideoShape {
  /** So many frames are drawn before they are needed. */
  ahead: number;
  /** Draws one: planes of Y, U and V (I420). */
  frameOf(frame: number, signal: AbortSignal): Promise<Uint8Array>;
  signal: AbortSignal;
  onFrame?(completed: number, total: number): void;
}

/**
 * Writes a video to a file: H.264 in an MP4 that plays before it has come whole. Encoded in a thread of its own, one frame after the other.
 * @throws ChorusError `provider_error`; what `frameOf` throws; the signal's reason
 */
export async function encodeVideo({ ahead, frameOf, signal, onFrame, ...shape }: VideoJob): Promise<void> {
  signal.throwIfAborted();
  // Whatever ends it ends the drawing of frames that nobody waits for any more.
  const over = new AbortController();
  const drawing = AbortSignal.any([signal, over.signal]);
  const encoder = new Encoder(drawing);
  const coming: Promise<Uint8Array>[] = [];
  const draw = (frame: number) => {
    if (frame >= shape.frames) return;
    const made = frameOf(frame, drawing);
    made.catch(() => {}); // it is heard when its turn comes
    coming.push(made);
  };
  try {
    for (let frame = 0; frame < ahead; frame += 1) draw(frame);
    await encoder.say({ type: 'open', shape });
    for (let frame = 0; frame < shape.frames; frame += 1) {
      const planes = await (coming.shift() as Promise<Uint8Array>);
      draw(frame + ahead);
      await encoder.say({ type: 'frame', frame, planes }, [planes.buffer as ArrayBuffer]);
      onFrame?.(frame + 1, shape.frames);
    }
    await encoder.say({ type: 'close' });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    over.abort();
    await encoder.end();
  }
}

/** The thread that encodes: it answers each message. */
class Encoder {
  readonly #worker = new Worker(new URL('../../canvas-video-main.ts', import.meta.url), { name: 'canvas-video' });
  #answer: PromiseWithResolvers<void> | null = null;

  constructor(signal: AbortSignal) {
    const fail = (reason: unknown) => this.#answer?.reject(reason);
    this.#worker.on('message', (message: FromEncoder) => {
      if (message.type === 'done') this.#answer?.resolve();
      else fail(new ChorusError('provider_error', `The video could not be encoded: ${message.reason}`));
    });
    this.#worker.once('error', () => {}); // its exit follows
    this.#worker.once('exit', () => fail(new ChorusError('provider_error', 'The encoder ended in the middle of it')));
    signal.addEventListener('abort', () => fail(signal.reason), { once: true });
  }

  async say(message: ToEncoder, transfer: ArrayBuffer[] = []): Promise<void> {
    this.#answer = Promise.withResolvers<void>();
    this.#worker.postMessage(message, transfer);
    await this.#answer.promise;
  }

  async end(): Promise<void> {
    this.#answer?.promise.catch(() => {});
    await this.#worker.terminate();
  }
}
