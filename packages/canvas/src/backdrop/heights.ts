import { lighten, mix } from '../color.ts';
import { blob, closedCurve, curve, heightAt, type Point, polygon, ridge, under } from '../geometry.ts';
import type { Random } from '../random.ts';
import type { Stage } from '../stage.ts';
import { circle, faint, line, path, svg, times } from '../svg.ts';

export function drawRidges(stage: Stage, rows: number, rough: number, base = '#56707c'): string {
  const { frame, random: parent, look } = stage;
  const { width, horizon, margin, u } = frame;
  return times(rows, (row) => {
    const random = parent.fork(`ridge ${row}`);
    const far = 1 - row / (rows + 0.6);
    const tall = (9 + row * 2 + random.between(0, 7)) * u * (rough > 0.3 ? 1.5 : 0.9);
    const points = ridge(random, -margin, width + margin, horizon + u, tall, rough, rough > 0.3 ? 6 : 4);
    return path(under(points, horizon + 6 * u, rough < 0.3), look.ink(base, 0.35 + far * 0.5));
  });
}

export function drawPeaks(stage: Stage): string {
  const { frame, random: parent, look, brief } = stage;
  const random = parent.fork('peaks');
  const { width, horizon, margin, u } = frame;
  const own = brief.places.get('mountain');
  const snow = brief.season !== 'summer' || random.chance(0.5);
  let drawn = drawRidges(stage, 2, 0.42, own ?? '#6a7b92');
  for (const [row, far] of [
    [0, 0.55],
    [1, 0.3],
  ] as const) {
    const rock = own ?? random.pick(['#6d7485', '#7a6f78', '#64727c']);
    const count = row === 0 ? 5 : 4;
    const peaks = Array.from({ length: count }, (_, index) => {
      const at = (index + random.between(0.25, 0.75)) / count;
      const tall = (row === 0 ? random.between(0.42, 0.66) : random.between(0.2, 0.42)) * horizon;
      return { x: -margin + at * (width + 2 * margin), tall, wide: tall * random.between(1.15, 1.7) };
    });
    if (row === 0) {
      // One peak is higher.
      const first = peaks[random.whole(1, 3)];
      if (first)
        Object.assign(first, { tall: horizon * random.between(0.66, 0.82), wide: horizon * random.between(0.85, 1.1) });
    }
    peaks.sort((one, other) => other.tall - one.tall);
    for (const { x, tall, wide } of peaks)
      drawn += peak(stage, random, [x, horizon + 2 * u], wide, tall, look.ink(rock, far), snow && tall > 0.3 * horizon);
  }
  return drawn;
}

function peak(
  { look, frame }: Stage,
  random: Random,
  [x, base]: Point,
  wide: number,
  tall: number,
  rock: string,
  snow: boolean,
): string {
  const { u } = frame;
  const [left, right, top] = [x - wide / 2, x + wide / 2, base - tall];
  const jag = (from: Point, to: Point, by: number, steps: number): Point[] =>
    Array.from({ length: steps - 1 }, (_, index): Point => {
      const at = (index + 1) / steps;
      return [
        from[0] + (to[0] - from[0]) * at + random.between(-by, by) * 0.6,
        from[1] + (to[1] - from[1]) * at + random.between(-by, by),
      ];
    });
  const apex: Point = [x, top];
  const leftEdge = jag([left, base], apex, tall * 0.035, 7);
  const rightEdge = jag(apex, [right, base], tall * 0.035, 7);
  const spine = jag(apex, [x - look.side * wide * 0.08, base], tall * 0.05, 6);
  const outline: Point[] = [[left, base], ...leftEdge, apex, ...rightEdge, [right, base]];
  // The side away from the light.
  const dark: Point[] =
    look.side > 0
      ? [[left, base], ...leftEdge, apex, ...spine, [x - wide * 0.08, base]]
      : [apex, ...rightEdge, [right, base], [x + wide * 0.08, base], ...[...spine].reverse()];
  let drawn = path(polygon(outline), lighten(rock, 0.16)) + path(polygon(dark), lighten(rock, -0.2));
  if (snow) {
    const depth = random.between(0.3, 0.44);
    const cut = (edge: Point[], reversed: boolean) => {
      const points = reversed ? [...edge].reverse() : edge;
      return points.filter(([, y]) => y < top + tall * depth);
    };
    const low = top + tall * depth;
    const teeth: Point[] = [];
    const halfWide = (wide / 2) * depth;
    for (let tooth = 0; tooth <= 6; tooth += 1) {
      const tx = x + halfWide * 0.86 - (tooth / 6) * halfWide * 1.72;
      teeth.push([
        tx,
        low - random.between(tooth % 2 === 0 ? 0.06 : 0.16, tooth % 2 === 0 ? 0.14 : 0.26) * tall * depth,
      ]);
    }
    const cap: Point[] = [...cut(leftEdge, false), apex, ...cut(rightEdge, false), ...teeth];
    const white = look.ink('#f6f8fb', 0.12);
    drawn += path(polygon(cap), white);
    const shade = look.side > 0 ? cap.filter(([px]) => px <= x + 0.1) : cap.filter(([px]) => px >= x - 0.1);
    if (shade.length > 2)
      drawn += path(
        polygon([...shade, [x - look.side * 0.4 * u, low - tall * depth * 0.28]]),
        mix(white, look.sky[0], 0.34),
      );
  }
  return drawn;
}

