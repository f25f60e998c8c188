import { lighten, mix } from '../color.ts';
import type { Point } from '../geometry.ts';
import { fullWidth, type Stage } from '../stage.ts';
import { circle, ellipse, faint, line, path, svg, times } from '../svg.ts';

export function drawMist({ frame, look, random: parent, brief, t, defs }: Stage, top: number, strength = 1): string {
  const random = parent.fork(`mist ${Math.round(top)}`);
  const { width, margin, u } = frame;
  const wanted = brief.weathers.has('fog') ? 1 : brief.moods.has('dreamy') ? 0.5 : 0;
  if (wanted === 0) return '';
  const veil = fullWidth(
    frame,
    top - 26 * u,
    46 * u,
    defs.linear([0, look.haze, 0], [0.6, lighten(look.haze, 0.2), 0.62 * wanted * strength], [1, look.haze, 0]),
  );
  return (
    veil +
    times(8, (index) => {
      const [x, y] = [
        random.between(-margin, width + margin) + Math.sin(t * 0.12 + index) * 6 * u,
        top + random.between(-10, 12) * u,
      ];
      return ellipse(
        x,
        y,
        random.between(30, 62) * u,
        random.between(2.5, 6.5) * u,
        lighten(look.haze, 0.3),
        faint(0.2 * wanted * strength),
      );
    })
  );
}

export function drawFalling(stage: Stage): string {
  const { brief, frame, random: parent, t, look } = stage;
  const random = parent.fork('falling');
  const { width, height, margin, u } = frame;
  const { weathers, season } = brief;
  const wind = weathers.has('wind') || weathers.has('storm') ? 0.5 : 0.16;
  let drawn = '';
  const fall = (start: number, speed: number) =>
    ((((start * (height + 10 * u) + t * speed) % (height + 10 * u)) + height + 10 * u) % (height + 10 * u)) - 5 * u;
  if (weathers.has('rain') || (weathers.has('storm') && !weathers.has('snowfall'))) {
    drawn += fullWidth(frame, 0, height, '#31405a', faint(0.12));
    for (let drop = 0; drop < 170; drop += 1) {
      const near = random.next();
      const reach = (1.8 + near * 4.2) * u;
      const y = fall(random.next(), (60 + near * 70) * u);
      const x = random.between(-margin, width + margin) - wind * y * look.side * 0.4;
      drawn += line(
        svg`M${x} ${y}l${-wind * reach * look.side} ${reach}`,
        '#eaf4ff',
        (0.09 + near * 0.16) * u,
        faint(0.25 + near * 0.3),
      );
    }
    for (let splash = 0; splash < 24; splash += 1) {
      const age = (random.next() + t * 1.6) % 1;
      const [x, y] = [random.between(0, width), frame.horizon + random.between(0.25, 1) * (height - frame.horizon)];
      drawn += ellipse(
        x,
        y,
        (0.4 + age * 1.6) * u,
        (0.12 + age * 0.4) * u,
        'none',
        svg`stroke="#eef6ff" stroke-width="${0.14 * u}" ${faint(0.5 * (1 - age))}`,
      );
    }
  }
  if (weathers.has('snowfall')) {
    for (let flake = 0; flake < 130; flake += 1) {
      const near = random.next() ** 2;
      const y = fall(random.next(), (5 + near * 12) * u);
      const x = random.between(-margin, width + margin) + Math.sin(t * 0.9 + flake) * (1 + near * 2) * u;
      drawn += circle(x, y, (0.22 + near * 0.75) * u, '#ffffff', faint(0.55 + near * 0.4));
    }
  }
  if (season === 'autumn' && !weathers.has('rain')) {
    for (let leaf = 0; leaf < 16; leaf += 1) {
      const y = fall(random.next(), random.between(4, 8) * u);
      const x = random.between(-margin, width + margin) + Math.sin(t + leaf * 1.7) * 5 * u;
      const size = random.between(0.7, 1.4) * u;
      const color = look.ink(random.pick(['#d0702c', '#c2452d', '#e0a83a']), 0);
      drawn += svg`<g transform="translate(${x} ${y}) rotate(${random.between(0, 360) + t * 60})">${path(svg`M0 ${-size}Q${size * 0.9} 0 0 ${size}Q${-size * 0.9} 0 0 ${-size}Z`, color, faint(0.9))}</g>`;
    }
  }
  return drawn;
}

export function drawLightning({ brief, frame, random: parent, t, look, defs }: Stage): string {
  const spec = brief.lights.get('lightning');
  if ((spec?.count ?? 0) === 0 && !brief.weathers.has('storm')) return '';
  const beat = t === 0 ? 0 : t % 3.1;
  if (beat > 0.35) return '';
  const random = parent.fork(`bolt ${Math.floor(t / 3.1)}`);
  const { width, horizon, u } = frame;
  const [x, end] = [width * random.between(0.25, 0.75), horizon * random.between(0.85, 1)];
  const bolt: Point[] = [];
  for (let step = 0; step <= 9; step += 1)
    bolt.push([
      x + random.between(-3.4, 3.4) * u * (step > 0 ? 1 : 0) + (step * look.side * 6 * u) / 9,
      (end * step) / 9,
    ]);
  const trace = (points: readonly Point[]) => `M${points.map(([px, py]) => svg`${px} ${py}`).join('L')}`;
  const fork: Point[] = [bolt[4] as Point];
  for (let step = 1; step < 4; step += 1)
    fork.push([
      (bolt[4]?.[0] ?? 0) - look.side * step * 3.4 * u + random.between(-1.5, 1.5) * u,
      (bolt[4]?.[1] ?? 0) + step * 4 * u,
    ]);
  const flash = mix('#ffffff', look.glow('#c9b8ff'), 0.3);
  return [
    circle(x, end * 0.4, 46 * u, defs.radial([0, flash, 0.42], [1, flash, 0])),
    line(trace(bolt), flash, 1.9 * u, faint(0.32)),
    line(trace(bolt), '#ffffff', 0.62 * u),
    line(trace(fork), '#ffffff', 0.38 * u, faint(0.9)),
  ].join('');
}
