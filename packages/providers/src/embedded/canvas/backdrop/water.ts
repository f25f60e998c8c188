import { lighter, mix } from '../color.ts';
import { curve, n, type Point, ridge, under } from '../geometry.ts';
import { ellipse, faint, group, line, path, rect, type Stage } from '../stage.ts';
import type { Heavens } from './sky.ts';

/**
 * Water from one height down to another: the sky's colours upside down, what stands behind it mirrored, ripples, and the path of light.
 * @param behind what is mirrored, drawn above the water
 */
export function drawWater(
  stage: Stage,
  heavens: Heavens,
  top: number,
  bottom: number,
  behind: string,
  color: string | null,
): string {
  const { look, frame, random: parent, defs, t, brief } = stage;
  const random = parent.fork('water');
  const { width, over, u } = frame;
  const [left, wide, tall] = [-over, width + 2 * over, bottom - top];
  const base = color ? look.ink(color, 0.1) : mix(look.ink('#2d6f93', 0.05), look.sky[1], 0.32);
  const fill = defs.linear([
    [0, mix(base, look.sky[2], 0.6)],
    [0.28, mix(base, look.sky[1], 0.28)],
    [1, lighter(base, look.night ? -0.35 : -0.22)],
  ]);
  const parts = [rect(left, top, wide, tall, fill)];
  if (behind !== '') {
    const sway = Math.sin(t * 0.8) * 0.4 * u;
    parts.push(group(behind, `translate(${n(sway)} ${n(2 * top)}) scale(1 -1)`, faint(0.2)));
  }
  if (heavens.light) parts.push(glitter(stage, heavens.light, top, bottom));
  const rough = brief.weathers.has('storm') ? 2.4 : brief.weathers.has('wind') ? 1.6 : 1;
  const rows = Math.round(Math.min(46, tall / (1.5 * u)));
  const [bright, dark] = [mix(base, look.sky[2], 0.62), lighter(base, -0.28)];
  for (let row = 0; row < rows; row += 1) {
    const near = (row / rows) ** 1.5;
    const y = top + (0.4 * u + near * tall);
    const size = (1.5 + near * 12) * u;
    const drift = t * (0.5 + near * 2.2) * u * (row % 2 === 0 ? 1 : -0.7);
    for (let dash = 0; dash < 3; dash += 1) {
      const x = ((((random.next() * wide + drift) % wide) + wide) % wide) + left;
      const lift = near * 1.1 * u * rough;
      const reach = size * random.between(0.5, 1.5);
      const rise = Math.sin(t * 1.4 + row + dash) * 0.25 * lift;
      parts.push(
        line(
          `M${n(x - reach)} ${n(y + rise)}q${n(reach * 0.5)} ${n(-lift)} ${n(reach)} 0t${n(reach)} 0`,
          (row + dash) % 3 === 0 ? dark : bright,
          (0.12 + near * 0.34) * u,
          faint(0.2 + near * 0.25),
        ),
      );
    }
  }
  if (rough > 2) parts.push(breakers(stage, top, bottom, base));
  return parts.join('');
}

/** The light's own path on the water: short strokes that widen towards us. */
function glitter(
  { frame, random: parent, look, t }: Stage,
  light: NonNullable<Heavens['light']>,
  top: number,
  bottom: number,
): string {
  const random = parent.fork('glitter');
  const { u } = frame;
  const rows = Math.round(Math.min(60, (bottom - top) / (1.1 * u)));
  const parts: string[] = [];
  for (let row = 0; row < rows; row += 1) {
    const near = row / rows;
    const y = top + 0.5 * u + near ** 1.25 * (bottom - top);
    const spread = light.r * (0.8 + near * 1.5);
    const reach = light.r * random.between(0.25, 0.9) * (0.5 + near * 0.8);
    const x = light.x + random.between(-0.5, 0.5) * spread * 1.2 + Math.sin(t * 2.1 + row * 1.3) * 0.7 * u;
    const shine = (0.8 - near * 0.5) * (0.75 + 0.25 * Math.sin(t * 3 + row * 2.3));
    parts.push(ellipse(x, y, reach, (0.22 + near * 0.4) * u, lighter(look.sun, 0.1), faint(shine)));
  }
  return parts.join('');
}

function breakers({ frame, random: parent, t }: Stage, top: number, bottom: number, base: string): string {
  const { width, over, u } = frame;
  const parts: string[] = [];
  for (let row = 0; row < 4; row += 1) {
    const random = parent.fork(`breaker ${row}`);
    const near = (row + 1) / 4;
    const y = top + near ** 1.4 * (bottom - top) * 0.92;
    const crest = ridge(random, -over - 20 * u, width + over + 20 * u, y, (3 + near * 7) * u, 0.3, 4).map(
      ([x, height], index): Point => [
        x + Math.sin(t * 0.9 + row) * 3 * u,
        height + Math.sin(t * 1.3 + index) * 0.8 * u,
      ],
    );
    const color = lighter(base, 0.05 - near * 0.28);
    parts.push(
      path(under(crest, y + 12 * u, true), color, faint(0.85)),
      line(curve(crest), lighter(base, 0.72), 0.5 * near * u + 0.15 * u, faint(0.8)),
    );
  }
  return parts.join('');
}

