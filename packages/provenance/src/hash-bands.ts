/**
 * How pictures that look alike are found among a million without a look at each (multi-index hashing, Norouzi et al. 2012): the 64 bits of a perceptual
 * hash are stored as four parts of 16. Hashes that differ in at most 10 bits differ in at most 2 in one of the first three parts, or in at most 1
 * in the fourth: so whatever lies within 10 bits is among those that have one of 428 parts.
 */

const BANDS = 4;
const BITS = 16;

/** Within so many bits everything is found. */
export const SIMILAR_RADIUS = 10;

const HASH = /^[0-9a-f]{16}$/;

/** Whether it is a perceptual hash: 16 hexadecimal digits. */
export function isPerceptualHash(text: string): boolean {
  return HASH.test(text);
}

/** The parts of a perceptual hash, each with its place in the higher bits. */
export function bandsOf(hash: string): number[] {
  return Array.from({ length: BANDS }, (_, index) => band(index, valueAt(hash, index)));
}

/** Every part that a hash within `SIMILAR_RADIUS` bits of this one can have. */
export function bandsNear(hash: string): number[] {
  const least = Math.floor(SIMILAR_RADIUS / BANDS);
  const over = SIMILAR_RADIUS % BANDS;
  return Array.from({ length: BANDS }, (_, index) => {
    const radius = index <= over ? least : least - 1;
    return valuesNear(valueAt(hash, index), radius).map((value) => band(index, value));
  }).flat();
}

function valueAt(hash: string, index: number): number {
  const digits = BITS / 4;
  return Number.parseInt(hash.slice(index * digits, (index + 1) * digits), 16);
}

const band = (index: number, value: number) => index * 2 ** BITS + value;

/** All numbers that differ from this one in at most `radius` bits. */
function valuesNear(value: number, radius: number, fromBit = 0): number[] {
  if (radius === 0) return [value];
  const near = [value];
  for (let bit = fromBit; bit < BITS; bit++) near.push(...valuesNear(value ^ (1 << bit), radius - 1, bit + 1));
  return near;
}
