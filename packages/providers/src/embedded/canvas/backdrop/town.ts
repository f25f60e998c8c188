import { lighter, mix } from '../color.ts';
import { n } from '../geometry.ts';
import { faint, line, path, rect, type Stage } from '../stage.ts';

/** A city's skyline: three rows of buildings, windows lit as the hour wants. */
export function drawSkyline(stage: Stage): string {
  const { frame, random: parent, look, brief, t } = stage;
  const { width, horizon, over, u } = frame;
  const neon = brief.styles.has('neon');
  const own = brief.places.get('city');
  const parts: string[] = [];
  for (let row = 0; row < 3; row += 1) {
    const random = parent.fork(`city ${row}`);
    const far = 0.66 - row * 0.27;
    const wall = own ?? random.pick(['#5d6c80', '#6f6a7c', '#596b70', '#7a6a66']);
    const base = look.night ? lighter(look.ink(wall, far * 0.8), -0.28 - row * 0.08) : look.ink(wall, far);
    const foot = horizon + (1 + row * 2) * u;
    let d = '';
    let windows = '';
    for (let x = -over - 4 * u; x < width + over; ) {
      const w = random.between(5, 11) * u * (0.7 + row * 0.25);
      const arch = 1 - Math.abs((x + w / 2) / width - 0.5) * 1.1;
      const tall = Math.max(8 * u, horizon * random.between(0.26, 0.78) * (1.06 - row * 0.24) * Math.max(0.35, arch));
      d += tower(random, x, foot, w, tall, u);
      if (row > 0) windows += lights(random, x, foot, w, tall, u * (0.8 + row * 0.2), look.night ? 0.62 : 0.16, t);
      x += w * random.between(0.86, 1.15);
    }
    parts.push(path(`${d}M${n(-over)} ${n(foot - 3 * u)}H${n(width + over)}V${n(foot + 5 * u)}H${n(-over)}Z`, base));
    const shine = neon
      ? look.glow(random.pick(['#ff4fd8', '#38e0ff', '#ffd84f']))
      : look.night
        ? '#ffd98a'
        : lighter(base, 0.4);
    if (windows !== '') parts.push(path(windows, shine, faint(look.night ? 0.9 : 0.55)));
    if (row < 2)
      parts.push(
        rect(
          -over,
          foot - 26 * u,
          width + 2 * over,
          27 * u,
          stage.defs.linear([
            [0, look.haze, 0],
            [1, look.haze, 0.42],
          ]),
        ),
      );
  }
  return parts.join('');
}

function tower(random: Stage['random'], x: number, foot: number, w: number, tall: number, u: number): string {
  const top = foot - tall;
  const box = (left: number, y: number, wide: number) => `M${n(left)} ${n(y)}h${n(wide)}V${n(foot + u)}h${n(-wide)}Z`;
  const kind = random.next();
  let d = box(x, top, w);
  if (kind < 0.22) d += box(x + w * 0.2, top - 3 * u, w * 0.6) + box(x + w * 0.38, top - 6 * u, w * 0.24);
  else if (kind < 0.36) d += `M${n(x)} ${n(top)}L${n(x + w / 2)} ${n(top - w * 0.55)}L${n(x + w)} ${n(top)}Z`;
  else if (kind < 0.5) d += `M${n(x)} ${n(top + 0.1)}L${n(x + w)} ${n(top + 0.1)}V${n(top - w * 0.35)}Z`;
  else if (kind < 0.6) d += `M${n(x)} ${n(top + 0.1)}A${n(w / 2)} ${n(w / 2)} 0 0 1 ${n(x + w)} ${n(top + 0.1)}Z`;
  if (random.chance(0.3)) d += `M${n(x + w * 0.48)} ${n(top - 9 * u)}h${n(0.35 * u)}v${n(9 * u)}h${n(-0.35 * u)}Z`;
  return d;
}

