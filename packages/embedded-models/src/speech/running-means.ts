import type { KnownMeans } from './kokoro-model.ts';

/** Limits the weight of earlier speech. */
const MAX_FRAMES = 400;
/** Minimum number of frames. Fewer say little about a voice. */
const MIN_FRAMES = 50;

/** Averages the means of a voice's speech, so that a piece sounds as it would in a whole phrase. */
export class RunningMeans {
  #values: Float32Array | null = null;
  #frames = 0;

  /** Returns the means for this many frames, or null if too little was spoken. */
  knownFor(frames: number): KnownMeans | null {
    if (this.#values === null || this.#frames < MIN_FRAMES) return null;
    return { values: this.#values, share: this.#frames / (this.#frames + frames) };
  }

  learn(means: Float32Array, frames: number): void {
    const known = this.#values;
    if (known === null) this.#values = means.slice();
    else {
      const share = frames / (this.#frames + frames);
      for (const [at, mean] of means.entries()) known[at]! += share * (mean - known[at]!);
    }
    this.#frames = Math.min(MAX_FRAMES, this.#frames + frames);
  }
}
