import { lighter, mix } from '../color.ts';
import { blob, curve, n, type Point, polygon, star } from '../geometry.ts';
import { circle, ellipse, faint, group, line, path, rect, type Stage } from '../stage.ts';

type Painter = (stage: Stage) => string;

/** A picture of nothing but shapes and colours, in one of several manners. */
export function drawAbstract(stage: Stage): string {
  const { frame, look, defs, random } = stage;
  const { width, height, over } = frame;
  const [first, second] = look.accents as [string, string];
  const pale = mix(look.glow(second), '#f8f3e7', 0.78);
  const ground = rect(
    -over,
    0,
    width + 2 * over,
    height,
    defs.linear([
      [0, pale],
      [1, mix(look.glow(first), '#f4ead8', 0.6)],
    ]),
  );
  if (stage.brief.things.some(({ count }) => count >= 0)) return ground + quietGround(stage);
  return ground + random.fork('manner').pick(PAINTERS)(stage);
}

/** Soft discs that leave the stage to what stands before them. */
function quietGround({ frame, random: parent, look, t }: Stage): string {
  const random = parent.fork('quiet');
  const { width, height, u } = frame;
  return Array.from({ length: 7 }, (_, index) => {
    const [x, y, r] = [random.between(0, width), random.between(0, height), random.between(10, 34) * u];
    const drift = Math.sin(t * 0.4 + index) * 2 * u;
    return circle(
      x + drift,
      y,
      r,
      lighter(look.glow(look.accents[index % look.accents.length] as string), 0.4),
      faint(0.16),
    );
  }).join('');
}

const colorsOf = ({ look }: Stage) => look.accents.map((color) => look.glow(color));

