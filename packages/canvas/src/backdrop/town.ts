import { lighten, mix } from '../color.ts';
import { fullWidth, type Stage } from '../stage.ts';
import { each, faint, line, path, rect, svg } from '../svg.ts';

/** Three rows of buildings, with windows lit depending on the time of day. */
export function drawSkyline(stage: Stage): string {
  const { frame, random: parent, look, brief, t } = stage;
  const { width, horizon, margin, u } = frame;
  const neon = brief.styles.has('neon');
  const own = brief.places.get('city');
  let drawn = '';
  for (let row = 0; row < 3; row += 1) {
    const random = parent.fork(`city ${row}`);
    const far = 0.66 - row * 0.27;
    const wall = own ?? random.pick(['#5d6c80', '#6f6a7c', '#596b70', '#7a6a66']);
    const base = look.night ? lighten(look.ink(wall, far * 0.8), -0.28 - row * 0.08) : look.ink(wall, far);
    const foot = horizon + (1 + row * 2) * u;
    let d = '';
    let windows = '';
    for (let x = -margin - 4 * u; x < width + margin; ) {
      const w = random.between(5, 11) * u * (0.7 + row * 0.25);
      const arch = 1 - Math.abs((x + w / 2) / width - 0.5) * 1.1;
      const tall = Math.max(8 * u, horizon * random.between(0.26, 0.78) * (1.06 - row * 0.24) * Math.max(0.35, arch));
      d += tower(random, x, foot, w, tall, u);
      if (row > 0) windows += lights(random, x, foot, w, tall, u * (0.8 + row * 0.2), look.night ? 0.62 : 0.16, t);
      x += w * random.between(0.86, 1.15);
    }
    drawn += path(svg`${d}M${-margin} ${foot - 3 * u}H${width + margin}V${foot + 5 * u}H${-margin}Z`, base);
    const shine = neon
      ? look.glow(random.pick(['#ff4fd8', '#38e0ff', '#ffd84f']))
      : look.night
        ? '#ffd98a'
        : lighten(base, 0.4);
    if (windows !== '') drawn += path(windows, shine, faint(look.night ? 0.9 : 0.55));
    if (row < 2)
      drawn += fullWidth(frame, foot - 26 * u, 27 * u, stage.defs.linear([0, look.haze, 0], [1, look.haze, 0.42]));
  }
  return drawn;
}

function tower(random: Stage['random'], x: number, foot: number, w: number, tall: number, u: number): string {
  const top = foot - tall;
  const box = (left: number, y: number, wide: number) => svg`M${left} ${y}h${wide}V${foot + u}h${-wide}Z`;
  const kind = random.next();
  let d = box(x, top, w);
  if (kind < 0.22) d += box(x + w * 0.2, top - 3 * u, w * 0.6) + box(x + w * 0.38, top - 6 * u, w * 0.24);
  else if (kind < 0.36) d += svg`M${x} ${top}L${x + w / 2} ${top - w * 0.55}L${x + w} ${top}Z`;
  else if (kind < 0.5) d += svg`M${x} ${top + 0.1}L${x + w} ${top + 0.1}V${top - w * 0.35}Z`;
  else if (kind < 0.6) d += svg`M${x} ${top + 0.1}A${w / 2} ${w / 2} 0 0 1 ${x + w} ${top + 0.1}Z`;
  if (random.chance(0.3)) d += svg`M${x + w * 0.48} ${top - 9 * u}h${0.35 * u}v${9 * u}h${-0.35 * u}Z`;
  return d;
}

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
      // A few windows switch on and off.
      const flips = drawn > 0.97 && Math.floor(t * 0.7 + column) % 2 === 1;
      if (drawn > share && !flips) continue;
      d += svg`M${x + (w * (column + 0.5)) / across - 0.42 * u} ${foot - tall + 1.3 * u + row * 2.7 * u}h${0.85 * u}v${1.25 * u}h${-0.85 * u}Z`;
    }
  return d;
}

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
  return each(houses, ({ x, size, index }) => {
    const y = horizon + (1.5 + (index % 3) * 2.2) * u;
    const [wall, roof] = [look.ink(random.pick(walls), 0.3), look.ink(random.pick(roofs), 0.3)];
    const church = index === 6;
    const [w, h] = [size * 1.2, size * 0.8];
    const steeple = church
      ? rect(x - size * 0.22, y - size * 2.1, size * 0.44, size * 2.1, wall) +
        path(
          svg`M${x - size * 0.32} ${y - size * 2.1}L${x} ${y - size * 3.3}L${x + size * 0.32} ${y - size * 2.1}Z`,
          roof,
        )
      : '';
    const lit = look.night ? '#ffd98a' : mix(wall, '#3b4656', 0.6);
    return [
      steeple,
      rect(x - w / 2, y - h, w, h, wall),
      rect(look.side > 0 ? x - w / 2 : x + w * 0.1, y - h, w * 0.4, h, lighten(wall, -0.14)),
      path(
        svg`M${x - w * 0.62} ${y - h}L${x - w * 0.3} ${y - h * 1.85}H${x + w * 0.3}L${x + w * 0.62} ${y - h}Z`,
        roof,
      ),
      rect(x - w * 0.28, y - h * 0.66, size * 0.2, size * 0.26, lit),
      rect(x + w * 0.14, y - h * 0.66, size * 0.2, size * 0.26, lit),
    ].join('');
  });
}

