import { colorOf, lighter, mix } from '../color.ts';
import { blob, n, type Point } from '../geometry.ts';
import { circle, ellipse, faint, group, line, path, rect, type Stage } from '../stage.ts';

/** Space: clouds of light, stars, planets. */
export function drawSpace(stage: Stage): string {
  const { frame, random: parent, look, brief, defs, t } = stage;
  const random = parent.fork('space');
  const { width, height, over, u } = frame;
  const own = brief.places.get('space');
  const hue = random.between(200, 340);
  const deep = look.glow(own ? lighter(own, -0.75) : '#070a1e');
  const parts = [
    rect(
      -over,
      0,
      width + 2 * over,
      height,
      defs.linear([
        [0, deep],
        [1, mix(deep, look.glow(colorOf(0.32, 0.1, hue)), 0.55)],
      ]),
    ),
  ];
  for (let cloud = 0; cloud < 9; cloud += 1) {
    const color = look.glow(
      own && cloud % 2 === 0 ? own : colorOf(random.between(0.45, 0.7), 0.14, hue + random.between(-70, 70)),
    );
    const fill = defs.radial([
      [0, color, 0.42],
      [0.5, color, 0.16],
      [1, color, 0],
    ]);
    const along = cloud / 8;
    const [x, y] = [
      width * (along + random.between(-0.15, 0.15)),
      height * (0.75 - along * 0.5 + random.between(-0.18, 0.18)),
    ];
    parts.push(
      group(
        ellipse(0, 0, random.between(26, 60) * u, random.between(14, 32) * u, fill),
        `translate(${n(x)} ${n(y)}) rotate(${n(random.between(-50, -10))})`,
      ),
    );
  }
  for (let index = 0; index < 240; index += 1) {
    const bright = random.next() ** 4;
    const twinkle = 0.75 + 0.25 * Math.sin(t * random.between(0.8, 2.4) + index);
    const color = random.pick(['#ffffff', '#fff3d6', '#dfe9ff']);
    const [x, y] = [random.between(-over, width + over), random.between(0, height)];
    parts.push(circle(x, y, (0.1 + bright * 0.32) * u, color, faint((0.4 + bright * 0.6) * twinkle)));
    if (bright > 0.5) {
      const reach = (0.8 + bright * 1.4) * u * twinkle;
      parts.push(
        line(
          `M${n(x - reach)} ${n(y)}H${n(x + reach)}M${n(x)} ${n(y - reach)}V${n(y + reach)}`,
          color,
          0.09 * u,
          faint(0.6),
        ),
      );
    }
  }
  parts.push(
    planet(
      stage,
      random,
      [width * (0.5 + look.side * random.between(0.16, 0.28)), height * random.between(0.24, 0.4)],
      random.between(13, 21) * u,
      hue,
    ),
  );
  parts.push(
    planet(
      stage,
      random,
      [width * (0.5 - look.side * random.between(0.24, 0.4)), height * random.between(0.14, 0.5)],
      random.between(3, 6) * u,
      hue + 120,
    ),
  );
  return parts.join('');
}

function planet(
  { defs, look, t, brief }: Stage,
  random: Stage['random'],
  [x, y]: Point,
  r: number,
  hue: number,
): string {
  const own = brief.colors[0];
  const base = look.glow(own ?? colorOf(random.between(0.55, 0.72), 0.13, hue + random.between(100, 220)));
  const clip = defs.clip(
    `M${n(x - r)} ${n(y)}A${n(r)} ${n(r)} 0 1 1 ${n(x + r)} ${n(y)}A${n(r)} ${n(r)} 0 1 1 ${n(x - r)} ${n(y)}Z`,
  );
  const bands: string[] = [];
  const banded = random.chance(0.6);
  for (let band = 0; band < 7; band += 1) {
    const by = y - r + ((band + random.next()) / 7) * 2 * r;
    const color = lighter(base, random.between(-0.24, 0.3));
    bands.push(
      banded
        ? ellipse(
            x + Math.sin(t * 0.2 + band) * r * 0.05,
            by,
            r * 1.3,
            r * random.between(0.05, 0.13),
            color,
            faint(0.8),
          )
        : path(
            blob(
              random,
              [x + random.between(-0.8, 0.8) * r, by],
              r * random.between(0.15, 0.4),
              r * random.between(0.1, 0.25),
              0.3,
            ),
            color,
            faint(0.7),
          ),
    );
  }
  const ring =
    banded && r > 40
      ? (half: 0 | 1) =>
          group(
            line(
              `M${n(-r * 1.85)} 0A${n(r * 1.85)} ${n(r * 0.42)} 0 0 ${half} ${n(r * 1.85)} 0`,
              lighter(base, 0.5),
              r * 0.13,
              faint(0.75),
            ) +
              line(
                `M${n(-r * 1.55)} 0A${n(r * 1.55)} ${n(r * 0.33)} 0 0 ${half} ${n(r * 1.55)} 0`,
                lighter(base, 0.3),
                r * 0.08,
                faint(0.6),
              ),
            `translate(${n(x)} ${n(y)}) rotate(${n(look.side * 16)})`,
          )
      : () => '';
  const shade = defs.radial(
    [
      [0, '#000000', 0],
      [0.62, '#000010', 0.1],
      [1, '#000010', 0.82],
    ],
    0.5 + look.side * 0.2,
    0.36,
    0.75,
  );
  return [
    circle(
      x,
      y,
      r * 1.35,
      defs.radial([
        [0.7, base, 0.28],
        [1, base, 0],
      ]),
    ),
    ring(1),
    circle(x, y, r, base),
    `<g clip-path="${clip}">${bands.join('')}</g>`,
    circle(x, y, r, shade),
    ring(0),
  ].join('');
}

/** The ground of a moon, with craters, for whoever stands there. */
export function drawMoonGround({ frame, random: parent, look, defs }: Stage): string {
  const random = parent.fork('moon ground');
  const { width, height, horizon, over, u } = frame;
  const dust = look.glow('#a7a3ad');
  const top = horizon + 2 * u;
  const parts = [
    path(
      `M${n(-over)} ${n(top + 4 * u)}Q${n(width / 2)} ${n(top - 6 * u)} ${n(width + over)} ${n(top + 4 * u)}V${n(height)}H${n(-over)}Z`,
      defs.linear([
        [0, lighter(dust, 0.2)],
        [1, lighter(dust, -0.42)],
      ]),
    ),
  ];
  for (let crater = 0; crater < 16; crater += 1) {
    const near = random.next();
    const [x, y, r] = [
      random.between(0, width),
      top + 5 * u + near * (height - top - 6 * u),
      (1.2 + near * 6) * u * random.between(0.5, 1.2),
    ];
    parts.push(
      ellipse(x, y, r, r * 0.3, lighter(dust, -0.3), faint(0.8)),
      ellipse(x, y + r * 0.07, r * 0.9, r * 0.22, lighter(dust, -0.12), faint(0.9)),
    );
  }
  return parts.join('');
}
