import { lighter, mix } from '../color.ts';
import { blob, n } from '../geometry.ts';
import { faint, group, line, path, type Stage } from '../stage.ts';

/** Clouds of the day's kind: heaps by day, streaks when the sun is low. */
export function drawClouds(stage: Stage): string {
  const { brief, look, frame, random: parent, t } = stage;
  const random = parent.fork('clouds');
  const { width, horizon, over, u } = frame;
  const wish = brief.lights.get('cloud');
  const heavy = brief.weathers.has('storm') || brief.weathers.has('rain') || wish?.word === 'overcast';
  if (wish?.count === 0 || (brief.weathers.has('clear') && !wish)) return '';
  const night = look.time === 'night';
  const count = heavy ? 9 : wish ? 7 : night ? 2 : random.whole(2, 5);
  const span = width + 2 * over + 60 * u;
  const wind = (brief.weathers.has('wind') || heavy ? 1.6 : 0.7) * u;
  const parts: string[] = [];
  const streaks = ['sunset', 'dawn', 'dusk', 'golden'].includes(look.time) && !heavy;
  for (let index = 0; index < count; index += 1) {
    const deep = random.next();
    const y = heavy ? horizon * (0.04 + 0.36 * deep) : horizon * (0.12 + 0.55 * deep);
    const size = (heavy ? 1.7 : 1) * (1.35 - deep * 0.85) * u;
    const start = ((index + random.between(0.1, 0.9)) / count) * span;
    const x = ((start + t * wind * (1.3 - deep)) % span) - over - 30 * u;
    const shade = heavy ? -0.34 : 0;
    const color = wish?.color
      ? look.glow(wish.color)
      : mix(lighter(look.sky[2], 0.55), look.sky[0], night ? 0.72 : heavy ? 0.42 : 0.06);
    const bright = lighter(color, shade);
    parts.push(
      streaks && index % 2 === 0
        ? streak(stage, random.fork(`s${index}`), x, y, size, bright)
        : heap(stage, random.fork(`h${index}`), x, y, size, bright),
    );
  }
  return parts.join('');
}

/** Round heaps on a flat base, all one form. */
function heap(
  { defs, look, brief }: Stage,
  random: Stage['random'],
  x: number,
  y: number,
  size: number,
  color: string,
): string {
  const fill = defs.linear([
    [0, lighter(color, 0.3)],
    [0.55, color],
    [1, mix(color, look.sky[1], 0.5)],
  ]);
  const half = size * random.between(10, 16);
  const puffs = random.whole(5, 7);
  const round = (px: number, py: number, r: number) =>
    `M${n(px - r)} ${n(py)}a${n(r)} ${n(r)} 0 1 1 ${n(2 * r)} 0a${n(r)} ${n(r)} 0 1 1 ${n(-2 * r)} 0Z`;
  let d = '';
  for (let index = 0; index < puffs; index += 1) {
    const at = (index + 0.5) / puffs;
    const r = size * (2.1 + 3.6 * Math.sin(at * Math.PI)) * random.between(0.8, 1.2);
    d += round(-half + 2 * half * at, -r - size * 0.1, r);
  }
  const [low, end] = [size * 2.4, half * 0.92];
  d += `M${n(-end)} ${n(-low)}H${n(end)}a${n(low / 2)} ${n(low / 2)} 0 0 1 0 ${n(low)}H${n(-end)}a${n(low / 2)} ${n(low / 2)} 0 0 1 0 ${n(-low)}Z`;
  // With an outline the form is filled once more, so that no line is left inside it.
  const outlined = brief.styles.has('ink') || brief.styles.has('ukiyoe') ? path(d, fill) : '';
  return group(outlined + path(d, fill, `stroke="none" ${faint(0.94)}`), `translate(${n(x)} ${n(y)})`);
}

function streak(_stage: Stage, random: Stage['random'], x: number, y: number, size: number, color: string): string {
  const parts = Array.from({ length: 3 }, (_, index) => {
    const [dx, dy, w] = [random.between(-8, 8) * size, index * 1.6 * size, random.between(14, 30) * size];
    return path(blob(random, [x + dx, y + dy], w, random.between(0.7, 1.3) * size, 0.1, 8), color, faint(0.5));
  });
  return parts.join('');
}

/** A few far birds, where the sky has room for them. */
export function drawBirds({ frame, look, random: parent, t }: Stage): string {
  const random = parent.fork('far birds');
  const { width, horizon, u } = frame;
  const [x, y] = [width * random.between(0.2, 0.75), horizon * random.between(0.25, 0.5)];
  const ink = look.ink('#2c2f38', 0.35);
  return Array.from({ length: random.whole(4, 7) }, (_, index) => {
    const [dx, dy, size] = [random.between(-9, 9) * u, random.between(-4, 4) * u, random.between(0.7, 1.2) * u];
    const flap = 0.5 + 0.5 * Math.sin(t * 5 + index * 1.7);
    const lift = size * (0.25 + 0.75 * flap);
    const px = x + dx + t * 1.4 * u;
    return line(
      `M${n(px - size)} ${n(y + dy - lift)}Q${n(px - size * 0.4)} ${n(y + dy - lift * 0.9)} ${n(px)} ${n(y + dy)}Q${n(px + size * 0.4)} ${n(y + dy - lift * 0.9)} ${n(px + size)} ${n(y + dy - lift)}`,
      ink,
      0.22 * u,
    );
  }).join('');
}
