import type { Brief } from '../brief.ts';
import { lighten, mix } from '../color.ts';
import { heightAt, type Point, polygon, ridge, under } from '../geometry.ts';
import type { Random } from '../random.ts';
import { fullWidth, type Stage } from '../stage.ts';
import { circle, ellipse, faint, line, path, svg, times } from '../svg.ts';

export function grassColor({ season, places, weathers }: Brief): string {
  const own = places.get('meadow') ?? places.get('hill') ?? places.get('forest');
  if (own) return own;
  if (season === 'winter' || places.has('snow') || weathers.has('snowfall')) return '#e9f0f6';
  if (season === 'autumn') return '#b39a4a';
  if (season === 'spring') return '#86b95a';
  return '#6ba04c';
}

export function isWhite({ season, places, weathers }: Brief): boolean {
  return season === 'winter' || places.has('snow') || weathers.has('snowfall');
}

/** Rows of rolling ground from the horizon to the bottom. Objects stand on the last row. */
export function drawHills(stage: Stage, rows = 4, top = stage.frame.horizon): string {
  const { frame, random: parent, look, brief, defs } = stage;
  const { width, height, margin, u } = frame;
  const base = grassColor(brief);
  const white = isWhite(brief);
  let drawn = '';
  for (let row = 0; row < rows; row += 1) {
    const random = parent.fork(`hill ${row}`);
    const near = row / Math.max(1, rows - 1);
    const y = top + (height - top) * near ** 1.25 * 0.62;
    const tall = (4.5 + 5 * (1 - near)) * u;
    const crest = ridge(random, -margin, width + margin, y + 1.5 * u, tall, 0.24, 3);
    const color = look.ink(
      white ? lighten(base, -0.04 * near) : mix(base, '#3f7d49', 0.35 * near),
      0.48 * (1 - near) ** 1.2,
    );
    const fill = defs.linear([0, lighten(color, 0.14)], [0.5, color], [1, lighten(color, -0.14)]);
    drawn += path(under(crest, height + u, true), fill);
    if (!white && near > 0.15 && near < 0.8 && random.chance(0.55))
      drawn += furrows(stage, random, crest, height, lighten(color, -0.16));
    if (near < 0.75) drawn += thickets(stage, random, crest, near);
  }
  return drawn;
}

function furrows({ frame }: Stage, random: Random, crest: Point[], bottom: number, color: string): string {
  const { width, u } = frame;
  const [from, to, focus] = [random.between(0.05, 0.5), random.between(0.55, 0.95), random.between(-0.2, 1.2)];
  return times(9, (index) => {
    const x = width * (from + ((to - from) * index) / 8);
    const y = heightAt(crest, x) + 0.8 * u;
    const drop = Math.min(9 * u, bottom - y);
    return line(
      svg`M${x} ${y}q${(x - width * focus) * 0.06} ${drop * 0.5} ${(x - width * focus) * 0.16} ${drop}`,
      color,
      0.28 * u,
      faint(0.4),
    );
  });
}

/** Distant groves along a crest. */
function thickets({ frame, look, brief }: Stage, random: Random, crest: Point[], near: number): string {
  const { width, u } = frame;
  if (brief.places.has('desert') || random.chance(0.25)) return '';
  const leaf = isWhite(brief)
    ? '#93a9ab'
    : brief.season === 'autumn'
      ? random.pick(['#b5642a', '#c58a2d', '#8a5a2c'])
      : '#45733f';
  const color = look.ink(leaf, 0.52 * (1 - near));
  return times(random.whole(2, 4), () => {
    const [at, count] = [random.between(-0.02, 1.02), random.whole(3, 8)];
    return times(count, (index) => {
      const x = width * at + (index - count / 2) * 1.5 * u * (0.7 + near);
      const r = random.between(0.8, 1.6) * u * (0.7 + near);
      return ellipse(x, heightAt(crest, x) - r * 0.5, r, r * 1.1, index % 3 === 0 ? lighten(color, 0.1) : color);
    });
  });
}

