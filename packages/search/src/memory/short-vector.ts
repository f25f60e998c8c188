/**
 * The length that vectors are given before their numbers are rounded to 16 bits. Sums of products of two such vectors stay within 32 bits, whatever part of them is
 * added up, and their cosine is wrong by some hundred-thousandths.
 */
const LENGTH = 32_767;

/** Makes whole numbers, rounded, of what is cut off behind the point: `Math.round` takes three times as long. */
const HALF_ABOVE = LENGTH + 0.5;

/** Puts a vector's direction at a place of many. One that has none: zeros. */
export function shorten(vector: Float32Array, many: Int16Array, from = 0): void {
  const { length } = vector;
  let squares = 0;
  for (let at = 0; at < length; at += 1) squares += vector[at]! * vector[at]!;
  const factor = squares > 0 ? LENGTH / Math.sqrt(squares) : 0;
  for (let at = 0; at < length; at += 1) many[from + at] = Math.trunc(vector[at]! * factor + HALF_ABOVE) - LENGTH;
}

/** The cosine of a vector and of the one that begins at a place of many. Sums side by side, since each addition waits for the one before it. */
export function shortCosine(one: Int16Array, many: Int16Array, from: number): number {
  const { length } = one;
  const inFours = length - (length % 4);
  let even = 0;
  let odd = 0;
  let at = 0;
  let place = from;
  for (; at < inFours; at += 4, place += 4) {
    even += (one[at]! * many[place]! + one[at + 1]! * many[place + 1]!) | 0;
    odd += (one[at + 2]! * many[place + 2]! + one[at + 3]! * many[place + 3]!) | 0;
  }
  for (; at < length; at += 1, place += 1) even += one[at]! * many[place]!;
  return (even + odd) / (LENGTH * LENGTH);
}
