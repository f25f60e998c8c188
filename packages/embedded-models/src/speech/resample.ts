/** Half the filter's length, in samples at the lower rate. */
const REACH = 16;

/** Changes the sample rate of mono samples. Filters out frequencies that the lower rate can't represent. */
export function resample(samples: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return samples;
  const divisor = gcd(from, to);
  const up = to / divisor;
  const down = from / divisor;
  const phases = Array.from({ length: up }, (_, phase) => phaseOf(phase / up, Math.min(1, up / down)));
  const half = (phases[0]!.length - 1) / 2;
  const made = new Float32Array(Math.floor((samples.length * up) / down));
  for (let at = 0; at < made.length; at += 1) {
    const place = at * down;
    const filter = phases[place % up]!;
    const first = Math.floor(place / up) - half;
    let sum = 0;
    for (let tap = Math.max(0, -first); tap < filter.length && first + tap < samples.length; tap += 1)
      sum += filter[tap]! * samples[first + tap]!;
    made[at] = sum;
  }
  return made;
}

/** Creates a windowed-sinc low-pass filter for outputs at an offset (0 to 1) after an input sample. */
function phaseOf(offset: number, cutoff: number): Float64Array {
  const half = Math.ceil(REACH / cutoff);
  const filter = new Float64Array(2 * half + 1);
  for (let tap = 0; tap < filter.length; tap += 1) {
    const distance = tap - half - offset;
    const x = Math.PI * distance * cutoff;
    const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / (half + 1));
    filter[tap] = cutoff * (x === 0 ? 1 : Math.sin(x) / x) * window;
  }
  const sum = filter.reduce((total, value) => total + value, 0);
  return filter.map((value) => value / sum);
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
