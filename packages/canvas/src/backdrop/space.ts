import { colorOf, lighten, mix } from '../color.ts';
import { blob, type Point } from '../geometry.ts';
import { fullWidth, type Stage } from '../stage.ts';
import { circle, ellipse, faint, group, line, path, svg } from '../svg.ts';

export function drawSpace(stage: Stage): string {
  const { frame, random: parent, look, brief, defs, t } = stage;
  const random = parent.fork('space');
  const { width, height, margin, u } = frame;
  const own = brief.places.get('space');
  const hue = random.between(200, 340);
  const deep = look.glow(own ? lighten(own, -0.75) : '#070a1e');
  let drawn = fullWidth(
    frame,
    0,
    height,
    defs.linear([0, deep], [1, mix(deep, look.glow(colorOf(0.32, 0.1, hue)), 0.55)]),
  );
  for (let cloud = 0; cloud < 9; cloud += 1) {
    const color = look.glow(
      own && cloud % 2 === 0 ? own : colorOf(random.between(0.45, 0.7), 0.14, hue + random.between(-70, 70)),
    );
    const fill = defs.radial([0, color, 0.42], [0.5, color, 0.16], [1, color, 0]);
    const along = cloud / 8;
    const [x, y] = [
      width * (along + random.between(-0.15, 0.15)),
      height * (0.75 - along * 0.5 + random.between(-0.18, 0.18)),
    ];
    drawn += group(
      ellipse(0, 0, random.between(26, 60) * u, random.between(14, 32) * u, fill),
      svg`translate(${x} ${y}) rotate(${random.between(-50, -10)})`,
    );
  }
  for (let index = 0; index < 240; index += 1) {
    const bright = random.next() ** 4;
    const twinkle = 0.75 + 0.25 * Math.sin(t * random.between(0.8, 2.4) + index);
    const color = random.pick(['#ffffff', '#fff3d6', '#dfe9ff']);
    const [x, y] = [random.between(-margin, width + margin), random.between(0, height)];
    drawn += circle(x, y, (0.1 + bright * 0.32) * u, color, faint((0.4 + bright * 0.6) * twinkle));
    if (bright > 0.5) {
      const reach = (0.8 + bright * 1.4) * u * twinkle;
      drawn += line(svg`M${x - reach} ${y}H${x + reach}M${x} ${y - reach}V${y + reach}`, color, 0.09 * u, faint(0.6));
    }
  }
  drawn += planet(
    stage,
    random,
    [width * (0.5 + look.side * random.between(0.16, 0.28)), height * random.between(0.24, 0.4)],
    random.between(13, 21) * u,
    hue,
  );
  drawn += planet(
    stage,
    random,
    [width * (0.5 - look.side * random.between(0.24, 0.4)), height * random.between(0.14, 0.5)],
    random.between(3, 6) * u,
    hue + 120,
  );
  return drawn;
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
  const clip = defs.clip(svg`M${x - r} ${y}A${r} ${r} 0 1 1 ${x + r} ${y}A${r} ${r} 0 1 1 ${x - r} ${y}Z`);
  const bands: string[] = [];
  const banded = random.chance(0.6);
  for (let band = 0; band < 7; band += 1) {
    const by = y - r + ((band + random.next()) / 7) * 2 * r;
    const color = lighten(base, random.between(-0.24, 0.3));
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
              svg`M${-r * 1.85} 0A${r * 1.85} ${r * 0.42} 0 0 ${half} ${r * 1.85} 0`,
              lighten(base, 0.5),
              r * 0.13,
              faint(0.75),
            ) +
              line(
                svg`M${-r * 1.55} 0A${r * 1.55} ${r * 0.33} 0 0 ${half} ${r * 1.55} 0`,
                lighten(base, 0.3),
                r * 0.08,
                faint(0.6),
              ),
            svg`translate(${x} ${y}) rotate(${look.side * 16})`,
          )
      : () => '';
  const shade = defs.radialAt(
    [0.5 + look.side * 0.2, 0.36, 0.75],
    [0, '#000000', 0],
    [0.62, '#000010', 0.1],
    [1, '#000010', 0.82],
  );
  return [
    circle(x, y, r * 1.35, defs.radial([0.7, base, 0.28], [1, base, 0])),
    ring(1),
    circle(x, y, r, base),
    `<g clip-path="${clip}">${bands.join('')}</g>`,
    circle(x, y, r, shade),
    ring(0),
  ].join('');
}

export function drawMoonGround({ frame, random: parent, look, defs }: Stage): string {
  const random = parent.fork('moon ground');
  const { width, height, horizon, margin, u } = frame;
  const dust = look.glow('#a7a3ad');
  const top = horizon + 2 * u;
  let drawn = path(
    svg`M${-margin} ${top + 4 * u}Q${width / 2} ${top - 6 * u} ${width + margin} ${top + 4 * u}V${height}H${-margin}Z`,
    defs.linear([0, lighten(dust, 0.2)], [1, lighten(dust, -0.42)]),
  );
  for (let crater = 0; crater < 16; crater += 1) {
    const near = random.next();
    const [x, y, r] = [
      random.between(0, width),
      top + 5 * u + near * (height - top - 6 * u),
      (1.2 + near * 6) * u * random.between(0.5, 1.2),
    ];
    drawn +=
      ellipse(x, y, r, r * 0.3, lighten(dust, -0.3), faint(0.8)) +
      ellipse(x, y + r * 0.07, r * 0.9, r * 0.22, lighten(dust, -0.12), faint(0.9));
  }
  return drawn;
}