const PAINTERS: Painter[] = [
  /** Ribbons that flow across. */
  (stage) => {
    const { frame, random: parent, t, defs } = stage;
    const random = parent.fork('ribbons');
    const { width, height, over, u } = frame;
    const colors = colorsOf(stage);
    return Array.from({ length: 9 }, (_, index) => {
      const y = height * (0.12 + index * 0.1);
      const [phase, reach] = [random.between(0, 6.3), random.between(5, 13) * u];
      const edge = (dy: number, more: number): Point[] =>
        Array.from({ length: 9 }, (_ignored, step): Point => {
          const at = step / 8;
          return [-over + at * (width + 2 * over), y + dy + Math.sin(at * 5.2 + phase + more + t * 0.5) * reach];
        });
      const back = edge(random.between(9, 17) * u, 0.6).reverse();
      const color = colors[index % colors.length] as string;
      const fill = defs.linear(
        [
          [0, lighter(color, 0.3)],
          [0.5, color],
          [1, lighter(color, -0.28)],
        ],
        true,
      );
      return path(
        `${curve(edge(0, 0))}L${n(back[0]?.[0] ?? 0)} ${n(back[0]?.[1] ?? 0)}${curve(back).replace(/^M[^C]*/, '')}Z`,
        fill,
        faint(0.86),
      );
    }).join('');
  },
  /** Circles, arcs and bars, set against each other. */
  (stage) => {
    const { frame, random: parent, t } = stage;
    const random = parent.fork('bauhaus');
    const { width, height, u } = frame;
    const colors = [...colorsOf(stage), '#23242b', '#f4ecd9'];
    const cell = Math.min(width, height) / 5;
    const parts: string[] = [];
    for (let row = 0; row * cell < height; row += 1)
      for (let column = 0; column * cell < width; column += 1) {
        const [x, y] = [column * cell, row * cell];
        const [back, front] = [random.pick(colors), random.pick(colors)];
        parts.push(rect(x, y, cell + 0.5, cell + 0.5, back));
        const quarter = `M0 0H${n(cell)}A${n(cell)} ${n(cell)} 0 0 1 0 ${n(cell)}Z`;
        const shape = random.pick([
          path(quarter, front),
          circle(cell / 2, cell / 2, cell * 0.38, front) + circle(cell / 2, cell / 2, cell * 0.18, back),
          path(`M0 ${n(cell)}L${n(cell)} ${n(cell)}L${n(cell)} 0Z`, front),
          rect(0, 0, cell / 2, cell, front),
          path(quarter, front) +
            path(`M0 0H${n(cell * 0.5)}A${n(cell * 0.5)} ${n(cell * 0.5)} 0 0 1 0 ${n(cell * 0.5)}Z`, back),
        ]);
        const turn = random.whole(0, 3) * 90 + (random.chance(0.16) ? Math.sin(t * 0.7) * 90 : 0);
        parts.push(group(shape, `translate(${n(x)} ${n(y)}) rotate(${n(turn)} ${n(cell / 2)} ${n(cell / 2)})`));
      }
    return (
      parts.join('') + rect(0, 0, width, height, 'none', `stroke="#23242b" stroke-width="${n(0.4 * u)}" ${faint(0.3)}`)
    );
  },
  /** A rosette of turned petals. */
  (stage) => {
    const { frame, random: parent, t } = stage;
    const random = parent.fork('rosette');
    const { width, height, u } = frame;
    const colors = colorsOf(stage);
    const parts: string[] = [];
    const rays = random.pick([8, 10, 12, 14]);
    for (let ring = 6; ring >= 1; ring -= 1) {
      const [outer, color] = [ring * 8 * u, colors[ring % colors.length] as string];
      const wide = (outer * Math.PI) / rays / (ring % 2 === 0 ? 1.1 : 1.7);
      const petal = `M0 0C${n(wide)} ${n(-outer * 0.35)} ${n(wide * 0.9)} ${n(-outer * 0.8)} 0 ${n(-outer)}C${n(-wide * 0.9)} ${n(-outer * 0.8)} ${n(-wide)} ${n(-outer * 0.35)} 0 0Z`;
      for (let ray = 0; ray < rays; ray += 1) {
        const turn = ((ray + (ring % 2) / 2) / rays) * 360 + t * (ring % 2 === 0 ? 6 : -6);
        const half = group(
          path(petal, color) +
            line(`M0 ${n(-outer * 0.2)}V${n(-outer * 0.86)}`, lighter(color, 0.4), 0.3 * u, faint(0.7)),
          `rotate(${n(turn)})`,
          faint(0.92),
        );
        parts.push(half);
      }
      parts.push(circle(0, 0, outer * 0.2, lighter(color, 0.3)));
    }
    parts.push(path(star([0, 0], 4.6 * u, 2.2 * u, rays), lighter(colors[0] as string, 0.5)));
    return group(parts.join(''), `translate(${n(width / 2)} ${n(height / 2)})`);
  },
  /** Cubes, stacked as one sees them from above. */
  (stage) => {
    const { frame, random: parent, t } = stage;
    const random = parent.fork('cubes');
    const { width, height, over, u } = frame;
    const colors = colorsOf(stage);
    const [w, h] = [7.4 * u, 4.3 * u];
    const parts: string[] = [];
    for (let row = -2; row * h < height + 20 * u; row += 1)
      for (let column = -1; column * 2 * w < width + 2 * over + 2 * w; column += 1) {
        const x = -over + column * 2 * w + (row % 2 === 0 ? 0 : w);
        const lift = (Math.sin(column * 1.3 + row * 0.7 + t * 1.2) + random.between(-0.6, 0.6)) * 2.6 * u;
        const [y, color] = [row * h - lift + 6 * u, random.pick(colors)];
        const face = (points: Point[], by: number) => path(polygon(points), lighter(color, by));
        parts.push(
          face(
            [
              [x - w, y],
              [x, y + h],
              [x, y + h + 9 * u],
              [x - w, y + 9 * u],
            ],
            -0.12,
          ),
          face(
            [
              [x + w, y],
              [x, y + h],
              [x, y + h + 9 * u],
              [x + w, y + 9 * u],
            ],
            -0.34,
          ),
          face(
            [
              [x, y - h],
              [x + w, y],
              [x, y + h],
              [x - w, y],
            ],
            0.26,
          ),
        );
      }
    return parts.join('');
  },
  /** Points that know each other. */
  (stage) => {
    const { frame, random: parent, t, defs } = stage;
    const random = parent.fork('network');
    const { width, height, over, u } = frame;
    const colors = colorsOf(stage);
    const dark = lighter(colors[0] as string, -0.72);
    const points = Array.from(
      { length: 46 },
      (_, index): Point => [
        random.between(-over, width + over) + Math.sin(t * 0.6 + index) * 1.6 * u,
        random.between(0, height) + Math.cos(t * 0.5 + index * 2) * 1.6 * u,
      ],
    );
    const parts = [
      rect(
        -over,
        0,
        width + 2 * over,
        height,
        defs.radial(
          [
            [0, lighter(dark, 0.16)],
            [1, dark],
          ],
          0.5,
          0.45,
          0.75,
        ),
      ),
    ];
    points.forEach(([x, y], index) => {
      for (const [px, py] of points.slice(index + 1)) {
        const far = Math.hypot(px - x, py - y);
        if (far < 22 * u)
          parts.push(
            line(
              `M${n(x)} ${n(y)}L${n(px)} ${n(py)}`,
              colors[index % colors.length] as string,
              0.22 * u,
              faint(0.75 * (1 - far / (22 * u))),
            ),
          );
      }
    });
    points.forEach(([x, y], index) => {
      const [color, r] = [colors[index % colors.length] as string, random.between(0.5, 2.1) * u];
      parts.push(
        circle(
          x,
          y,
          r * 3,
          defs.radial([
            [0, color, 0.5],
            [1, color, 0],
          ]),
        ),
        circle(x, y, r, lighter(color, 0.35)),
      );
    });
    return parts.join('');
  },
  /** Soft forms that lie over each other. */
  (stage) => {
    const { frame, random: parent, t } = stage;
    const random = parent.fork('forms');
    const { width, height, u } = frame;
    const colors = colorsOf(stage);
    const parts = Array.from({ length: 12 }, (_, index) => {
      const [x, y, r] = [
        ((index % 4) + random.between(0.2, 0.8)) * (width / 4),
        (Math.floor(index / 4) + random.between(0.2, 0.8)) * (height / 3),
        random.between(12, 27) * u,
      ];
      const color = colors[index % colors.length] as string;
      const shape = random.pick([
        () => path(blob(random, [0, 0], r, r * random.between(0.6, 1), 0.24, 8), color),
        () => ellipse(0, 0, r * 0.7, r * 0.7, color),
        () => path(`M${n(-r)} 0A${n(r)} ${n(r)} 0 0 1 ${n(r)} 0Z`, color),
      ])();
      return group(
        shape,
        `translate(${n(x + Math.sin(t * 0.4 + index) * 2 * u)} ${n(y + Math.cos(t * 0.5 + index) * 2 * u)}) rotate(${n(random.between(0, 360) + t * 3)})`,
        faint(0.85),
      );
    });
    for (let stroke = 0; stroke < 6; stroke += 1) {
      const [x, y] = [random.between(0.05, 0.8) * width, random.between(0.1, 0.9) * height];
      parts.push(
        line(
          `M${n(x)} ${n(y)}q${n(random.between(4, 14) * u)} ${n(random.between(-12, 12) * u)} ${n(random.between(14, 26) * u)} 0`,
          '#23242b',
          0.5 * u,
          faint(0.85),
        ),
      );
    }
    return parts.join('');
  },
];
