import { lighten, mix } from '../color.ts';
import { blob, curve, type Point, star } from '../geometry.ts';
import { fullWidth, type Stage } from '../stage.ts';
import { circle, ellipse, faint, group, line, path, rect, svg, times } from '../svg.ts';

type Painter = (stage: Stage) => string;

export function drawAbstract(stage: Stage): string {
  const { frame, look, defs, random } = stage;
  const { height } = frame;
  const [first, second] = look.accents as [string, string];
  const pale = mix(look.glow(second), '#f8f3e7', 0.78);
  const ground = fullWidth(frame, 0, height, defs.linear([0, pale], [1, mix(look.glow(first), '#f4ead8', 0.6)]));
  if (stage.brief.things.some(({ count }) => count >= 0)) return ground + quietGround(stage);
  return ground + random.fork('manner').pick(PAINTERS)(stage);
}

function quietGround({ frame, random: parent, look, t }: Stage): string {
  const random = parent.fork('quiet');
  const { width, height, u } = frame;
  return times(7, (index) => {
    const [x, y, r] = [random.between(0, width), random.between(0, height), random.between(10, 34) * u];
    const drift = Math.sin(t * 0.4 + index) * 2 * u;
    return circle(
      x + drift,
      y,
      r,
      lighten(look.glow(look.accents[index % look.accents.length] as string), 0.4),
      faint(0.16),
    );
  });
}

const colorsOf = ({ look }: Stage) => look.accents.map((color) => look.glow(color));

