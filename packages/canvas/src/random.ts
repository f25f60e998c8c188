/** A random generator with the same numbers for a seed on every machine. */
export interface Random {
  /** From 0 up to but excluding 1. */
  next(): number;
  between(low: number, high: number): number;
  whole(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Returns an independent generator, which does not affect others. */
  fork(name: string): Random;
}

export function createRandom(seed: string): Random {
  const next = sfc32(seed);
  return {
    next,
    between: (low, high) => low + (high - low) * next(),
    whole: (low, high) => low + Math.floor((high - low + 1) * next()),
    chance: (probability) => next() < probability,
    pick: <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T,
    fork: (name) => createRandom(`${seed}/${name}`),
  };
}

export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  return (Math.imul(hash, 0xc2b2ae35) ^ (hash >>> 16)) >>> 0;
}

/** The generator `sfc32` from Chris Doty-Humphrey's PractRand, in the public domain. */
function sfc32(seed: string): () => number {
  let [a, b, c, counter] = [hashOf(`a${seed}`), hashOf(`b${seed}`), hashOf(`c${seed}`), 1];
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 12; round += 1) next();
  return next;
}