/** A beach at the bottom, wet where the last wave has been. */
export function drawBeach(stage: Stage, shore: number): string {
  const { frame, look, random: parent, t, brief } = stage;
  const random = parent.fork('beach');
  const { width, height, over, u } = frame;
  const sand = look.ink(brief.places.get('beach') ?? '#ecd6a2', 0);
  const swell = Math.sin(t * 0.7) * 0.9 * u;
  const edge = (dy: number): Point[] =>
    [0, 0.2, 0.42, 0.63, 0.82, 1].map(
      (at, index): Point => [
        -over + at * (width + 2 * over),
        shore + dy + Math.sin(index * 1.9 + 0.6) * 2.1 * u + at * look.side * -3 * u,
      ],
    );
  const parts = [
    path(under(edge(swell - 1.6 * u), height, true), lighter(look.sky[2], 0.6), faint(0.55)),
    path(under(edge(swell), height, true), '#ffffff', faint(0.85)),
    path(under(edge(swell + 0.9 * u), height, true), lighter(sand, -0.2)),
    path(under(edge(4.6 * u), height, true), sand),
  ];
  for (let grain = 0; grain < 40; grain += 1) {
    const y = shore + 7 * u + random.next() * (height - shore - 7 * u);
    parts.push(
      ellipse(
        random.between(0, width),
        y,
        random.between(0.15, 0.5) * u,
        0.16 * u,
        lighter(sand, random.chance(0.5) ? -0.22 : 0.3),
        faint(0.6),
      ),
    );
  }
  return parts.join('');
}

/** A river, or with `road` a road, that winds from the horizon towards us. */
export function drawWinding(stage: Stage, top: number, kind: 'river' | 'road' | 'path', color: string | null): string {
  const { frame, look, random: parent, t } = stage;
  const random = parent.fork(kind);
  const { width, height, u } = frame;
  const [from, to] = [width * random.between(0.42, 0.58), width * random.between(0.36, 0.64)];
  const bend = (random.chance(0.5) ? 1 : -1) * width * random.between(0.08, 0.2);
  const wide = (kind === 'path' ? 13 : 24) * u;
  const middle = (at: number): Point => {
    const y = top + (height - top) * at ** 1.35;
    return [from + (to - from) * at + Math.sin(at * Math.PI * 2.1) * bend * (0.25 + at), y];
  };
  const steps = 14;
  const side = (sign: number, share: number): Point[] =>
    Array.from({ length: steps + 1 }, (_, step): Point => {
      const at = step / steps;
      const [x, y] = middle(at);
      return [x + sign * share * (0.5 * u + wide * at ** 1.7), y];
    });
  const band = (share: number, fill: string, more = '') => {
    const back = side(1, share).reverse();
    const d = `${curve(side(-1, share))}L${n(back[0]?.[0] ?? 0)} ${n(back[0]?.[1] ?? 0)}${curve(back)
      .slice(1)
      .replace(/^[^C]*/, '')}Z`;
    return path(d, fill, more);
  };
  if (kind === 'river') {
    const water = color ? look.ink(color, 0.05) : mix(look.ink('#3d8fb0', 0.05), look.sky[1], 0.4);
    const parts = [
      band(1.12, look.ink('#8a7a55', 0.1), faint(0.7)),
      band(1, water),
      band(0.55, mix(water, look.sky[2], 0.45), faint(0.55)),
    ];
    for (let ripple = 0; ripple < 16; ripple += 1) {
      const at = (random.next() * 0.9 + 0.08 + t * 0.02) % 1;
      const [x, y] = middle(at);
      const reach = (0.5 * u + wide * at ** 1.7) * random.between(0.2, 0.6);
      const off = random.between(-0.5, 0.5) * wide * at ** 1.7;
      parts.push(
        line(
          `M${n(x + off - reach)} ${n(y)}q${n(reach)} ${n(-0.6 * u * at)} ${n(reach * 2)} 0`,
          lighter(water, 0.5),
          (0.15 + at * 0.3) * u,
          faint(0.6),
        ),
      );
    }
    return parts.join('');
  }
  if (kind === 'path')
    return band(1.08, look.ink('#8d7449', 0), faint(0.55)) + band(1, look.ink(color ?? '#d9bd8a', 0.05));
  const asphalt = look.ink(color ?? '#5b5d66', 0.05);
  const dashes = Array.from({ length: 11 }, (_, index) => {
    const at = ((index + 0.3 + ((t * 0.35) % 1)) / 11) ** 1.25;
    const [x, y] = middle(at);
    const [x2, y2] = middle(Math.min(1, at + 0.05 * (0.4 + at)));
    return line(`M${n(x)} ${n(y)}L${n(x2)} ${n(y2)}`, look.ink('#f3e6b0', 0), (0.1 + at ** 1.6 * 1.1) * u);
  });
  return [band(1.1, look.ink('#cfc7b5', 0.05)), band(1, asphalt), ...dashes].join('');
}
