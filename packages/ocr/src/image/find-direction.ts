import type { Blob } from './find-blobs.ts';

export interface Direction {
  /** Clockwise slope of the lines in degrees. */
  slope: number;
  /**
   * Confidence that the text is upright: -1 (upside down) to 1. Neighbors of different heights share the
   * baseline more often than the top, because more letters have ascenders than descenders.
   */
  upright: number;
  /** Number of letters with a neighbor, on which the result is based. */
  letters: number;
}

/** Suggested by shapes and gaps of letters. Capitals and wide spacing may be misleading. */
export interface Directions {
  /** Whether the page seems to be on its side. */
  sideways: boolean;
  across: Direction;
  /** Letters in lines of three or more. */
  lined: Blob[];
  /** Letters in lines of two or more. */
  paired: Blob[];
  /** As if the page were turned clockwise by 90°. */
  down(): Direction;
}

const MAX_SLOPE = 2_000;
/** Search passes: step, and distance from the best of the last pass, in hundredths of a degree. */
const PASSES = [
  [100, MAX_SLOPE],
  [25, 100],
  [5, 25],
] as const;
const MAX_LETTERS = 4_000;
const MIN_LETTERS = 5;

/** Blobs wider than this, relative to their height, are words. */
const WORD_SHAPE = 1.8;

export function findDirections(letters: Blob[]): Directions {
  const from = Math.max(0, Math.floor((letters.length - MAX_LETTERS) / 2));
  const across = letters.slice(from, from + MAX_LETTERS);
  const down = across.map(quarterTurned);
  const pairsAcross = neighbors(across);
  const pairsDown = neighbors(down);
  const shape = medianShape(across);
  // Blurred letters merge into words, which are wide. Letters are closer to each other than lines.
  const sideways =
    shape > WORD_SHAPE ? false : shape < 1 / WORD_SHAPE ? true : medianGap(pairsDown) < medianGap(pairsAcross);
  const pairs = sideways ? pairsDown : pairsAcross;
  const places = new Map(down.map((letter, index) => [letter, across[index] as Blob]));
  const original = (letter: Blob) => places.get(letter) ?? letter;
  return {
    sideways,
    across: directionOf(across, pairsAcross),
    down: () => directionOf(down, pairsDown),
    lined: linedUp(pairs).map(original),
    paired: [...new Set(pairs.flat())].map(original),
  };
}

function directionOf(letters: Blob[], pairs: Pair[]): Direction {
  const slope = findSlope(letters);
  return { slope, upright: footing(pairs, tangent(slope)), letters: pairs.length };
}

const tangent = (degrees: number) => Math.tan((degrees * Math.PI) / 180);

/** Turns a blob clockwise about the corner. Coordinates may become negative. */
const quarterTurned = ({ left, top, right, bottom, ink }: Blob): Blob => ({
  left: -bottom,
  right: -top,
  top: left,
  bottom: right,
  ink,
});

export type Pair = [Blob, Blob];

/** Pairs each letter with the next one to its right, if similar in height and side by side. */
export function neighbors(letters: Blob[]): Pair[] {
  const sorted = [...letters].sort((one, other) => one.left - other.left);
  const pairs: Pair[] = [];
  for (let index = 0; index < sorted.length; index += 1) {
    const one = sorted[index] as Blob;
    const height = one.bottom - one.top;
    for (let at = index + 1; at < sorted.length; at += 1) {
      const other = sorted[at] as Blob;
      if (other.left - one.right > height * 2) break;
      if (other.left < (one.left + one.right) / 2) continue;
      const shared = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      const lower = Math.min(height, other.bottom - other.top);
      const higher = Math.max(height, other.bottom - other.top);
      if (shared < lower * 0.6 || higher > lower * 2.2) continue;
      pairs.push([one, other]);
      break;
    }
  }
  return pairs;
}

/** Returns letters between two others, together with these. */
export function linedUp(pairs: readonly Pair[]): Blob[] {
  const seconds = new Set(pairs.map(([, other]) => other));
  const middles = new Set(pairs.flatMap(([one]) => (seconds.has(one) ? [one] : [])));
  return [...new Set(pairs.flatMap((pair) => (pair.some((letter) => middles.has(letter)) ? pair : [])))];
}

function medianShape(letters: readonly Blob[]): number {
  const shapes = letters.map(({ left, right, top, bottom }) => (right - left) / (bottom - top)).sort((a, b) => a - b);
  return shapes[Math.floor(shapes.length / 2)] ?? 1;
}

function medianGap(pairs: Pair[]): number {
  if (pairs.length < MIN_LETTERS) return Number.POSITIVE_INFINITY;
  const gaps = pairs.map(([one, other]) => (other.left - one.right) / (one.bottom - one.top)).sort((a, b) => a - b);
  return gaps[Math.floor(gaps.length / 2)] as number;
}

/** Finds the slope at which tops and baselines of letters fall on the fewest rows. */
function findSlope(letters: Blob[]): number {
  if (letters.length < MIN_LETTERS) return 0;
  let best = 0;
  for (const [step, reach] of PASSES) {
    const center = best;
    let most = evenness(letters, tangent(best / 100));
    for (let angle = center - reach; angle <= center + reach; angle += step) {
      const found = evenness(letters, tangent(angle / 100));
      if (found > most) [most, best] = [found, angle];
    }
  }
  return Math.max(-MAX_SLOPE, Math.min(MAX_SLOPE, best)) / 100;
}

/** Scores a slope by how many letters share a baseline or top. */
function evenness(letters: Blob[], slope: number): number {
  const rows = new Map<number, number>();
  for (const { left, right, top, bottom } of letters) {
    const drop = ((left + right) / 2) * slope;
    // Tops use half rows, so they are counted apart from baselines.
    for (const row of [Math.round(bottom - drop), Math.round(top - drop) + 0.5])
      rows.set(row, (rows.get(row) ?? 0) + 1);
  }
  let sum = 0;
  for (const count of rows.values()) sum += count * count;
  return sum;
}

/** Returns whether neighbors of different heights share the baseline (1) or the top (-1). */
function footing(pairs: Pair[], slope: number): number {
  let feet = 0;
  let tops = 0;
  for (const [one, other] of pairs) {
    const drop = ((other.left + other.right - one.left - one.right) / 2) * slope;
    const foot = Math.abs(other.bottom - one.bottom - drop);
    const top = Math.abs(other.top - one.top - drop);
    const height = Math.max(one.bottom - one.top, other.bottom - other.top);
    if (Math.abs(foot - top) < height * 0.12) continue;
    if (foot < top) feet += 1;
    else tops += 1;
  }
  return feet + tops < 10 ? 0 : (feet - tops) / (feet + tops);
}
