import type { KnownMeans } from './kokoro-model.ts';

/** Frames that are remembered: what was said before counts for no more. */
const MOST_FRAMES = 400;
/** Fewer say little of a voice. */
const ENOUGH_FRAMES = 50;

/** The means of all that a voice has said, so that a piece of a phrase sounds as it would within a whole one. */
export class RunningMeans {
  #values: Float32Array | null = null;
  #frames = 0;

  /** What so many frames go by; null: too little was said yet. */
  knownFor(frames: number): KnownMeans | null {
    if (this.#values === null || this.#frames < ENOUGH_FRAMES) return null;
    return { values: this.#values, share: this.#frames / (this.#frames + frames) };
  }

  /** So many frames were said. */
  learn(means: Float32Array, frames: number): void {
    const known = this.#values;
    if (known === null) this.#values = means.slice();
    else {
      const share = frames / (this.#frames + frames);
      for (const [at, mean] of means.entries()) known[at]! += share * (mean - known[at]!);
    }
    this.#frames = Math.min(MOST_FRAMES, this.#frames + frames);
  }
}
