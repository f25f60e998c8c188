import { SAMPLE_RATE, toFloats } from '../pcm.ts';
import { Resampler } from '../resampler.ts';
import { SILERO_FRAME, SILERO_RATE, Silero } from './silero.ts';

export const FRAME_MS = (SILERO_FRAME / SILERO_RATE) * 1_000;

/** Short resampling filter: low quality is enough to detect speech. */
const CROSSINGS = 8;

/** Detects speech in one sound while it arrives. */
export interface VoiceActivity {
  /**
   * Returns the probability of speech, 0 to 1, for each newly completed frame. Concurrent calls resolve in order.
   */
  push(pcm: Uint8Array): Promise<number[]>;
}

export interface VoiceActivityModel {
  /** Starts a new sound. @param hurried the sound comes faster than real time and the caller waits for the end */
  open(options?: { hurried: boolean }): VoiceActivity;
}

let loading: Promise<VoiceActivityModel> | null = null;

/** Loads the model on first use. All sounds of a process share it. */
export function loadVoiceActivity(): Promise<VoiceActivityModel> {
  loading ??= Silero.load().then(
    (model) => ({ open: ({ hurried } = { hurried: false }) => new SoundActivity(model, hurried) }),
    (error) => {
      loading = null;
      throw error;
    },
  );
  return loading;
}

class SoundActivity implements VoiceActivity {
  readonly #model: Silero;
  readonly #hurried: boolean;
  readonly #resampler = new Resampler(SAMPLE_RATE, SILERO_RATE, CROSSINGS);
  readonly #memory = Silero.memory();
  #waiting = new Float32Array(0);
  #last: Promise<unknown> = Promise.resolve();

  constructor(model: Silero, hurried: boolean) {
    this.#model = model;
    this.#hurried = hurried;
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
    for (; at + SILERO_FRAME <= samples.length; at += SILERO_FRAME)
      answers.push(await this.#model.judge(samples.subarray(at, at + SILERO_FRAME), this.#memory, this.#hurried));
    this.#waiting = samples.slice(at);
    return answers;
  }
}
