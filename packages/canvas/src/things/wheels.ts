import { lighten, mix } from '../color.ts';
import { circle, each, ellipse, faint, group, line, path, rect, svg } from '../svg.ts';
import { type DrawThing, type Pencil, tones } from './pencil.ts';

function wheel({ ink, t }: Pencil, x: number, y: number, r: number): string {
  const spokes = group(
    line(svg`M${-r * 0.5} 0H${r * 0.5}M0 ${-r * 0.5}V${r * 0.5}`, ink('#8f959c'), r * 0.12),
    svg`rotate(${t * 160})`,
  );
  return group(
    circle(0, 0, r, ink('#25262b')) + circle(0, 0, r * 0.58, ink('#c9ced3')) + spokes,
    svg`translate(${x} ${y})`,
  );
}

const car: DrawThing = (pencil) => {
  const { ink, color, random, accents, glow, night, word } = pencil;
  const taxi = /taxi|cab/.test(word);
  const body = tones(ink(color ?? (taxi ? '#f2bf2e' : random.pick([...accents, '#c8362f', '#3f6fa8', '#e6e3da']))));
  const glass = night ? ink('#3a4a62') : mix(ink('#9cc5d8'), ink('#3a5266'), 0.25);
  const beam = night ? path('M70 -22L150 -36V6Z', glow('#ffeeb5'), faint(0.35)) : '';
  return [
    beam,
    path('M-72 -14C-74 -28 -66 -34 -46 -36L-28 -58C-24 -62 20 -63 28 -58L48 -37C66 -35 74 -30 73 -14Z', body.base),
    path('M-72 -14Q-72 -24 -66 -27H70Q74 -22 73 -14Z', body.shade),
    path('M-24 -54H-3V-37H-38ZM3 -54H22L38 -37H3Z', glass),
    path('M-24 -54H-14L-26 -37H-38ZM3 -54H10L4 -43Z', '#ffffff', faint(0.25)),
    line('M0 -37V-16', body.shade, 1.4),
    rect(6, -32, 9, 2.4, body.dark, 'rx="1"'),
    ellipse(70, -25, 4, 4.4, night ? glow('#fff1c2') : ink('#fbeec2')),
    rect(-74, -28, 5, 7, glow('#d8382f'), 'rx="2"'),
    taxi ? rect(-10, -67, 20, 7, ink('#2c2c30'), 'rx="2"') : '',
    wheel(pencil, -42, -13, 14),
    wheel(pencil, 42, -13, 14),
  ].join('');
};

const bus: DrawThing = (pencil) => {
  const { ink, color, random, night, glow } = pencil;
  const body = tones(ink(color ?? random.pick(['#d6392f', '#e0a42f', '#3f8f8a'])));
  const glass = night ? glow('#ffe09a') : mix(ink('#9cc5d8'), ink('#3a5266'), 0.2);
  return [
    rect(-84, -72, 168, 62, body.base, 'rx="10"'),
    rect(-84, -30, 168, 20, body.shade, 'rx="6"'),
    rect(-84, -36, 168, 5, ink('#f6f0e2')),
    each([-74, -48, -22, 4, 30], (x) => rect(x, -64, 21, 22, glass, 'rx="3"')),
    rect(56, -64, 24, 26, glass, 'rx="3"'),
    rect(56, -30, 16, 20, body.dark, 'rx="2"'),
    circle(80, -20, 3.6, ink('#fbeec2')),
    wheel(pencil, -50, -11, 14),
    wheel(pencil, 40, -11, 14),
  ].join('');
};

const truck: DrawThing = (pencil) => {
  const { ink, color, random, word } = pencil;
  const body = tones(
    ink(
      color ??
        (/fire/.test(word)
          ? '#cf2f27'
          : word === 'tractor'
            ? '#4d8f43'
            : random.pick(['#3f74a8', '#c9762f', '#7a8a94'])),
    ),
  );
  const glass = mix(ink('#9cc5d8'), ink('#3a5266'), 0.25);
  if (word === 'tractor')
    return (
      path('M-8 -34H52Q58 -34 58 -26V-16H-8Z', body.base) +
      rect(-36, -72, 38, 40, body.base, 'rx="5"') +
      rect(-30, -66, 26, 22, glass, 'rx="3"') +
      rect(-42, -76, 50, 6, body.shade, 'rx="2"') +
      rect(34, -54, 5, 20, ink('#4a4a50')) +
      wheel(pencil, -24, -22, 24) +
      wheel(pencil, 44, -12, 14)
    );
  return (
    rect(-80, -62, 104, 50, /fire/.test(word) ? body.base : ink('#eae6dc'), 'rx="4"') +
    rect(-80, -26, 104, 14, body.shade) +
    path('M28 -12V-56H54Q60 -56 64 -46L72 -30Q76 -28 76 -22V-12Z', body.base) +
    path('M36 -50H53L62 -33H36Z', glass) +
    (/fire/.test(word)
      ? line('M-74 -68H26M-74 -74H26M-66 -74v6M-48 -74v6M-30 -74v6M-12 -74v6M6 -74v6', ink('#e2e5e8'), 2.4)
      : '') +
    circle(74, -22, 3.2, ink('#fbeec2')) +
    wheel(pencil, -52, -12, 13) +
    wheel(pencil, -20, -12, 13) +
    wheel(pencil, 52, -12, 13)
  );
};

