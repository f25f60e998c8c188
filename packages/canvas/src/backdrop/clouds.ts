import { lighten, mix } from '../color.ts';
import { blob } from '../geometry.ts';
import type { Stage } from '../stage.ts';
import { faint, group, line, path, svg, times } from '../svg.ts';

/** Draws heaped clouds by day, and streaks when the sun is low. */
export function drawClouds(stage: Stage): string {
  const { brief, look, frame, random: parent, t } = stage;
  const random = parent.fork('clouds');
  const { width, horizon, margin, u } = frame;
  const spec = brief.lights.get('cloud');
  const heavy = brief.weathers.has('storm') || brief.weathers.has('rain') || spec?.word === 'overcast';
  if (spec?.count === 0 || (brief.weathers.has('clear') && !spec)) return '';
  const night = look.time === 'night';
  const count = heavy ? 9 : spec ? 7 : night ? 2 : random.whole(2, 5);
  const span = width + 2 * margin + 60 * u;
  const wind = (brief.weathers.has('wind') || heavy ? 1.6 : 0.7) * u;
  let drawn = '';
  const streaks = ['sunset', 'dawn', 'dusk', 'golden'].includes(look.time) && !heavy;
  for (let index = 0; index < count; index += 1) {
    const deep = random.next();
    const y = heavy ? horizon * (0.04 + 0.36 * deep) : horizon * (0.12 + 0.55 * deep);
    const size = (heavy ? 1.7 : 1) * (1.35 - deep * 0.85) * u;
    const start = ((index + random.between(0.1, 0.9)) / count) * span;
    const x = ((start + t * wind * (1.3 - deep)) % span) - margin - 30 * u;
    const shade = heavy ? -0.34 : 0;
    const color = spec?.color
      ? look.glow(spec.color)
      : mix(lighten(look.sky[2], 0.55), look.sky[0], night ? 0.72 : heavy ? 0.42 : 0.06);
    const bright = lighten(color, shade);
    drawn +=
      streaks && index % 2 === 0
        ? streak(stage, random.fork(`s${index}`), x, y, size, bright)
        : heap(stage, random.fork(`h${index}`), x, y, size, bright);
  }
  return drawn;
}

/** Round heaps on a flat base, as one shape. */
function heap(
  { defs, look, brief }: Stage,
  random: Stage['random'],
  x: number,
  y: number,
  size: number,
  color: string,
): string {
  const fill = defs.linear([0, lighten(color, 0.3)], [0.55, color], [1, mix(color, look.sky[1], 0.5)]);
  const half = size * random.between(10, 16);
  const puffs = random.whole(5, 7);
  const round = (px: number, py: number, r: number) =>
    svg`M${px - r} ${py}a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1 ${-2 * r} 0Z`;
  let d = '';
  for (let index = 0; index < puffs; index += 1) {
    const at = (index + 0.5) / puffs;
    const r = size * (2.1 + 3.6 * Math.sin(at * Math.PI)) * random.between(0.8, 1.2);
    d += round(-half + 2 * half * at, -r - size * 0.1, r);
  }
  const [low, end] = [size * 2.4, half * 0.92];
  d += svg`M${-end} ${-low}H${end}a${low / 2} ${low / 2} 0 0 1 0 ${low}H${-end}a${low / 2} ${low / 2} 0 0 1 0 ${-low}Z`;
  // Fills an outlined shape again, to hide the lines inside.
  const outlined = brief.styles.has('ink') || brief.styles.has('ukiyoe') ? path(d, fill) : '';
  return group(outlined + path(d, fill, `stroke="none" ${faint(0.94)}`), svg`translate(${x} ${y})`);
}

function streak(_stage: Stage, random: Stage['random'], x: number, y: number, size: number, color: string): string {
  const parts = Array.from({ length: 3 }, (_, index) => {
    const [dx, dy, w] = [random.between(-8, 8) * size, index * 1.6 * size, random.between(14, 30) * size];
    return path(blob(random, [x + dx, y + dy], w, random.between(0.7, 1.3) * size, 0.1, 8), color, faint(0.5));
  });
  return parts.join('');
}

/** A few distant birds, if the sky has room. */
export function drawBirds({ frame, look, random: parent, t }: Stage): string {
  const random = parent.fork('far birds');
  const { width, horizon, u } = frame;
  const [x, y] = [width * random.between(0.2, 0.75), horizon * random.between(0.25, 0.5)];
  const ink = look.ink('#2c2f38', 0.35);
  return times(random.whole(4, 7), (index) => {
    const [dx, dy, size] = [random.between(-9, 9) * u, random.between(-4, 4) * u, random.between(0.7, 1.2) * u];
    const flap = 0.5 + 0.5 * Math.sin(t * 5 + index * 1.7);
    const lift = size * (0.25 + 0.75 * flap);
    const px = x + dx + t * 1.4 * u;
    return line(
      svg`M${px - size} ${y + dy - lift}Q${px - size * 0.4} ${y + dy - lift * 0.9} ${px} ${y + dy}Q${px + size * 0.4} ${y + dy - lift * 0.9} ${px + size} ${y + dy - lift}`,
      ink,
      0.22 * u,
    );
  });
}
