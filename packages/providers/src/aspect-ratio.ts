import type { Size } from '@chorus/contract';

export type AspectRatio = `${number}:${number}`;

/** A ratio that is off by less than this part is taken for the same. */
const SAME = 0.01;

/** Of some aspect ratios that a model offers, the one nearest to a size, and whether it is that of the size. */
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
  return { ratio, exact: distance(ratio) < SAME };
}
