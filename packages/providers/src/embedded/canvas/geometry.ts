import type { Random } from './random.ts';

export type Point = readonly [x: number, y: number];

/** A coordinate as it is written: a tenth of a pixel is finer than the eye. */
export function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}

export function polygon(points: readonly Point[]): string {
  return `M${points.map(([x, y]) => `${n(x)} ${n(y)}`).join('L')}Z`;
}

/** An open curve that goes smoothly through all points (Catmull–Rom). */
export function curve(points: readonly Point[], tension = 1): string {
  const [first] = points as [Point];
  let path = `M${n(first[0])} ${n(first[1])}`;
  for (let at = 0; at < points.length - 1; at += 1) {
    const [a, b, c, d] = [
      points[at - 1] ?? points[at],
      points[at],
      points[at + 1],
      points[at + 2] ?? points[at + 1],
    ] as [Point, Point, Point, Point];
    const k = tension / 6;
    path += `C${n(b[0] + (c[0] - a[0]) * k)} ${n(b[1] + (c[1] - a[1]) * k)} ${n(c[0] - (d[0] - b[0]) * k)} ${n(c[1] - (d[1] - b[1]) * k)} ${n(c[0])} ${n(c[1])}`;
  }
  return path;
}

/** A closed smooth shape around a centre, uneven by a part of its radius. */
export function blob(random: Random, [x, y]: Point, rx: number, ry: number, uneven = 0.15, corners = 9): string {
  const points = Array.from({ length: corners }, (_, index): Point => {
    const angle = (index / corners) * 2 * Math.PI;
    const reach = 1 + random.between(-uneven, uneven);
    return [x + Math.cos(angle) * rx * reach, y + Math.sin(angle) * ry * reach];
  });
  return closedCurve(points);
}

export function closedCurve(points: readonly Point[]): string {
  const count = points.length;
  const at = (index: number) => points[(index + count) % count] as Point;
  let path = `M${n(at(0)[0])} ${n(at(0)[1])}`;
  for (let index = 0; index < count; index += 1) {
    const [a, b, c, d] = [at(index - 1), at(index), at(index + 1), at(index + 2)];
    path += `C${n(b[0] + (c[0] - a[0]) / 6)} ${n(b[1] + (c[1] - a[1]) / 6)} ${n(c[0] - (d[0] - b[0]) / 6)} ${n(c[1] - (d[1] - b[1]) / 6)} ${n(c[0])} ${n(c[1])}`;
  }
  return `${path}Z`;
}

export function star([x, y]: Point, outer: number, inner: number, rays: number, turn = -Math.PI / 2): string {
  const points = Array.from({ length: rays * 2 }, (_, index): Point => {
    const reach = index % 2 === 0 ? outer : inner;
    const angle = turn + (index * Math.PI) / rays;
    return [x + Math.cos(angle) * reach, y + Math.sin(angle) * reach];
  });
  return polygon(points);
}

/**
 * A skyline of rock or earth from left to right: halved again and again, each new point off by less (midpoint displacement).
 * @param rough how much of the height is left to chance at each halving: 0.5 is rugged, 0.3 soft
 */
export function ridge(
  random: Random,
  from: number,
  to: number,
  base: number,
  height: number,
  rough: number,
  rounds = 6,
): Point[] {
  let heights = [random.between(0.2, 0.8), random.between(0.2, 0.8), random.between(0.2, 0.8)];
  let reach = rough;
  for (let round = 0; round < rounds; round += 1) {
    const next: number[] = [];
    heights.forEach((value, index) => {
      next.push(value);
      const right = heights[index + 1];
      if (right !== undefined) next.push((value + right) / 2 + random.between(-reach, reach));
    });
    heights = next;
    reach *= 0.52;
  }
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  return heights.map(
    (value, index): Point => [
      from + ((to - from) * index) / (heights.length - 1),
      base - (height * (value - low)) / Math.max(0.001, high - low),
    ],
  );
}

/** The area under a line, down to `bottom`. */
export function under(points: readonly Point[], bottom: number, smooth = false): string {
  const [first, last] = [points[0] as Point, points.at(-1) as Point];
  const line = smooth ? curve(points) : `M${points.map(([x, y]) => `${n(x)} ${n(y)}`).join('L')}`;
  return `${line}L${n(last[0])} ${n(bottom)}L${n(first[0])} ${n(bottom)}Z`;
}

/** How high a line stands at one place, between its points. */
export function heightAt(points: readonly Point[], x: number): number {
  const after = points.findIndex(([at]) => at >= x);
  const right = points[after === -1 ? points.length - 1 : after] as Point;
  const left = points[Math.max(0, (after === -1 ? points.length : after) - 1)] as Point;
  const span = right[0] - left[0];
  return span === 0 ? right[1] : left[1] + ((right[1] - left[1]) * (x - left[0])) / span;
}
