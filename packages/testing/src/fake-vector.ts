import { createHash } from 'node:crypto';

/**
 * The vector that the fakes give for a text: a place for each of its words, by the word's hash. So texts with words in common are alike.
 * @param dimensions as they are asked for; absent: 16
 */
export function fakeVector(text: string, dimensions = 16): number[] {
  const vector = new Array<number>(dimensions).fill(0.01);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const place = createHash('sha256').update(word).digest().readUInt32BE() % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}
