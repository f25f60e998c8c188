/** Zero crossings of the filter on each side. */
const CROSSINGS = 24;

/** Start of the roll-off, relative to the highest frequency of both rates. */
const CUTOFF = 0.945;

/** Maximum number of filter phases. Rates that need more use the nearest. */
const MAX_PHASES = 4_096;

/** Resamples a stream with a windowed sinc filter. Output lags by half the filter until the end. */
export class Resampler {
  readonly #step: number;
  readonly #half: number;
  readonly #phases: Float32Array[];
  /** Samples that are still needed, with silence before the first. */
  #waiting: Float32Array;
  /** Position of the next output sample in `#waiting`: whole samples and phases. */
  #at: number;
  #phase = 0;
  readonly #wholeStep: number;
  readonly #phaseStep: number;
  #taken = 0;
  #given = 0;
  readonly #ratio: number;

  /**
   * @param from samples per second
   * @param to samples per second
   * @param crossings more is sharper and slower
   */
  constructor(from: number, to: number, crossings = CROSSINGS) {
    const divisor = greatestCommonDivisor(from, to);
    const exact = to / divisor <= MAX_PHASES;
    const count = exact ? to / divisor : MAX_PHASES;
    const step = exact ? from / divisor : Math.round((from / to) * MAX_PHASES);
    this.#step = count;
    this.#wholeStep = Math.floor(step / count);
    this.#phaseStep = step % count;
    this.#ratio = count / step;
    const band = Math.min(1, to / from) * CUTOFF;
    this.#half = Math.ceil(crossings / band);
    this.#phases = Array.from({ length: count }, (_, phase) => filterOf(phase / count, this.#half, band));
    this.#waiting = new Float32Array(this.#half - 1);
    this.#at = 0;
  }

  push(samples: Float32Array): Float32Array {
    this.#taken += samples.length;
    return this.#filter(samples);
  }

  /** Returns the rest, so that the total lengths match. */
  end(): Float32Array {
    const left = Math.round(this.#taken * this.#ratio) - this.#given;
    return left <= 0 ? new Float32Array(0) : this.#filter(new Float32Array(this.#half + 1)).subarray(0, left);
  }

  #filter(samples: Float32Array): Float32Array {
    const length = this.#half * 2;
    const all = new Float32Array(this.#waiting.length + samples.length);
    all.set(this.#waiting);
    all.set(samples, this.#waiting.length);
    const made = new Float32Array(Math.max(0, Math.ceil((all.length - length - this.#at + 1) * this.#ratio) + 2));
    let count = 0;
    let at = this.#at;
    let phase = this.#phase;
    for (; at + length <= all.length; count++) {
      const filter = this.#phases[phase] as Float32Array;
      // Two parallel sums, since each addition waits for the previous one.
      let even = 0;
      let odd = 0;
      for (let tap = 0; tap < length; tap += 2) {
        even += (all[at + tap] as number) * (filter[tap] as number);
        odd += (all[at + tap + 1] as number) * (filter[tap + 1] as number);
      }
      made[count] = even + odd;
      at += this.#wholeStep;
      phase += this.#phaseStep;
      if (phase >= this.#step) {
        phase -= this.#step;
        at += 1;
      }
    }
    const kept = Math.min(at, all.length);
    this.#waiting = all.slice(kept);
    this.#at = at - kept;
    this.#phase = phase;
    this.#given += count;
    return made.subarray(0, count);
  }
}

/** Returns weights for the samples around a position `offset` after the middle one. Their sum is 1. */
function filterOf(offset: number, half: number, band: number): Float32Array {
  const weights = new Float32Array(half * 2);
  let sum = 0;
  for (let tap = 0; tap < weights.length; tap++) {
    const distance = tap - (half - 1) - offset;
    const weight = sinc(distance * band) * blackman(distance / half);
    weights[tap] = weight;
    sum += weight;
  }
  return weights.map((weight) => weight / sum);
}

const sinc = (x: number) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

/** Window function from -1 to 1. */
const blackman = (x: number) =>
  Math.abs(x) >= 1 ? 0 : 0.42 + 0.5 * Math.cos(Math.PI * x) + 0.08 * Math.cos(2 * Math.PI * x);

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other);
}