/** All windows of a building in one path. */
function lights(
  random: Stage['random'],
  x: number,
  foot: number,
  w: number,
  tall: number,
  u: number,
  share: number,
  t: number,
): string {
  const [across, up] = [Math.max(2, Math.floor(w / (2 * u))), Math.max(2, Math.floor(tall / (2.7 * u)))];
  let d = '';
  for (let column = 0; column < across; column += 1)
    for (let row = 0; row < Math.min(up, 22); row += 1) {
      const drawn = random.next();
      // A few go on and off.
      const flips = drawn > 0.97 && Math.floor(t * 0.7 + column) % 2 === 1;
      if (drawn > share && !flips) continue;
      d += `M${n(x + (w * (column + 0.5)) / across - 0.42 * u)} ${n(foot - tall + 1.3 * u + row * 2.7 * u)}h${n(0.85 * u)}v${n(1.25 * u)}h${n(-0.85 * u)}Z`;
    }
  return d;
}

/** A village: small houses along the horizon, a church among them. */
export function drawVillage(stage: Stage): string {
  const { frame, random: parent, look, brief } = stage;
  const random = parent.fork('village');
  const { width, horizon, u } = frame;
  const walls = ['#efe2c8', '#e8c9a4', '#d9a38a', '#c9d2d4', '#f3ead8'];
  const roofs =
    brief.season === 'winter' || brief.weathers.has('snowfall')
      ? ['#eef3f7', '#dfe8ef']
      : ['#a9503b', '#8b4a3c', '#6e5a5c', '#b3683f'];
  const houses = Array.from({ length: 13 }, (_, index) => ({
    x: width * (0.16 + 0.68 * ((index + random.between(0.1, 0.9)) / 13)),
    size: random.between(3.4, 5.4) * u,
    index,
  }));
  return houses
    .map(({ x, size, index }) => {
      const y = horizon + (1.5 + (index % 3) * 2.2) * u;
      const [wall, roof] = [look.ink(random.pick(walls), 0.3), look.ink(random.pick(roofs), 0.3)];
      const church = index === 6;
      const [w, h] = [size * 1.2, size * 0.8];
      const steeple = church
        ? rect(x - size * 0.22, y - size * 2.1, size * 0.44, size * 2.1, wall) +
          path(
            `M${n(x - size * 0.32)} ${n(y - size * 2.1)}L${n(x)} ${n(y - size * 3.3)}L${n(x + size * 0.32)} ${n(y - size * 2.1)}Z`,
            roof,
          )
        : '';
      const lit = look.night ? '#ffd98a' : mix(wall, '#3b4656', 0.6);
      return [
        steeple,
        rect(x - w / 2, y - h, w, h, wall),
        rect(look.side > 0 ? x - w / 2 : x + w * 0.1, y - h, w * 0.4, h, lighter(wall, -0.14)),
        path(
          `M${n(x - w * 0.62)} ${n(y - h)}L${n(x - w * 0.3)} ${n(y - h * 1.85)}H${n(x + w * 0.3)}L${n(x + w * 0.62)} ${n(y - h)}Z`,
          roof,
        ),
        rect(x - w * 0.28, y - h * 0.66, size * 0.2, size * 0.26, lit),
        rect(x + w * 0.14, y - h * 0.66, size * 0.2, size * 0.26, lit),
      ].join('');
    })
    .join('');
}

