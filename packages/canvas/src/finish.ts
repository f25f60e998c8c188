import { lighten } from './color.ts';
import { blob, type Point, polygon } from './geometry.ts';
import { fullWidth, type Stage } from './stage.ts';
import { ellipse, faint, line, path, rect, svg, times } from './svg.ts';

/** Draws the light, edges and style over the whole picture. */
export function drawFinish(stage: Stage): string {
  const { frame, look, defs, brief } = stage;
  const { width, height, margin } = frame;
  // The lit side. Painting only the affected area saves half of the drawing time.
  const left = look.side > 0 ? width * 0.4 : -margin;
  const [from, to] = look.side > 0 ? [0, 0.5] : [0.5, 0];
  const shine = defs.across([0, look.sun, from], [1, look.sun, to]);
  let drawn = rect(left, 0, width * 0.6 + margin, height, shine, `stroke="none" ${faint(look.night ? 0.06 : 0.16)}`);
  const { styles } = brief;
  if (styles.has('lowpoly')) drawn += facets(stage);
  if (styles.has('watercolor')) drawn += paper(stage);
  if (styles.has('sepia')) drawn += scratches(stage);
  const edge = styles.has('sepia')
    ? 0.55
    : styles.has('watercolor') || styles.has('minimal') || styles.has('ink')
      ? 0
      : look.night
        ? 0.42
        : 0.24;
  if (edge > 0) drawn += shadedEdges(stage, edge);
  return drawn;
}

function shadedEdges({ frame: { width, height, margin }, defs }: Stage, strength: number): string {
  const [clear, reach, middle] = [0.62, 0.78, 0.48];
  const shade = defs.radialAt([0.5, middle, reach], [clear, '#0a0914', 0], [1, '#0a0914', 1]);
  const [rx, ry] = [clear * reach * (width + 2 * margin), clear * reach * height];
  const hole = svg`M${width / 2 - rx} ${height * middle}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0Z`;
  const all = svg`M${-margin} 0H${width + margin}V${height}H${-margin}Z`;
  return path(`${all}${hole}`, shade, `fill-rule="evenodd" stroke="none" ${faint(strength)}`);
}

function facets({ frame, random: parent }: Stage): string {
  const random = parent.fork('facets');
  const { width, height, margin, u } = frame;
  const cell = 8 * u;
  const columns = Math.ceil((width + 2 * margin) / cell) + 1;
  const rows = Math.ceil(height / cell) + 1;
  const at = Array.from({ length: (rows + 1) * (columns + 1) }, (_, index): [number, number] => [
    -margin + ((index % (columns + 1)) + random.between(-0.36, 0.36)) * cell,
    (Math.floor(index / (columns + 1)) + random.between(-0.36, 0.36)) * cell,
  ]);
  let drawn = '';
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const [a, b, c, d] = [
        row * (columns + 1) + column,
        row * (columns + 1) + column + 1,
        (row + 1) * (columns + 1) + column,
        (row + 1) * (columns + 1) + column + 1,
      ].map((index) => at[index] as [number, number]) as [
        [number, number],
        [number, number],
        [number, number],
        [number, number],
      ];
      for (const corners of [
        [a, b, c],
        [b, d, c],
      ] as const) {
        const shade = random.between(-1, 1);
        drawn += path(polygon(corners), shade > 0 ? '#ffffff' : '#10121c', faint(Math.abs(shade) * 0.16));
      }
    }
  return drawn;
}

/** Blots, and white paper at the edges. */
function paper({ frame, random: parent }: Stage): string {
  const random = parent.fork('paper');
  const { width, height, margin, u } = frame;
  let drawn = '';
  for (let blot = 0; blot < 26; blot += 1) {
    const [x, y, r] = [random.between(0, width), random.between(0, height), random.between(6, 22) * u];
    const shape = blob(random, [x, y], r, r * random.between(0.5, 0.9), 0.3, 11);
    drawn += path(shape, random.chance(0.6) ? '#fffaf0' : '#5a6a86', faint(random.between(0.04, 0.11)));
    if (random.chance(0.4)) drawn += line(shape, '#3f4a66', 0.16 * u, faint(0.16));
  }
  const count = 13;
  const ragged = (at: (along: number, depth: number) => Point) =>
    Array.from({ length: count }, (_, index) => at((index + 1) / (count + 1), random.between(0.8, 3.4) * u));
  const inner = [
    ...ragged((along, depth) => [width * along, depth]),
    ...ragged((along, depth) => [width - depth, height * along]),
    ...ragged((along, depth) => [width * (1 - along), height - depth]),
    ...ragged((along, depth) => [depth, height * (1 - along)]),
  ];
  const rim = svg`M${-margin - u} ${-u}H${width + margin + u}V${height + u}H${-margin - u}Z${polygon(inner)}`;
  drawn += path(rim, '#fdfaf2', `fill-rule="evenodd" ${faint(0.96)}`);
  return drawn;
}

function scratches({ frame, random: parent, t }: Stage): string {
  const random = parent.fork(`scratches ${Math.floor(t * 8)}`);
  const { width, height, u } = frame;
  return times(26, () => {
    const [x, y] = [random.between(0, width), random.between(0, height)];
    return random.chance(0.3)
      ? line(svg`M${x} ${y}v${random.between(4, 26) * u}`, '#fff6e0', 0.1 * u, faint(0.35))
      : ellipse(x, y, random.between(0.1, 0.35) * u, random.between(0.1, 0.3) * u, '#fff6e0', faint(0.5));
  });
}

export function drawGrid({ frame, look, defs, t }: Stage): string {
  const { width, height, horizon, margin, u } = frame;
  const shine = look.glow('#ff4fd8');
  const floor = look.glow('#14082b');
  let drawn = fullWidth(frame, horizon, height - horizon, defs.linear([0, lighten(floor, 0.12)], [1, floor]));
  const rows = 13;
  for (let row = 0; row < rows; row += 1) {
    const at = ((row + ((t * 0.8) % 1)) / rows) ** 2.3;
    const y = horizon + at * (height - horizon);
    drawn += line(svg`M${-margin} ${y}H${width + margin}`, shine, (0.1 + at * 0.5) * u, faint(0.25 + at * 0.75));
  }
  for (let column = -14; column <= 14; column += 1)
    drawn += line(
      svg`M${width / 2 + column * 2.6 * u} ${horizon}L${width / 2 + column * 17 * u} ${height}`,
      shine,
      0.24 * u,
      faint(0.7),
    );
  drawn += fullWidth(frame, horizon - 0.4 * u, 0.9 * u, lighten(shine, 0.5));
  return drawn;
}
