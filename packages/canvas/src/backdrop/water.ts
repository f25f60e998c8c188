import { lighten, mix } from '../color.ts';
import { curve, type Point, ridge, under } from '../geometry.ts';
import type { Stage } from '../stage.ts';
import { ellipse, faint, group, line, path, rect, svg, times } from '../svg.ts';
import type { Sky } from './sky.ts';

/**
 * Draws water between two heights: the sky's colors reversed, a reflection, ripples and glitter.
 *
 * @param behind the scenery to reflect
 */
export function drawWater(
  stage: Stage,
  heavens: Sky,
  top: number,
  bottom: number,
  behind: string,
  color: string | null,
): string {
  const { look, frame, random: parent, defs, t, brief } = stage;
  const random = parent.fork('water');
  const { width, margin, u } = frame;
  const [left, wide, tall] = [-margin, width + 2 * margin, bottom - top];
  const base = color ? look.ink(color, 0.1) : mix(look.ink('#2d6f93', 0.05), look.sky[1], 0.32);
  const fill = defs.linear(
    [0, mix(base, look.sky[2], 0.6)],
    [0.28, mix(base, look.sky[1], 0.28)],
    [1, lighten(base, look.night ? -0.35 : -0.22)],
  );
  let drawn = rect(left, top, wide, tall, fill);
  if (behind !== '') {
    const sway = Math.sin(t * 0.8) * 0.4 * u;
    drawn += group(behind, svg`translate(${sway} ${2 * top}) scale(1 -1)`, faint(0.2));
  }
  if (heavens.light) drawn += glitter(stage, heavens.light, top, bottom);
  const rough = brief.weathers.has('storm') ? 2.4 : brief.weathers.has('wind') ? 1.6 : 1;
  const rows = Math.round(Math.min(46, tall / (1.5 * u)));
  const [bright, dark] = [mix(base, look.sky[2], 0.62), lighten(base, -0.28)];
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
      drawn += line(
        svg`M${x - reach} ${y + rise}q${reach * 0.5} ${-lift} ${reach} 0t${reach} 0`,
        (row + dash) % 3 === 0 ? dark : bright,
        (0.12 + near * 0.34) * u,
        faint(0.2 + near * 0.25),
      );
    }
  }
  if (rough > 2) drawn += breakers(stage, top, bottom, base);
  return drawn;
}

/** Glittering light: short strokes that widen toward the viewer. */
function glitter(
  { frame, random: parent, look, t }: Stage,
  light: NonNullable<Sky['light']>,
  top: number,
  bottom: number,
): string {
  const random = parent.fork('glitter');
  const { u } = frame;
  const rows = Math.round(Math.min(60, (bottom - top) / (1.1 * u)));

  return times(rows, (row) => {
    const near = row / rows;
    const y = top + 0.5 * u + near ** 1.25 * (bottom - top);
    const spread = light.r * (0.8 + near * 1.5);
    const reach = light.r * random.between(0.25, 0.9) * (0.5 + near * 0.8);
    const x = light.x + random.between(-0.5, 0.5) * spread * 1.2 + Math.sin(t * 2.1 + row * 1.3) * 0.7 * u;
    const shine = (0.8 - near * 0.5) * (0.75 + 0.25 * Math.sin(t * 3 + row * 2.3));
    return ellipse(x, y, reach, (0.22 + near * 0.4) * u, lighten(look.sun, 0.1), faint(shine));
  });
}

function breakers({ frame, random: parent, t }: Stage, top: number, bottom: number, base: string): string {
  const { width, margin, u } = frame;
  let drawn = '';
  for (let row = 0; row < 4; row += 1) {
    const random = parent.fork(`breaker ${row}`);
    const near = (row + 1) / 4;
    const y = top + near ** 1.4 * (bottom - top) * 0.92;
    const crest = ridge(random, -margin - 20 * u, width + margin + 20 * u, y, (3 + near * 7) * u, 0.3, 4).map(
      ([x, height], index): Point => [
        x + Math.sin(t * 0.9 + row) * 3 * u,
        height + Math.sin(t * 1.3 + index) * 0.8 * u,
      ],
    );
    const color = lighten(base, 0.05 - near * 0.28);
    drawn +=
      path(under(crest, y + 12 * u, true), color, faint(0.85)) +
      line(curve(crest), lighten(base, 0.72), 0.5 * near * u + 0.15 * u, faint(0.8));
  }
  return drawn;
}