/** A street: pavement and rows of fronts that run to the middle of the horizon. */
export function drawStreet(stage: Stage): string {
  const { frame, random: parent, look, brief } = stage;
  const { width, height, horizon, over, u } = frame;
  const [cx, cy] = [width * 0.5, horizon];
  const parts: string[] = [rect(-over, horizon, width + 2 * over, height - horizon, look.ink('#8d8a88', 0.1))];
  parts.push(
    path(
      `M${n(cx - 1.5 * u)} ${n(cy)}L${n(-width * 0.12)} ${n(height)}H${n(width * 1.12)}L${n(cx + 1.5 * u)} ${n(cy)}Z`,
      look.ink('#5a5b63', 0.05),
    ),
  );
  const walls = ['#c98f6b', '#d8b98e', '#a9a39a', '#b5665a', '#7f94a0', '#cbb0a8', '#8c8f6d'];
  for (const sign of [-1, 1]) {
    const random = parent.fork(`street ${sign}`);
    const edge = sign < 0 ? -over : width + over;
    const at = (share: number) => cx + (edge - cx) * share;
    const fronts = 6;
    for (let front = 0; front < fronts; front += 1) {
      const [a, b] = [0.1 + (0.9 * front ** 1.35) / fronts ** 1.35, 0.1 + (0.9 * (front + 1) ** 1.35) / fronts ** 1.35];
      const tall = horizon * random.between(0.62, 1.02);
      const wall = look.ink(random.pick(walls), 0.55 * (1 - b));
      const y = (share: number, level: number) =>
        cy - level * tall * share + (level === 0 ? (height - cy) * 0.5 * share : 0);
      const d = `M${n(at(a))} ${n(y(a, 1))}L${n(at(b))} ${n(y(b, 1))}L${n(at(b))} ${n(y(b, 0))}L${n(at(a))} ${n(y(a, 0))}Z`;
      parts.push(path(d, sign === look.side ? lighter(wall, -0.18) : lighter(wall, 0.06)));
      const lit = look.night
        ? brief.styles.has('neon')
          ? look.glow(random.pick(['#ff4fd8', '#38e0ff', '#ffd84f']))
          : '#ffd591'
        : mix(wall, '#27384a', 0.55);
      for (let level = 0; level < 4; level += 1)
        for (let column = 0; column < 2; column += 1) {
          if (look.night && random.chance(0.35)) continue;
          const [c, e] = [a + (b - a) * (0.16 + column * 0.42), a + (b - a) * (0.4 + column * 0.42)];
          const [p, q] = [0.26 + level * 0.18, 0.36 + level * 0.18];
          parts.push(
            path(
              `M${n(at(c))} ${n(y(c, q))}L${n(at(e))} ${n(y(e, q))}L${n(at(e))} ${n(y(e, p))}L${n(at(c))} ${n(y(c, p))}Z`,
              lit,
              faint(0.9),
            ),
          );
        }
    }
  }
  for (let dash = 0; dash < 6; dash += 1) {
    const near = (dash + 0.4) / 6;
    const y = cy + (height - cy) * near ** 1.7;
    parts.push(
      line(`M${n(cx)} ${n(y)}V${n(y + (height - cy) * 0.07 * near)}`, look.ink('#f0e3b4', 0.1), (0.2 + near * 1.1) * u),
    );
  }
  return parts.join('');
}

/** The paved bank of a city's river. */
export function drawQuay({ frame, look, defs }: Stage, top: number): string {
  const { width, height, over, u } = frame;
  const stone = look.ink('#8d8880', 0);
  const rail = lighter(stone, -0.4);
  const posts = Array.from({ length: Math.ceil((width + 2 * over) / (5 * u)) }, (_, index) =>
    rect(-over + index * 5 * u, top - 4.4 * u, 0.5 * u, 4.8 * u, rail),
  );
  return [
    rect(
      -over,
      top,
      width + 2 * over,
      height - top,
      defs.linear([
        [0, lighter(stone, 0.12)],
        [1, lighter(stone, -0.3)],
      ]),
    ),
    rect(-over, top, width + 2 * over, 1.2 * u, lighter(stone, 0.3)),
    ...posts,
    line(
      `M${n(-over)} ${n(top - 4.4 * u)}H${n(width + over)}M${n(-over)} ${n(top - 2.4 * u)}H${n(width + over)}`,
      rail,
      0.5 * u,
    ),
  ].join('');
}
