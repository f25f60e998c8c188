import type { LightSpec } from '../brief.ts';
import { lighten, mix } from '../color.ts';
import type { Stage } from '../stage.ts';
import { circle, each, ellipse, faint, group, line, path, rect, svg, times } from '../svg.ts';

/** Draws the requested suns or moons; null if none is visible. */
export function lightOf(stage: Stage) {
  const { brief, look, frame, random: parent } = stage;
  const random = parent.fork('light');
  const { lights, weathers } = brief;
  const sun = lights.get('sun');
  const moon = lights.get('moon');
  const night = look.time === 'night' || (look.time === 'dusk' && moon !== undefined);
  const spec: LightSpec | undefined = night ? (moon ?? { count: 1, color: null, size: 1, word: '' }) : sun;
  const hidden = weathers.has('storm') || weathers.has('rain') || brief.moods.has('gloomy');
  const asked = night ? (moon?.count ?? 0) > 0 : (sun?.count ?? 0) > 0;
  if (spec?.count === 0 || (hidden && !asked) || (look.time === 'dusk' && !asked)) return null;
  const { width, horizon, u } = frame;
  const x = width * (0.5 + look.side * random.between(0.14, 0.3));
  const low = look.time === 'sunset' || look.time === 'dawn';
  const space = horizon / (100 * u);
  const up = low
    ? random.between(0.05, 0.16)
    : look.time === 'golden'
      ? random.between(0.25, 0.4)
      : random.between(0.55, 0.74);
  const y = horizon - Math.max(low ? 4 * u : 12 * u, horizon * up);
  const size = spec?.size ?? 1;
  const r = (night ? 5.2 : low ? 8 : 5.5) * u * size * Math.min(1.2, 0.6 + space * 0.6);
  const copies = Math.max(1, spec?.count ?? 1);
  const each = Array.from({ length: copies }, (_, index) => {
    const [cx, cy, cr] = [x - look.side * index * width * 0.24, y + index * 7 * u, r * (1 - index * 0.28)];
    return night ? drawMoon(stage, cx, cy, cr, spec as LightSpec) : drawSun(stage, cx, cy, cr);
  });
  return { svg: each.join(''), x, y, r, color: look.sun };
}

function drawSun({ look, defs, frame, brief, t }: Stage, x: number, y: number, r: number): string {
  const { u } = frame;
  const halo = defs.radial([0, look.sun, 0.85], [0.25, look.sun, 0.32], [0.6, look.sun, 0.09], [1, look.sun, 0]);
  const breath = 1 + 0.02 * Math.sin(t * 0.9);
  const parts = [circle(x, y, r * 4.6 * breath, halo)];
  if (brief.styles.has('neon')) {
    // A striped sun in retro style.
    const disc = defs.linear([0, '#ffe36b'], [0.5, '#ff7a59'], [1, '#f0379b']);
    const cuts = [0.12, 0.32, 0.5, 0.66, 0.82].map((at, index) =>
      rect(x - r * 1.7, y + r * 1.6 * at, r * 3.4, (0.6 + index * 0.35) * u, look.sky[1]),
    );
    return [...parts, circle(x, y, r * 1.6, disc), ...cuts].join('');
  }
  if (brief.styles.has('ukiyoe')) return circle(x, y, r * 1.5, look.glow('#d8442f'));
  parts.push(circle(x, y, r * 1.5, lighten(look.sun, 0.2), faint(0.25)), circle(x, y, r, lighten(look.sun, 0.35)));
  return parts.join('');
}

function drawMoon(
  { look, defs, random: parent, brief }: Stage,
  x: number,
  y: number,
  r: number,
  spec: LightSpec,
): string {
  const random = parent.fork('moon');
  const color = spec.color ? look.glow(spec.color) : look.sun;
  const halo = defs.radial([0, color, 0.5], [0.3, color, 0.16], [1, color, 0]);
  const crescent = /crescent|half/.test(spec.word) || (spec.word === '' && random.chance(0.4));
  const parts = [circle(x, y, r * 4, halo)];
  if (crescent && !brief.styles.has('ukiyoe')) {
    const d = svg`M${x} ${y - r}A${r} ${r} 0 1 1 ${x} ${y + r}A${r * 1.35} ${r * 1.35} 0 0 0 ${x} ${y - r}Z`;
    return [...parts, group(path(d, color), svg`rotate(${look.side < 0 ? 200 : -20} ${x} ${y})`)].join('');
  }
  parts.push(
    circle(
      x,
      y,
      r,
      defs.radialAt([0.42, 0.4, 0.62], [0, lighten(color, 0.4)], [0.75, color], [1, lighten(color, -0.12)]),
    ),
  );
  for (let crater = 0; crater < 7; crater += 1) {
    const [angle, reach, size] = [random.between(0, 6.3), random.between(0, 0.72), random.between(0.06, 0.2)];
    parts.push(
      ellipse(
        x + Math.cos(angle) * reach * r,
        y + Math.sin(angle) * reach * r,
        size * r,
        size * r * 0.9,
        lighten(color, -0.22),
        faint(0.4),
      ),
    );
  }
  return parts.join('');
}