export function drawVolcano(stage: Stage): string {
  const { frame, random: parent, look, defs, t } = stage;
  const random = parent.fork('volcano');
  const { width, horizon, u } = frame;
  const [x, base, tall] = [width * random.between(0.4, 0.6), horizon + 3 * u, horizon * 0.6];
  const [wide, mouth] = [tall * 1.9, tall * 0.17];
  const rock = look.ink('#4d4147', 0.18);
  const side = (sign: number) => svg`Q${x + sign * mouth * 1.5} ${base - tall * 0.5} ${x + (sign * wide) / 2} ${base}`;
  const cone = svg`M${x - mouth} ${base - tall}Q${x} ${base - tall + mouth * 0.5} ${x + mouth} ${base - tall}${side(1)}L${x - wide / 2} ${base}Q${x - mouth * 1.5} ${base - tall * 0.5} ${x - mouth} ${base - tall}Z`;
  const lava = look.glow('#ff6a2b');
  let drawn = drawRidges(stage, 2, 0.4);
  for (let puff = 0; puff < 9; puff += 1) {
    const rise = ((puff / 9 + t * 0.04) % 1) * tall * 0.62;
    const r = mouth * (0.7 + (rise / tall) * 3) * random.between(0.85, 1.2);
    drawn += circle(
      x + Math.sin(puff * 2.1 + t * 0.3) * r * 0.7 - rise * 0.25 * look.side,
      base - tall - rise,
      r,
      mix(look.ink('#6b6468', 0.3), lava, Math.max(0, 0.35 - rise / tall)),
      faint(0.75 - (rise / tall) * 0.9),
    );
  }
  drawn += circle(x, base - tall, mouth * 3.2, defs.radial([0, lava, 0.75], [1, lava, 0])) + path(cone, rock);
  drawn += path(
    svg`M${x} ${base - tall}L${x + look.side * mouth} ${base - tall}${side(look.side)}L${x} ${base}Z`,
    lighten(rock, 0.14),
  );
  for (let stream = 0; stream < 4; stream += 1) {
    const start = x + (stream - 1.5) * mouth * 0.45;
    const points = Array.from(
      { length: 5 },
      (_, step): Point => [
        start + (start - x) * step * 0.75 + random.between(-2, 2) * u,
        base - tall + step * tall * random.between(0.1, 0.15),
      ],
    );
    drawn += line(curve(points), lava, 1.3 * u) + line(curve(points), '#ffd166', 0.45 * u);
  }
  return drawn;
}

export function drawDunes(stage: Stage): string {
  const { frame, random: parent, look, brief } = stage;
  const { width, height, horizon, margin, u } = frame;
  const sand = brief.places.get('desert') ?? '#dfb273';
  let drawn = '';
  for (let row = 0; row < 4; row += 1) {
    const random = parent.fork(`dune ${row}`);
    const near = row / 3;
    const base = horizon + (height - horizon) * (0.02 + near * 0.5);
    const tall = (5 + near * 9) * u;
    const crest = ridge(random, -margin, width + margin, base + tall * 0.4, tall, 0.22, 3);
    const color = look.ink(sand, 0.5 * (1 - near));
    drawn += path(under(crest, height, true), lighten(color, 0.06));
    for (const at of [random.between(0.15, 0.4), random.between(0.55, 0.85)]) {
      const [cx, cy] = [width * at, heightAt(crest, width * at)];
      const [reach, drop] = [random.between(16, 34) * u, (height - base) * 0.62];
      const slope = svg`M${cx} ${cy - 0.1 * u}C${cx - look.side * reach * 0.2} ${cy + drop * 0.3} ${cx + look.side * reach * 0.3} ${cy + drop * 0.6} ${cx - look.side * reach * 0.2} ${cy + drop}L${cx - look.side * reach * 1.7} ${cy + drop}C${cx - look.side * reach * 1.1} ${cy + drop * 0.5} ${cx - look.side * reach * 0.7} ${cy + tall * 0.5} ${cx} ${cy - 0.1 * u}Z`;
      drawn += path(slope, lighten(color, -0.14), faint(0.75));
    }
    if (near > 0.5) {
      for (let ripple = 0; ripple < 12; ripple += 1) {
        const [x, y] = [random.between(0, width), base + random.between(0.3, 1) * (height - base)];
        drawn += line(svg`M${x} ${y}q${4 * u} ${-1.2 * u} ${9 * u} 0`, lighten(color, -0.12), 0.25 * u, faint(0.5));
      }
    }
  }
  return drawn;
}

export function drawIsland(stage: Stage): string {
  const { frame, random: parent, look } = stage;
  const random = parent.fork('island');
  const { width, height, horizon, u } = frame;
  const [x, y, r] = [
    width * random.between(0.42, 0.6),
    horizon + (height - horizon) * 0.2,
    Math.min(width * 0.3, 34 * u),
  ];
  const hill: Point[] = [
    [x - r, y],
    [x - r * 0.5, y - r * 0.22],
    [x - r * 0.1, y - r * 0.36],
    [x + r * 0.45, y - r * 0.2],
    [x + r, y],
    [x, y + r * 0.07],
  ];
  return [
    path(blob(random, [x, y + 1.2 * u], r * 1.22, r * 0.13, 0.06), look.ink('#ead7a4', 0.12)),
    path(closedCurve(hill), look.ink('#5d8f4e', 0.15)),
    path(
      closedCurve(hill.map(([px, py]): Point => [x - look.side * r * 0.12 + (px - x) * 0.7, y + (py - y) * 0.75])),
      look.ink('#4a7a45', 0.15),
    ),
  ].join('');
}
