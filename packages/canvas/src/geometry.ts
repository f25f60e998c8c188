import type { Random } from './random.ts';
import { svg } from './svg.ts';

export type Point = readonly [x: number, y: number];

export function points(values: readonly number[]): Point[] {
  return Array.from({ length: values.length / 2 }, (_, at) => [values[at * 2] ?? 0, values[at * 2 + 1] ?? 0]);
}

/** Groups numbers into discs: a center and a radius each. */
export function discs(values: readonly number[]): [x: number, y: number, r: number][] {
  const at = (index: number) => values[index] ?? 0;
  return Array.from({ length: values.length / 3 }, (_, disc) => [at(disc * 3), at(disc * 3 + 1), at(disc * 3 + 2)]);
}

export function polygon(points: readonly Point[]): string {
  return `M${points.map(([x, y]) => svg`${x} ${y}`).join('L')}Z`;
}

export function curve(points: readonly Point[], tension = 1): string {
  const [first] = points as [Point];
  let path = svg`M${first[0]} ${first[1]}`;
  for (let at = 0; at < points.length - 1; at += 1) {
    const [a, b, c, d] = [
      points[at - 1] ?? points[at],
      points[at],
      points[at + 1],
      points[at + 2] ?? points[at + 1],
    ] as [Point, Point, Point, Point];
    const k = tension / 6;
    path += svg`C${b[0] + (c[0] - a[0]) * k} ${b[1] + (c[1] - a[1]) * k} ${c[0] - (d[0] - b[0]) * k} ${c[1] - (d[1] - b[1]) * k} ${c[0]} ${c[1]}`;
  }
  return path;
}

/** A smooth closed shape around a center, with irregularities as a share of its radius. */
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
  let path = svg`M${at(0)[0]} ${at(0)[1]}`;
  for (let index = 0; index < count; index += 1) {
    const [a, b, c, d] = [at(index - 1), at(index), at(index + 1), at(index + 2)];
    path += svg`C${b[0] + (c[0] - a[0]) / 6} ${b[1] + (c[1] - a[1]) / 6} ${c[0] - (d[0] - b[0]) / 6} ${c[1] - (d[1] - b[1]) / 6} ${c[0]} ${c[1]}`;
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
 * A skyline of rock or earth by midpoint displacement.
 *
 * @param rough displacement as a share of the height: 0.5 is rugged, 0.3 soft
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

/** The area below a line, down to `bottom`. */
export function under(points: readonly Point[], bottom: number, smooth = false): string {
  const [first, last] = [points[0] as Point, points.at(-1) as Point];
  const line = smooth ? curve(points) : `M${points.map(([x, y]) => svg`${x} ${y}`).join('L')}`;
  return svg`${line}L${last[0]} ${bottom}L${first[0]} ${bottom}Z`;
}

/** Interpolates a line's height. */
export function heightAt(points: readonly Point[], x: number): number {
  const after = points.findIndex(([at]) => at >= x);
  const right = points[after === -1 ? points.length - 1 : after] as Point;
  const left = points[Math.max(0, (after === -1 ? points.length : after) - 1)] as Point;
  const span = right[0] - left[0];
  return span === 0 ? right[1] : left[1] + ((right[1] - left[1]) * (x - left[0])) / span;
}