const train: DrawThing = (pencil) => {
  const { ink, color, random, t, night, glow } = pencil;
  const body = tones(ink(color ?? random.pick(['#2f5d4a', '#8a2f2b', '#33475f'])));
  const brass = ink('#d9a842');
  const glass = night ? glow('#ffe09a') : ink('#cfe3ea');
  const smoke = [0, 1, 2, 3, 4].map((puff) => {
    const rise = (puff * 16 + t * 22) % 80;
    return circle(
      60 - rise * 1.2,
      -84 - rise * 0.5,
      6 + rise * 0.2,
      lighten(ink('#d5d2cf'), 0.3),
      faint(0.75 - rise * 0.008),
    );
  });
  const wagon = (x: number) =>
    rect(x, -56, 76, 42, body.lit, 'rx="4"') +
    rect(x, -26, 76, 12, body.shade) +
    each([8, 30, 52], (dx) => rect(x + dx, -50, 16, 16, glass, 'rx="2"')) +
    rect(x - 2, -60, 80, 5, body.dark, 'rx="2"') +
    wheel(pencil, x + 16, -9, 9) +
    wheel(pencil, x + 60, -9, 9);
  return [
    line('M-190 0H110', ink('#6b6560'), 2.4),
    ...smoke,
    wagon(-184),
    wagon(-100),
    line('M-108 -14H-98M-24 -14H-14', ink('#3a3a40'), 4),
    rect(-16, -70, 34, 54, body.base, 'rx="3"') +
      rect(-10, -62, 20, 18, glass, 'rx="2"') +
      rect(-22, -76, 46, 6, body.dark, 'rx="2"'),
    rect(16, -52, 60, 36, body.base, 'rx="8"') +
      rect(16, -30, 60, 14, body.shade, 'rx="6"') +
      line('M32 -52V-16M50 -52V-16', brass, 2.4),
    path('M54 -52L52 -76H70L68 -52Z', body.dark) + rect(50, -79, 22, 5, brass, 'rx="2"'),
    circle(30, -56, 6, brass),
    path('M76 -16H90L100 0H76Z', ink('#3a3a40')),
    circle(78, -36, 5, glow('#fff0b8')),
    wheel(pencil, 0, -12, 12),
    wheel(pencil, 30, -10, 10),
    wheel(pencil, 58, -10, 10),
  ].join('');
};

const bicycle: DrawThing = (pencil) => {
  const { ink, color, accents, word } = pencil;
  const frame = ink(color ?? (accents[0] as string));
  const rim = (x: number) =>
    circle(x, -26, 25, 'none', `stroke="${ink('#2b2c31')}" stroke-width="3.600"`) +
    group(
      line('M-24 0H24M0 -24V24M-17 -17L17 17M-17 17L17 -17', ink('#a9aeb3'), 0.7),
      svg`translate(${x} -26) rotate(${pencil.t * 90})`,
    );
  const motor = /motor|scooter/.test(word)
    ? path('M-22 -30H26L18 -56H-12Z', frame) + rect(-30, -62, 40, 8, ink('#2b2c31'), 'rx="4"')
    : '';
  return (
    rim(-42) +
    rim(42) +
    motor +
    line('M-42 -26L-10 -26L24 -66L-18 -66L-42 -26M-10 -26L-22 -74M42 -26L22 -78', frame, 4.4) +
    line('M-32 -76H-14', ink('#3a2c26'), 6) +
    line('M22 -78q2 -8 14 -6', ink('#3a3a40'), 4) +
    circle(-10, -26, 6, ink('#7a7f85'))
  );
};

export const WHEELS = { car, bus, truck, train, bicycle };