export function drawTufts(stage: Stage, top: number): string {
  const { frame, random: parent, look, brief, t } = stage;
  const random = parent.fork('tufts');
  const { width, height, margin, u } = frame;
  const base = grassColor(brief);
  const sway = Math.sin(t * 1.6) * 0.35 * (brief.weathers.has('wind') ? 2.2 : 1);
  let drawn = '';
  if (isWhite(brief) || brief.places.has('desert')) {
    for (let mark = 0; mark < 14; mark += 1) {
      const y = top + random.next() * (height - top);
      drawn += ellipse(
        random.between(-margin, width + margin),
        y,
        random.between(2, 7) * u,
        random.between(0.25, 0.6) * u,
        lighten(look.ink(brief.places.has('desert') ? '#dfb273' : base), -0.1),
        faint(0.5),
      );
    }
    return drawn;
  }
  for (let tuft = 0; tuft < 60; tuft += 1) {
    const near = random.next() ** 0.7;
    const [x, y] = [random.between(-margin, width + margin), top + near * (height - top)];
    const size = (0.7 + near * 2.1) * u;
    const color = lighten(look.ink(mix(base, '#3f7d49', 0.5), 0), random.between(-0.3, 0.16));
    const lean = sway * size * (0.5 + near);
    drawn += line(
      svg`M${x} ${y}q${-size * 0.2 + lean * 0.3} ${-size * 0.6} ${-size * 0.55 + lean} ${-size}M${x} ${y}q0 ${-size * 0.7} ${size * 0.1 + lean} ${-size * 1.2}M${x} ${y}q${size * 0.2} ${-size * 0.5} ${size * 0.6 + lean} ${-size * 0.9}`,
      color,
      (0.12 + near * 0.22) * u,
      faint(0.75),
    );
  }
  return drawn;
}

export function drawForest(stage: Stage): string {
  const { frame, random: parent, look, brief } = stage;
  const { width, horizon, margin, u } = frame;
  const leaf =
    brief.places.get('forest') ?? (isWhite(brief) ? '#6f8d8b' : brief.season === 'autumn' ? '#a8652c' : '#2f5d45');
  let drawn = '';
  for (let row = 0; row < 4; row += 1) {
    const random = parent.fork(`wood ${row}`);
    const far = 0.72 - row * 0.21;
    const color = look.ink(leaf, far);
    const [y, size] = [horizon + (0.5 + row * 1.6) * u, (11 + row * 6) * u];
    let d = '';
    for (let x = -margin; x < width + margin; x += size * random.between(0.2, 0.34)) {
      const [tall, half] = [size * random.between(0.6, 1.25), size * random.between(0.14, 0.22)];
      d += tip(x, y, tall, half);
    }
    drawn += path(svg`${d}M${-margin} ${y - size * 0.12}H${width + margin}V${y + 8 * u}H${-margin}Z`, color);
    if (row < 3)
      drawn += fullWidth(frame, y - size * 0.5, size * 0.75, stage.defs.linear([0, look.haze, 0], [1, look.haze, 0.5]));
  }
  return drawn;
}

/** The outline of a spruce in three tiers. */
function tip(x: number, y: number, tall: number, half: number): string {
  const points: Point[] = [[x, y - tall]];
  for (let tier = 1; tier <= 3; tier += 1) {
    const [at, w] = [tier / 3, half * (0.45 + 0.55 * (tier / 3))];
    points.push([x + w, y - tall * (1 - at)]);
    if (tier < 3) points.push([x + w * 0.5, y - tall * (1 - at) - tall * 0.02]);
  }
  const right = points.slice(1);
  return polygon([...points, ...right.reverse().map(([px, py]): Point => [2 * x - px, py])]);
}

export function drawClearing(stage: Stage): string {
  const { frame, random: parent, look, brief } = stage;
  const random = parent.fork('clearing');
  const { width, height, margin, u } = frame;
  const bark = look.ink(isWhite(brief) ? '#5d5a5c' : '#3b2c25', 0);
  let drawn = '';
  for (const sign of [-1, 1]) {
    for (let trunk = 0; trunk < 2; trunk += 1) {
      const x = (sign < 0 ? 0 : width) - sign * (trunk * 11 - 3) * u + random.between(-2, 2) * u + (sign * margin) / 3;
      const [w, lean] = [(4.6 - trunk * 1.6) * u, random.between(-2, 2) * u];
      const color = trunk === 0 ? bark : mix(bark, look.haze, 0.2);
      drawn += path(
        svg`M${x - w} ${height}Q${x - w * 0.5} ${height * 0.8} ${x - w * 0.5 + lean} 0H${x + w * 0.5 + lean}Q${x + w * 0.5} ${height * 0.8} ${x + w * 1.1} ${height}Z`,
        color,
      );
      drawn += line(
        svg`M${x - sign * w * 0.2 + lean} ${height * random.between(0.2, 0.4)}q${-sign * 7 * u} ${-3 * u} ${-sign * 14 * u} ${-9 * u}`,
        color,
        0.9 * u,
      );
    }
    const leaf = look.ink(isWhite(brief) ? '#dfe8ee' : brief.season === 'autumn' ? '#b8632a' : '#274b35', 0);
    for (let tuft = 0; tuft < 8; tuft += 1) {
      const [x, y] = [(sign < 0 ? 0 : width) - sign * random.between(-6, 16) * u, random.between(-3, 13) * u];
      drawn += circle(x, y, random.between(4, 8) * u, lighten(leaf, random.between(-0.2, 0.1)), faint(0.95));
    }
  }
  return drawn;
}
