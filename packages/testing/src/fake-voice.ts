/** Samples per second of mono pcm16. */
const RATE = 24_000;

/** Resonances: frequency, bandwidth, amplitude. */
const MOUTH = [
  [700, 80, 1],
  [1_220, 90, 0.6],
  [2_600, 120, 0.3],
] as const;

/** Returns audio that voice detectors treat as speech: a moving pitch through an opening and closing mouth. */
export function fakeVoice(seconds: number): Buffer {
  const samples = new Int16Array(seconds * RATE);
  const states = MOUTH.map(() => [0, 0] as [number, number]);
  let phase = 0;
  for (let index = 0; index < samples.length; index++) {
    const time = index / RATE;
    phase += (120 + 25 * Math.sin(2 * Math.PI * 0.7 * time)) / RATE;
    const pulse = phase >= 1 ? 1 : 0;
    phase %= 1;
    let sum = 0;
    MOUTH.forEach(([hz, width, gain], at) => {
      const radius = Math.exp((-Math.PI * width) / RATE);
      const [one, two] = states[at] as [number, number];
      const shifted = hz * (1 + 0.15 * Math.sin(2 * Math.PI * 1.3 * time + at));
      const next = pulse + 2 * radius * Math.cos((2 * Math.PI * shifted) / RATE) * one - radius * radius * two;
      states[at] = [next, one];
      sum += next * gain;
    });
    const open = 0.5 + 0.5 * Math.sin(2 * Math.PI * 4 * time);
    samples[index] = Math.max(-32_768, Math.min(32_767, 1_600 * open * sum));
  }
  return Buffer.from(samples.buffer);
}
