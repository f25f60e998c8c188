/**
 * Finds similar images without comparing millions (multi-index hashing, Norouzi et al. 2012). The 64 bits of a
 * hash are stored as four bands of 16. Hashes within 10 bits differ by at most 2 in one of the first three
 * bands, or at most 1 in the fourth, so 428 band values cover them.
 */

const BANDS = 4;
const BITS = 16;

/** Largest distance at which all hashes are found. */
export const SIMILAR_RADIUS = 10;

const HASH = /^[0-9a-f]{16}$/;

export function isPerceptualHash(text: string): boolean {
  return HASH.test(text);
}

/** Returns the bands of a hash, with their index in the higher bits. */
export function bandsOf(hash: string): number[] {
  return Array.from({ length: BANDS }, (_, index) => band(index, valueAt(hash, index)));
}

/** Returns every band value of hashes within `SIMILAR_RADIUS` bits. */
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

function valuesNear(value: number, radius: number, fromBit = 0): number[] {
  if (radius === 0) return [value];
  const near = [value];
  for (let bit = fromBit; bit < BITS; bit++) near.push(...valuesNear(value ^ (1 << bit), radius - 1, bit + 1));
  return near;
}
