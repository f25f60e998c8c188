import { fakeVector } from '@chorus/testing';

/** What is made here of the vector that the fakes give for a text. */
export function expectedVector(text: string, dimensions?: number): Float32Array {
  const vector = Float32Array.from(fakeVector(text, dimensions));
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}
