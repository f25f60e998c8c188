import type { Size } from '@chorus/contract';

export type AspectRatio = `${number}:${number}`;

/** Ratios that differ by less than this share count as equal. */
const TOLERANCE = 0.01;

/** Returns the offered ratio nearest to a size, and whether it is exact. */
export function nearestRatio(
  { width, height }: Size,
  offered: readonly AspectRatio[],
): { ratio: AspectRatio; exact: boolean } {
  const wanted = Math.log(width / height);
  const distance = (ratio: AspectRatio) => {
    const [across = 1, down = 1] = ratio.split(':').map(Number);
    return Math.abs(Math.log(across / down) - wanted);
  };
  const ratio = offered.reduce((best, one) => (distance(one) < distance(best) ? one : best));
  return { ratio, exact: distance(ratio) < TOLERANCE };
}