export function drawBeach(stage: Stage, shore: number): string {
  const { frame, look, random: parent, t, brief } = stage;
  const random = parent.fork('beach');
  const { width, height, margin, u } = frame;
  const sand = look.ink(brief.places.get('beach') ?? '#ecd6a2', 0);
  const swell = Math.sin(t * 0.7) * 0.9 * u;
  const edge = (dy: number): Point[] =>
    [0, 0.2, 0.42, 0.63, 0.82, 1].map(
      (at, index): Point => [
        -margin + at * (width + 2 * margin),
        shore + dy + Math.sin(index * 1.9 + 0.6) * 2.1 * u + at * look.side * -3 * u,
      ],
    );

  return (
    path(under(edge(swell - 1.6 * u), height, true), lighten(look.sky[2], 0.6), faint(0.55)) +
    path(under(edge(swell), height, true), '#ffffff', faint(0.85)) +
    path(under(edge(swell + 0.9 * u), height, true), lighten(sand, -0.2)) +
    path(under(edge(4.6 * u), height, true), sand) +
    times(40, () => {
      const y = shore + 7 * u + random.next() * (height - shore - 7 * u);
      return ellipse(
        random.between(0, width),
        y,
        random.between(0.15, 0.5) * u,
        0.16 * u,
        lighten(sand, random.chance(0.5) ? -0.22 : 0.3),
        faint(0.6),
      );
    })
  );
}

/** A river, road or path that winds from the horizon to the viewer. */
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
    const d = svg`${curve(side(-1, share))}L${back[0]?.[0] ?? 0} ${back[0]?.[1] ?? 0}${curve(back)
      .slice(1)
      .replace(/^[^C]*/, '')}Z`;
    return path(d, fill, more);
  };
  if (kind === 'river') {
    const water = color ? look.ink(color, 0.05) : mix(look.ink('#3d8fb0', 0.05), look.sky[1], 0.4);

    return (
      band(1.12, look.ink('#8a7a55', 0.1), faint(0.7)) +
      band(1, water) +
      band(0.55, mix(water, look.sky[2], 0.45), faint(0.55)) +
      times(16, () => {
        const at = (random.next() * 0.9 + 0.08 + t * 0.02) % 1;
        const [x, y] = middle(at);
        const reach = (0.5 * u + wide * at ** 1.7) * random.between(0.2, 0.6);
        const off = random.between(-0.5, 0.5) * wide * at ** 1.7;
        return line(
          svg`M${x + off - reach} ${y}q${reach} ${-0.6 * u * at} ${reach * 2} 0`,
          lighten(water, 0.5),
          (0.15 + at * 0.3) * u,
          faint(0.6),
        );
      })
    );
  }
  if (kind === 'path')
    return band(1.08, look.ink('#8d7449', 0), faint(0.55)) + band(1, look.ink(color ?? '#d9bd8a', 0.05));
  const asphalt = look.ink(color ?? '#5b5d66', 0.05);
  const dashes = Array.from({ length: 11 }, (_, index) => {
    const at = ((index + 0.3 + ((t * 0.35) % 1)) / 11) ** 1.25;
    const [x, y] = middle(at);
    const [x2, y2] = middle(Math.min(1, at + 0.05 * (0.4 + at)));
    return line(svg`M${x} ${y}L${x2} ${y2}`, look.ink('#f3e6b0', 0), (0.1 + at ** 1.6 * 1.1) * u);
  });
  return [band(1.1, look.ink('#cfc7b5', 0.05)), band(1, asphalt), ...dashes].join('');
}