const PAINTERS: Painter[] = [
  /** Flowing ribbons. */
  (stage) => {
    const { frame, random: parent, t, defs } = stage;
    const random = parent.fork('ribbons');
    const { width, height, margin, u } = frame;
    const colors = colorsOf(stage);
    return times(9, (index) => {
      const y = height * (0.12 + index * 0.1);
      const [phase, reach] = [random.between(0, 6.3), random.between(5, 13) * u];
      const edge = (dy: number, more: number): Point[] =>
        Array.from({ length: 9 }, (_ignored, step): Point => {
          const at = step / 8;
          return [-margin + at * (width + 2 * margin), y + dy + Math.sin(at * 5.2 + phase + more + t * 0.5) * reach];
        });
      const back = edge(random.between(9, 17) * u, 0.6).reverse();
      const color = colors[index % colors.length] as string;
      const fill = defs.across([0, lighten(color, 0.3)], [0.5, color], [1, lighten(color, -0.28)]);
      return path(
        svg`${curve(edge(0, 0))}L${back[0]?.[0] ?? 0} ${back[0]?.[1] ?? 0}${curve(back).replace(/^M[^C]*/, '')}Z`,
        fill,
        faint(0.86),
      );
    });
  },
  /** Contrasting circles, arcs and bars. */
  (stage) => {
    const { frame, random: parent, t } = stage;
    const random = parent.fork('bauhaus');
    const { width, height, u } = frame;
    const colors = [...colorsOf(stage), '#23242b', '#f4ecd9'];
    const cell = Math.min(width, height) / 5;
    let drawn = '';
    for (let row = 0; row * cell < height; row += 1)
      for (let column = 0; column * cell < width; column += 1) {
        const [x, y] = [column * cell, row * cell];
        const [back, front] = [random.pick(colors), random.pick(colors)];
        drawn += rect(x, y, cell + 0.5, cell + 0.5, back);
        const quarter = svg`M0 0H${cell}A${cell} ${cell} 0 0 1 0 ${cell}Z`;
        const shape = random.pick([
          path(quarter, front),
          circle(cell / 2, cell / 2, cell * 0.38, front) + circle(cell / 2, cell / 2, cell * 0.18, back),
          path(svg`M0 ${cell}L${cell} ${cell}L${cell} 0Z`, front),
          rect(0, 0, cell / 2, cell, front),
          path(quarter, front) + path(svg`M0 0H${cell * 0.5}A${cell * 0.5} ${cell * 0.5} 0 0 1 0 ${cell * 0.5}Z`, back),
        ]);
        const turn = random.whole(0, 3) * 90 + (random.chance(0.16) ? Math.sin(t * 0.7) * 90 : 0);
        drawn += group(shape, svg`translate(${x} ${y}) rotate(${turn} ${cell / 2} ${cell / 2})`);
      }
    return drawn + rect(0, 0, width, height, 'none', svg`stroke="#23242b" stroke-width="${0.4 * u}" ${faint(0.3)}`);
  },
  /** A rosette of rotated petals. */
  (stage) => {
    const { frame, random: parent, t } = stage;
    const random = parent.fork('rosette');
    const { width, height, u } = frame;
    const colors = colorsOf(stage);
    let drawn = '';
    const rays = random.pick([8, 10, 12, 14]);
    for (let ring = 6; ring >= 1; ring -= 1) {
      const [outer, color] = [ring * 8 * u, colors[ring % colors.length] as string];
      const wide = (outer * Math.PI) / rays / (ring % 2 === 0 ? 1.1 : 1.7);
      const petal = svg`M0 0C${wide} ${-outer * 0.35} ${wide * 0.9} ${-outer * 0.8} 0 ${-outer}C${-wide * 0.9} ${-outer * 0.8} ${-wide} ${-outer * 0.35} 0 0Z`;
      for (let ray = 0; ray < rays; ray += 1) {
        const turn = ((ray + (ring % 2) / 2) / rays) * 360 + t * (ring % 2 === 0 ? 6 : -6);
        const half = group(
          path(petal, color) + line(svg`M0 ${-outer * 0.2}V${-outer * 0.86}`, lighten(color, 0.4), 0.3 * u, faint(0.7)),
          svg`rotate(${turn})`,
          faint(0.92),
        );
        drawn += half;
      }
      drawn += circle(0, 0, outer * 0.2, lighten(color, 0.3));
    }
    drawn += path(star([0, 0], 4.6 * u, 2.2 * u, rays), lighten(colors[0] as string, 0.5));
    return group(drawn, svg`translate(${width / 2} ${height / 2})`);
  },
  /** Stacked cubes seen from above. */
  (stage) => {
    const { frame, random: parent, t } = stage;
    const random = parent.fork('cubes');
    const { width, height, margin, u } = frame;
    const colors = colorsOf(stage);
    const [w, h] = [7.4 * u, 4.3 * u];
    let drawn = '';
    for (let row = -2; row * h < height + 20 * u; row += 1)
      for (let column = -1; column * 2 * w < width + 2 * margin + 2 * w; column += 1) {
        const x = -margin + column * 2 * w + (row % 2 === 0 ? 0 : w);
        const lift = (Math.sin(column * 1.3 + row * 0.7 + t * 1.2) + random.between(-0.6, 0.6)) * 2.6 * u;
        const [y, color] = [row * h - lift + 6 * u, random.pick(colors)];
        const face = (d: string, by: number) => path(d, lighten(color, by));
        drawn +=
          face(svg`M${x - w} ${y}L${x} ${y + h}L${x} ${y + h + 9 * u}L${x - w} ${y + 9 * u}Z`, -0.12) +
          face(svg`M${x + w} ${y}L${x} ${y + h}L${x} ${y + h + 9 * u}L${x + w} ${y + 9 * u}Z`, -0.34) +
          face(svg`M${x} ${y - h}L${x + w} ${y}L${x} ${y + h}L${x - w} ${y}Z`, 0.26);
      }
    return drawn;
  },
  /** Connected points. */
  (stage) => {
    const { frame, random: parent, t, defs } = stage;
    const random = parent.fork('network');
    const { width, height, margin, u } = frame;
    const colors = colorsOf(stage);
    const dark = lighten(colors[0] as string, -0.72);
    const points = Array.from(
      { length: 46 },
      (_, index): Point => [
        random.between(-margin, width + margin) + Math.sin(t * 0.6 + index) * 1.6 * u,
        random.between(0, height) + Math.cos(t * 0.5 + index * 2) * 1.6 * u,
      ],
    );
    let drawn = fullWidth(frame, 0, height, defs.radialAt([0.5, 0.45, 0.75], [0, lighten(dark, 0.16)], [1, dark]));
    points.forEach(([x, y], index) => {
      for (const [px, py] of points.slice(index + 1)) {
        const far = Math.hypot(px - x, py - y);
        if (far < 22 * u)
          drawn += line(
            svg`M${x} ${y}L${px} ${py}`,
            colors[index % colors.length] as string,
            0.22 * u,
            faint(0.75 * (1 - far / (22 * u))),
          );
      }
    });
    points.forEach(([x, y], index) => {
      const [color, r] = [colors[index % colors.length] as string, random.between(0.5, 2.1) * u];
      drawn += circle(x, y, r * 3, defs.radial([0, color, 0.5], [1, color, 0])) + circle(x, y, r, lighten(color, 0.35));
    });
    return drawn;
  },
  /** Soft overlapping shapes. */
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
        () => path(svg`M${-r} 0A${r} ${r} 0 0 1 ${r} 0Z`, color),
      ])();
      return group(
        shape,
        svg`translate(${x + Math.sin(t * 0.4 + index) * 2 * u} ${y + Math.cos(t * 0.5 + index) * 2 * u}) rotate(${random.between(0, 360) + t * 3})`,
        faint(0.85),
      );
    });
    for (let stroke = 0; stroke < 6; stroke += 1) {
      const [x, y] = [random.between(0.05, 0.8) * width, random.between(0.1, 0.9) * height];
      parts.push(
        line(
          svg`M${x} ${y}q${random.between(4, 14) * u} ${random.between(-12, 12) * u} ${random.between(14, 26) * u} 0`,
          '#23242b',
          0.5 * u,
          faint(0.85),
        ),
      );
    }
    return parts.join('');
  },
];