export function drawStreet(stage: Stage): string {
  const { frame, random: parent, look, brief } = stage;
  const { width, height, horizon, margin, u } = frame;
  const [cx, cy] = [width * 0.5, horizon];
  let drawn = fullWidth(frame, horizon, height - horizon, look.ink('#8d8a88', 0.1));
  drawn += path(
    svg`M${cx - 1.5 * u} ${cy}L${-width * 0.12} ${height}H${width * 1.12}L${cx + 1.5 * u} ${cy}Z`,
    look.ink('#5a5b63', 0.05),
  );
  const walls = ['#c98f6b', '#d8b98e', '#a9a39a', '#b5665a', '#7f94a0', '#cbb0a8', '#8c8f6d'];
  for (const sign of [-1, 1]) {
    const random = parent.fork(`street ${sign}`);
    const edge = sign < 0 ? -margin : width + margin;
    const at = (share: number) => cx + (edge - cx) * share;
    const fronts = 6;
    for (let front = 0; front < fronts; front += 1) {
      const [a, b] = [0.1 + (0.9 * front ** 1.35) / fronts ** 1.35, 0.1 + (0.9 * (front + 1) ** 1.35) / fronts ** 1.35];
      const tall = horizon * random.between(0.62, 1.02);
      const wall = look.ink(random.pick(walls), 0.55 * (1 - b));
      const y = (share: number, level: number) =>
        cy - level * tall * share + (level === 0 ? (height - cy) * 0.5 * share : 0);
      const d = svg`M${at(a)} ${y(a, 1)}L${at(b)} ${y(b, 1)}L${at(b)} ${y(b, 0)}L${at(a)} ${y(a, 0)}Z`;
      drawn += path(d, sign === look.side ? lighten(wall, -0.18) : lighten(wall, 0.06));
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
          drawn += path(
            svg`M${at(c)} ${y(c, q)}L${at(e)} ${y(e, q)}L${at(e)} ${y(e, p)}L${at(c)} ${y(c, p)}Z`,
            lit,
            faint(0.9),
          );
        }
    }
  }
  for (let dash = 0; dash < 6; dash += 1) {
    const near = (dash + 0.4) / 6;
    const y = cy + (height - cy) * near ** 1.7;
    drawn += line(
      svg`M${cx} ${y}V${y + (height - cy) * 0.07 * near}`,
      look.ink('#f0e3b4', 0.1),
      (0.2 + near * 1.1) * u,
    );
  }
  return drawn;
}

export function drawQuay({ frame, look, defs }: Stage, top: number): string {
  const { width, height, margin, u } = frame;
  const stone = look.ink('#8d8880', 0);
  const rail = lighten(stone, -0.4);
  const posts = Array.from({ length: Math.ceil((width + 2 * margin) / (5 * u)) }, (_, index) =>
    rect(-margin + index * 5 * u, top - 4.4 * u, 0.5 * u, 4.8 * u, rail),
  );
  return [
    fullWidth(frame, top, height - top, defs.linear([0, lighten(stone, 0.12)], [1, lighten(stone, -0.3)])),
    fullWidth(frame, top, 1.2 * u, lighten(stone, 0.3)),
    ...posts,
    line(
      svg`M${-margin} ${top - 4.4 * u}H${width + margin}M${-margin} ${top - 2.4 * u}H${width + margin}`,
      rail,
      0.5 * u,
    ),
  ].join('');
}
