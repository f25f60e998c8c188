import type { Blob } from './find-blobs.ts';

/** How the text of a page runs. */
export interface Direction {
  /** Whether its lines run up or down the page, rather than across. */
  sideways: boolean;
  /** Degrees clockwise that its lines slope, once it was turned by 90 clockwise if it is sideways. */
  slope: number;
  /**
   * How sure it is that the lines are then the right way up: -1 (upside down) to 1. Neighbours of different heights share their foot
   * more often than their top, since more letters reach up than down.
   */
  upright: number;
  /** Letters that have a neighbour: how much this was told from. */
  letters: number;
}

/** The steepest slope that is looked for, in hundredths of a degree. */
const MAX_SLOPE = 2_000;
/** Passes of the search: steps, and how far around the best of the last pass, in hundredths of a degree. */
const PASSES = [
  [100, MAX_SLOPE],
  [25, 100],
  [5, 25],
] as const;
/** More letters than these tell no more. */
const MAX_LETTERS = 4_000;
/** Fewer tell nothing. */
const MIN_LETTERS = 5;

/** How many times as wide as high blobs are that are no letters, but words. */
const LONG = 1.8;

export function findDirection(letters: Blob[]): Direction {
  const from = Math.max(0, Math.floor((letters.length - MAX_LETTERS) / 2));
  const across = letters.slice(from, from + MAX_LETTERS);
  const down = across.map(quarterTurned);
  const pairsAcross = neighbours(across);
  const pairsDown = neighbours(down);
  const shape = usualShape(across);
  // Blurred letters run into words, which are long; letters stand closer to each other than their lines.
  const sideways = shape > LONG ? false : shape < 1 / LONG ? true : usualGap(pairsDown) < usualGap(pairsAcross);
  const [upright, pairs] = sideways ? [down, pairsDown] : [across, pairsAcross];
  const slope = findSlope(upright);
  return { sideways, slope, upright: footing(pairs, tangent(slope)), letters: pairs.length };
}

const tangent = (degrees: number) => Math.tan((degrees * Math.PI) / 180);

/** Turned clockwise by 90 degrees about the corner; coordinates may be negative. */
const quarterTurned = ({ left, top, right, bottom, ink }: Blob): Blob => ({
  left: -bottom,
  right: -top,
  top: left,
  bottom: right,
  ink,
});

type Pair = [Blob, Blob];

/** Each letter with the next one to its right, where they are of about one height and side by side. */
function neighbours(letters: Blob[]): Pair[] {
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

/** Width by height. */
function usualShape(letters: readonly Blob[]): number {
  const shapes = letters.map(({ left, right, top, bottom }) => (right - left) / (bottom - top)).sort((a, b) => a - b);
  return shapes[Math.floor(shapes.length / 2)] ?? 1;
}

/** The median gap between neighbours, measured in their heights; beyond all measure where there are next to none. */
function usualGap(pairs: Pair[]): number {
  if (pairs.length < MIN_LETTERS) return Number.POSITIVE_INFINITY;
  const gaps = pairs.map(([one, other]) => (other.left - one.right) / (one.bottom - one.top)).sort((a, b) => a - b);
  return gaps[Math.floor(gaps.length / 2)] as number;
}

/** Degrees by which the rows of letters slope: seen along that angle, their tops and feet fall on the fewest rows. */
function findSlope(letters: Blob[]): number {
  if (letters.length < MIN_LETTERS) return 0;
  let best = 0;
  for (const [step, reach] of PASSES) {
    const centre = best;
    let most = evenness(letters, tangent(best / 100));
    for (let angle = centre - reach; angle <= centre + reach; angle += step) {
      const found = evenness(letters, tangent(angle / 100));
      if (found > most) [most, best] = [found, angle];
    }
  }
  return Math.max(-MAX_SLOPE, Math.min(MAX_SLOPE, best)) / 100;
}

/** Grows with the number of letters that stand on one row, or reach up to one, when rows slope so. */
function evenness(letters: Blob[], slope: number): number {
  const rows = new Map<number, number>();
  for (const { left, right, top, bottom } of letters) {
    const drop = ((left + right) / 2) * slope;
    // Tops fall between the rows of feet, so that the two are counted apart.
    for (const row of [Math.round(bottom - drop), Math.round(top - drop) + 0.5])
      rows.set(row, (rows.get(row) ?? 0) + 1);
  }
  let sum = 0;
  for (const count of rows.values()) sum += count * count;
  return sum;
}

/** Of the neighbours that differ in height: whether all share the foot (1) or the top (-1). */
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