export function stars({ frame, random: parent, look, t, brief }: Stage): string {
  const random = parent.fork('stars');
  const { width, horizon, margin, u } = frame;
  const few = look.time === 'dusk' && !brief.lights.has('star');
  const count = Math.round(Math.min(260, (width * horizon) / (u * u * 26)) * (few ? 0.35 : 1));
  let drawn = '';
  for (let index = 0; index < count; index += 1) {
    const [x, y] = [random.between(-margin, width + margin), random.next() ** 1.25 * horizon * 0.94];
    const bright = random.next() ** 3;
    const [speed, phase] = [random.between(0.8, 2.6), random.between(0, 6.3)];
    const twinkle = 0.72 + 0.28 * Math.sin(t * speed + phase);
    const fade = 1 - (y / horizon) ** 3 * 0.8;
    drawn += circle(x, y, (0.1 + bright * 0.26) * u, '#fffbe8', faint((0.45 + bright * 0.55) * twinkle * fade));
    if (bright > 0.62) {
      const reach = (0.7 + bright * 0.9) * u * twinkle;
      drawn += line(
        svg`M${x - reach} ${y}H${x + reach}M${x} ${y - reach}V${y + reach}`,
        '#fffbe8',
        0.07 * u,
        faint(0.55),
      );
    }
  }
  return drawn;
}

export function aurora({ frame, random: parent, look, defs, t, brief }: Stage): string {
  const random = parent.fork('aurora');
  const { width, horizon, margin, u } = frame;
  const own = brief.lights.get('aurora')?.color;
  const hues = own ? [own, lighten(own, 0.3), mix(own, '#7b5be0', 0.5)] : ['#5cf2b0', '#3fd6c4', '#8f7bf0'];
  let drawn = '';
  hues.forEach((hue, band) => {
    const color = look.glow(hue);
    const base = horizon * (0.34 + band * 0.16);
    const fill = defs.linear([0, color, 0], [0.55, color, 0.3], [0.9, color, 0.55], [1, color, 0]);
    const [phase, reach] = [random.between(0, 6.3), random.between(0.04, 0.09) * horizon];
    const steps = 44;
    for (let step = 0; step < steps; step += 1) {
      const at = step / steps;
      const x = -margin + at * (width + 2 * margin);
      const y =
        base + Math.sin(at * 7 + phase + t * 0.25) * reach + Math.sin(at * 17 + phase * 2 + t * 0.4) * reach * 0.3;
      const tall = horizon * (0.2 + 0.14 * Math.abs(Math.sin(at * 11 + phase + t * 0.5)));
      drawn += rect(
        x,
        y - tall,
        (width + 2 * margin) / steps + 0.6,
        tall + 3 * u,
        fill,
        faint(0.6 + 0.3 * Math.sin(at * 23 + t)),
      );
    }
  });
  return drawn;
}

export function rainbow({ frame, look, random: parent }: Stage): string {
  const random = parent.fork('rainbow');
  const { width, horizon, u } = frame;
  const [x, r] = [width * random.between(0.4, 0.6), Math.min(width * 0.46, horizon * 0.86)];
  return each(['#d94141', '#ee8a36', '#f5d547', '#5fb85a', '#3f86d6', '#6a4fc0'], (color, index) => {
    const reach = r - index * 1.5 * u;
    return line(
      svg`M${x - reach} ${horizon + 2 * u}A${reach} ${reach} 0 0 1 ${x + reach} ${horizon + 2 * u}`,
      look.glow(color),
      1.6 * u,
      faint(0.55),
    );
  });
}

export function comets({ frame, random: parent, defs }: Stage, count: number, t: number): string {
  const random = parent.fork('comets');
  const { width, horizon, u } = frame;
  const tail = defs.across([0, '#ffffff', 0], [1, '#ffffff', 0.95]);
  return times(count, () => {
    const [x, y, reach] = [
      random.between(0.1, 0.8) * width,
      random.between(0.08, 0.5) * horizon,
      random.between(12, 24) * u,
    ];
    const [angle, moved] = [random.between(18, 32), t * 6 * u];
    return group(
      path(svg`M0 0L${reach} ${-0.45 * u}A${0.5 * u} ${0.5 * u} 0 0 1 ${reach} ${0.45 * u}Z`, tail),
      svg`translate(${x + moved} ${y + moved * 0.5}) rotate(${angle})`,
    );
  });
}
