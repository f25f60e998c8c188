import { lighter } from './color.ts';
import { blob, n, type Point, polygon } from './geometry.ts';
import { ellipse, faint, line, path, rect, type Stage } from './stage.ts';

/** What lies over all of a picture: its light, its edges, and the hand that its style wants. */
export function drawFinish(stage: Stage): string {
  const { frame, look, defs, brief } = stage;
  const { width, height, over } = frame;
  // The side where the light is. Only what is changed is painted over: that is half of what drawing costs.
  const left = look.side > 0 ? width * 0.4 : -over;
  const shine = defs.linear(
    look.side > 0
      ? [
          [0, look.sun, 0],
          [1, look.sun, 0.5],
        ]
      : [
          [0, look.sun, 0.5],
          [1, look.sun, 0],
        ],
    true,
  );
  const parts = [rect(left, 0, width * 0.6 + over, height, shine, `stroke="none" ${faint(look.night ? 0.06 : 0.16)}`)];
  const { styles } = brief;
  if (styles.has('lowpoly')) parts.push(facets(stage));
  if (styles.has('watercolor')) parts.push(paper(stage));
  if (styles.has('sepia')) parts.push(scratches(stage));
  const edge = styles.has('sepia')
    ? 0.55
    : styles.has('watercolor') || styles.has('minimal') || styles.has('ink')
      ? 0
      : look.night
        ? 0.42
        : 0.24;
  if (edge > 0) parts.push(shadedEdges(stage, edge));
  return parts.join('');
}

/** Darker towards the corners. */
function shadedEdges({ frame: { width, height, over }, defs }: Stage, strength: number): string {
  const [clear, reach, middle] = [0.62, 0.78, 0.48];
  const shade = defs.radial(
    [
      [clear, '#0a0914', 0],
      [1, '#0a0914', 1],
    ],
    0.5,
    middle,
    reach,
  );
  const [rx, ry] = [clear * reach * (width + 2 * over), clear * reach * height];
  const hole = `M${n(width / 2 - rx)} ${n(height * middle)}a${n(rx)} ${n(ry)} 0 1 0 ${n(2 * rx)} 0a${n(rx)} ${n(ry)} 0 1 0 ${n(-2 * rx)} 0Z`;
  const all = `M${n(-over)} 0H${n(width + over)}V${n(height)}H${n(-over)}Z`;
  return path(`${all}${hole}`, shade, `fill-rule="evenodd" stroke="none" ${faint(strength)}`);
}

function facets({ frame, random: parent }: Stage): string {
  const random = parent.fork('facets');
  const { width, height, over, u } = frame;
  const cell = 8 * u;
  const columns = Math.ceil((width + 2 * over) / cell) + 1;
  const rows = Math.ceil(height / cell) + 1;
  const at = Array.from({ length: (rows + 1) * (columns + 1) }, (_, index): [number, number] => [
    -over + ((index % (columns + 1)) + random.between(-0.36, 0.36)) * cell,
    (Math.floor(index / (columns + 1)) + random.between(-0.36, 0.36)) * cell,
  ]);
  const parts: string[] = [];
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
        parts.push(path(polygon(corners), shade > 0 ? '#ffffff' : '#10121c', faint(Math.abs(shade) * 0.16)));
      }
    }
  return parts.join('');
}

/** Blots, and the white of the paper at the edges. */
function paper({ frame, random: parent }: Stage): string {
  const random = parent.fork('paper');
  const { width, height, over, u } = frame;
  const parts: string[] = [];
  for (let blot = 0; blot < 26; blot += 1) {
    const [x, y, r] = [random.between(0, width), random.between(0, height), random.between(6, 22) * u];
    const shape = blob(random, [x, y], r, r * random.between(0.5, 0.9), 0.3, 11);
    parts.push(path(shape, random.chance(0.6) ? '#fffaf0' : '#5a6a86', faint(random.between(0.04, 0.11))));
    if (random.chance(0.4)) parts.push(line(shape, '#3f4a66', 0.16 * u, faint(0.16)));
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
  const rim = `M${n(-over - u)} ${n(-u)}H${n(width + over + u)}V${n(height + u)}H${n(-over - u)}Z${polygon(inner)}`;
  parts.push(path(rim, '#fdfaf2', `fill-rule="evenodd" ${faint(0.96)}`));
  return parts.join('');
}

function scratches({ frame, random: parent, t }: Stage): string {
  const random = parent.fork(`scratches ${Math.floor(t * 8)}`);
  const { width, height, u } = frame;
  return Array.from({ length: 26 }, () => {
    const [x, y] = [random.between(0, width), random.between(0, height)];
    return random.chance(0.3)
      ? line(`M${n(x)} ${n(y)}v${n(random.between(4, 26) * u)}`, '#fff6e0', 0.1 * u, faint(0.35))
      : ellipse(x, y, random.between(0.1, 0.35) * u, random.between(0.1, 0.3) * u, '#fff6e0', faint(0.5));
  }).join('');
}

/** The ground of a decade that believed in lasers. */
export function drawGrid({ frame, look, defs, t }: Stage): string {
  const { width, height, horizon, over, u } = frame;
  const shine = look.glow('#ff4fd8');
  const floor = look.glow('#14082b');
  const parts = [
    rect(
      -over,
      horizon,
      width + 2 * over,
      height - horizon,
      defs.linear([
        [0, lighter(floor, 0.12)],
        [1, floor],
      ]),
    ),
  ];
  const rows = 13;
  for (let row = 0; row < rows; row += 1) {
    const at = ((row + ((t * 0.8) % 1)) / rows) ** 2.3;
    const y = horizon + at * (height - horizon);
    parts.push(line(`M${n(-over)} ${n(y)}H${n(width + over)}`, shine, (0.1 + at * 0.5) * u, faint(0.25 + at * 0.75)));
  }
  for (let column = -14; column <= 14; column += 1)
    parts.push(
      line(
        `M${n(width / 2 + column * 2.6 * u)} ${n(horizon)}L${n(width / 2 + column * 17 * u)} ${n(height)}`,
        shine,
        0.24 * u,
        faint(0.7),
      ),
    );
  parts.push(rect(-over, horizon - 0.4 * u, width + 2 * over, 0.9 * u, lighter(shine, 0.5)));
  return parts.join('');
}
