import { lighten, mix } from '../color.ts';
import { circle, each, ellipse, faint, group, line, n, path, svg, times } from '../svg.ts';
import { type DrawThing, tones } from './pencil.ts';

const EYE = '#1c1a1e';

const bird: DrawThing = ({ ink, color, word, random, t }) => {
  const usual: Record<string, string> = {
    crow: '#24252c',
    raven: '#24252c',
    gull: '#f3f3ef',
    seagull: '#f3f3ef',
    dove: '#f5f3ee',
    flamingo: '#f08aa4',
    eagle: '#5b4030',
    hawk: '#7a5638',
    parrot: '#2f9e57',
    swallow: '#2b3c63',
    heron: '#9fb0bd',
    crane: '#f1f0ec',
  };
  const coat = tones(ink(color ?? usual[word] ?? random.pick(['#3f5c8a', '#c05a3c', '#e9e4d8', '#3d3f49'])));
  const flap = Math.sin(t * 7 + random.between(0, 6));
  const lift = -52 - flap * 26;
  return [
    path(svg`M-4 -48Q-26 ${lift - 22} -64 ${lift - 4}Q-40 ${lift + 10} -12 -38Z`, coat.dark),
    path('M-46 -36Q-58 -40 -66 -34L-60 -28Q-50 -28 -40 -32Z', coat.shade),
    path('M-46 -34C-30 -52 16 -56 30 -46C36 -40 26 -30 8 -28C-14 -26 -34 -28 -46 -34Z', coat.base),
    path('M-40 -33C-20 -26 14 -26 28 -38C26 -32 18 -28 8 -27C-14 -26 -30 -28 -40 -33Z', coat.lit, faint(0.8)),
    circle(32, -49, 9, coat.base),
    path('M39 -51L52 -47L39 -45Z', ink('#e2a33a')),
    circle(34, -51, 1.8, EYE),
    path(svg`M8 -46Q-10 ${lift - 34} -52 ${lift - 22}Q-22 ${lift + 4} -10 -36Z`, coat.shade),
    path(svg`M6 -45Q-10 ${lift - 22} -38 ${lift - 18}Q-14 ${lift + 8} -6 -38Z`, coat.base, faint(0.8)),
  ].join('');
};

const owl: DrawThing = ({ ink, color, t }) => {
  const coat = tones(ink(color ?? '#8a6444'));
  const face = ink('#efe0c6');
  const blink = t > 0 && t % 4 < 0.16 ? 0.1 : 1;
  const eye = (x: number) =>
    circle(x, -72, 13, face) +
    ellipse(x, -72, 8.4, 8.4 * blink, ink('#f0b429')) +
    ellipse(x, -72, 4.6, 4.6 * blink, EYE) +
    circle(x + 1.8, -74, 1.4 * blink, '#ffffff');
  const feathers = times(4, (row) =>
    each([-2, -1, 0, 1, 2], (column) =>
      path(svg`M${column * 8 - 4} ${-46 + row * 10}q4 7 8 0Z`, coat.shade, faint(0.7)),
    ),
  );
  return [
    path('M-26 -94L-34 -108L-14 -98ZM26 -94L34 -108L14 -98Z', coat.dark),
    path('M-32 -60C-34 -88 -20 -100 0 -100C20 -100 34 -88 32 -60C36 -28 24 -2 0 0C-24 -2 -36 -28 -32 -60Z', coat.base),
    path('M-18 -50C-16 -20 -10 -6 0 -4C10 -6 16 -20 18 -50Z', face),
    feathers,
    path(
      'M-31 -56C-44 -36 -36 -10 -22 -6C-30 -24 -28 -40 -24 -54ZM31 -56C44 -36 36 -10 22 -6C30 -24 28 -40 24 -54Z',
      coat.shade,
    ),
    eye(-14),
    eye(14),
    path('M-4 -64H4L0 -55Z', ink('#d99a35')),
    line('M-9 -1v4M-5 -1v4M5 -1v4M9 -1v4', ink('#d99a35'), 2.6),
  ].join('');
};

const duck: DrawThing = ({ ink, color, word, random, t }) => {
  const swan = word === 'swan';
  const coat = tones(
    ink(color ?? (swan ? '#f7f5ef' : word === 'duckling' ? '#f2cf4f' : random.pick(['#8a6b4a', '#f2efe6', '#9b8a6b']))),
  );
  const bob = Math.sin(t * 1.8) * 2;
  const head = swan
    ? line('M30 -28C50 -36 30 -66 44 -80', coat.base, 9) +
      ellipse(48, -82, 10, 8, coat.base) +
      path('M56 -84L70 -79L56 -77Z', ink('#e0752f')) +
      circle(50, -84, 1.8, EYE)
    : line('M28 -30L34 -44', coat.base, 14) +
      circle(36, -52, 13, color || word === 'duckling' ? coat.base : ink('#2f6b4f')) +
      path('M47 -54Q60 -54 62 -48Q54 -45 46 -46Z', ink('#e9a33a')) +
      circle(40, -55, 2, EYE);
  return group(
    [
      path('M-52 -34C-40 -22 -30 -40 -10 -40C14 -42 34 -34 38 -20C38 -4 20 0 -6 0C-34 0 -48 -14 -52 -34Z', coat.base),
      path('M-36 -24C-20 -38 10 -36 20 -22C8 -8 -20 -8 -36 -24Z', coat.shade),
      path('M-30 -25C-16 -34 6 -32 14 -23C4 -16 -16 -16 -30 -25Z', coat.lit, faint(0.7)),
      head,
      ellipse(-4, 1, 44, 2.4, '#ffffff', faint(0.35)),
    ].join(''),
    svg`translate(0 ${bob})`,
  );
};

const penguin: DrawThing = ({ ink, color, t }) => {
  const coat = tones(ink(color ?? '#2a2f3b'));
  const waddle = Math.sin(t * 3) * 4;
  return group(
    [
      ellipse(-12, -2, 12, 4.6, ink('#eda035')),
      ellipse(12, -2, 12, 4.6, ink('#eda035')),
      path(
        'M-30 -40C-32 -80 -20 -100 0 -100C20 -100 32 -80 30 -40C30 -14 20 -2 0 -2C-20 -2 -30 -14 -30 -40Z',
        coat.base,
      ),
      path(
        'M-19 -38C-20 -64 -14 -72 0 -70C14 -72 20 -64 19 -38C19 -16 12 -6 0 -6C-12 -6 -19 -16 -19 -38Z',
        ink('#f7f6f1'),
      ),
      path(
        'M-14 -82C-12 -92 -2 -90 0 -84C2 -90 12 -92 14 -82C14 -74 8 -70 0 -70C-8 -70 -14 -74 -14 -82Z',
        ink('#f7f6f1'),
      ),
      path(
        'M-29 -62C-44 -44 -42 -26 -34 -20C-32 -34 -30 -44 -26 -54ZM29 -62C44 -44 42 -26 34 -20C32 -34 30 -44 26 -54Z',
        coat.shade,
      ),
      circle(-7, -84, 2.4, EYE),
      circle(7, -84, 2.4, EYE),
      path('M-5 -79H5L0 -72Z', ink('#eda035')),
    ].join(''),
    svg`rotate(${waddle})`,
  );
};

const chicken: DrawThing = ({ ink, color, word, t }) => {
  const coat = tones(ink(color ?? (word === 'chick' ? '#f4d35a' : word === 'rooster' ? '#b5522c' : '#efe6d6')));
  const peck = Math.max(0, Math.sin(t * 2.2)) * 14;
  return [
    line('M-6 -24V-2M8 -24V-2', ink('#dd9a35'), 3.4),
    path('M-30 -60C-56 -86 -64 -60 -54 -44C-44 -30 -30 -34 -24 -42Z', coat.dark),
    path(
      'M-38 -48C-34 -26 -16 -18 4 -18C26 -18 36 -34 32 -58C22 -46 -6 -42 -20 -56C-28 -62 -36 -58 -38 -48Z',
      coat.base,
    ),
    path('M-24 -44C-14 -34 6 -32 16 -42C10 -26 -14 -24 -24 -44Z', coat.shade),
    group(
      path('M20 -44C18 -66 22 -82 34 -82C44 -82 46 -70 40 -52Z', coat.base) +
        path('M26 -82q0 -10 6 -8q2 -8 7 -3q6 -3 5 8Z', ink('#d0392f')) +
        path('M44 -76L54 -72L44 -69Z', ink('#e6a63a')) +
        ellipse(43, -64, 3.4, 5, ink('#d0392f')) +
        circle(37, -75, 2, EYE),
      svg`rotate(${peck} 24 -44)`,
    ),
  ].join('');
};

const fish: DrawThing = ({ ink, color, second, random, word, t, accents }) => {
  const shark = word === 'shark';
  const coat = tones(
    ink(
      color ??
        (shark ? '#6d7f90' : /goldfish|koi/.test(word) ? '#ee7b2f' : random.pick([...accents, '#f2a53a', '#3f9fc4'])),
    ),
  );
  const stripe = ink(second ?? '#fbf6ea');
  const wag = Math.sin(t * 5 + random.between(0, 6)) * 8;
  const stripes = shark
    ? ''
    : path(
        'M-4 -68Q4 -50 -4 -32Q4 -32 8 -34Q14 -50 8 -67ZM24 -62Q30 -50 24 -38Q29 -40 32 -43Q35 -50 32 -57Z',
        stripe,
        faint(0.85),
      );
  return [
    path(
      svg`M-34 -50Q-50 ${-64 + wag} -66 ${-74 + wag}Q-58 ${-50 + wag} -66 ${-26 + wag}Q-50 ${-36 + wag} -34 -50Z`,
      coat.shade,
    ),
    path(shark ? 'M-6 -66L2 -92L18 -66Z' : 'M-14 -68Q2 -90 24 -70Z', coat.dark),
    path('M-8 -34Q0 -20 12 -32Z', coat.dark),
    path('M-42 -50C-24 -76 24 -78 52 -50C24 -24 -24 -24 -42 -50Z', coat.base),
    path('M-38 -46C-16 -30 22 -30 48 -47C24 -24 -20 -24 -38 -46Z', shark ? ink('#e6ebee') : coat.lit, faint(0.8)),
    stripes,
    path(svg`M4 -48Q-8 ${-40 + wag * 0.4} -12 ${-34 + wag * 0.4}Q4 -34 12 -44Z`, coat.shade),
    circle(36, -55, 4.4, '#ffffff'),
    circle(37, -55, 2.4, EYE),
  ].join('');
};

const whale: DrawThing = ({ ink, color, word, t }) => {
  const coat = tones(ink(color ?? (word === 'orca' ? '#23262e' : word === 'dolphin' ? '#7d97ab' : '#3f6688')));
  const rise = Math.sin(t * 1.1) * 2;
  const spout =
    word === 'whale'
      ? each([-1, 0, 1], (side) =>
          line(svg`M34 ${-60}q${side * 4} -14 ${side * 14} ${-20 - rise * 2}`, '#ffffff', 3, faint(0.75)),
        )
      : '';
  return group(
    [
      spout,
      path(
        'M-56 -22C-70 -30 -82 -46 -92 -44C-90 -36 -84 -30 -80 -26C-90 -24 -98 -18 -98 -12C-86 -12 -70 -10 -56 -8Z',
        coat.shade,
      ),
      path('M-64 -18C-40 -46 -8 -62 30 -60C62 -58 78 -36 76 -16C70 0 30 2 0 0C-28 -2 -50 -8 -64 -18Z', coat.base),
      path('M76 -20C66 -10 30 -10 4 -12C-18 -14 -34 -12 -50 -13C-30 0 30 4 60 -3C70 -6 76 -12 76 -20Z', ink('#e9eef0')),
      line('M20 -8q18 3 40 -2M16 -4q20 4 44 -1', coat.shade, 1.2, faint(0.5)),
      path('M10 -18C0 -8 -8 -2 -22 2C-12 -14 -6 -22 2 -26Z', coat.dark),
      circle(54, -27, 2.8, EYE),
      word === 'orca' ? ellipse(46, -37, 9, 4.6, '#f4f5f3') : '',
      word === 'dolphin' ? path('M-4 -56L-14 -76L14 -60Z', coat.shade) : '',
    ].join(''),
    svg`translate(0 ${rise})`,
  );
};

const butterfly: DrawThing = ({ ink, color, second, random, word, t, accents, glow, night }) => {
  if (word === 'firefly')
    return (
      circle(0, -50, 26, glow('#f7f08a'), faint(0.3 + 0.2 * Math.sin(t * 3 + random.between(0, 6)))) +
      circle(0, -50, 8, '#fffbd0')
    );
  const bee = /bee|ladybug/.test(word);
  const wing = tones(bee ? ink('#eaf2f6') : ink(color ?? random.pick(accents)));
  const dots = ink(second ?? '#fff7e2');
  const open = 0.55 + 0.45 * Math.abs(Math.sin(t * 6 + random.between(0, 3)));
  const half = [
    path('M0 -52C14 -92 54 -104 62 -82C66 -62 34 -46 0 -48Z', wing.base),
    path('M0 -48C26 -46 50 -34 44 -16C34 -2 8 -24 0 -42Z', wing.shade),
    bee
      ? ''
      : circle(44, -80, 7, dots, faint(0.9)) +
        circle(30, -24, 5, dots, faint(0.9)) +
        path('M2 -52C14 -80 40 -94 54 -88C38 -84 18 -68 2 -50Z', wing.lit, faint(0.7)),
  ].join('');
  const trunk = bee
    ? ellipse(0, -46, 8, 20, ink('#f0bd35')) + line('M-7 -52H7M-7.6 -44H7.6M-6 -36H6', EYE, 4)
    : ellipse(0, -46, 4, 22, mix(EYE, wing.dark, night ? 0.2 : 0.4));
  return [
    group(half, `scale(${n(open * 10) === '0' ? 0.1 : Math.round(open * 100) / 100} 1)`, bee ? faint(0.8) : ''),
    group(half, `scale(${-Math.round(open * 100) / 100} 1)`, bee ? faint(0.8) : ''),
    trunk,
    line('M-1 -66q-4 -14 -14 -18M1 -66q4 -14 14 -18', lighten(EYE, 0.1), 1.6),
  ].join('');
};

export const WINGED = { bird, owl, duck, penguin, chicken, fish, whale, butterfly };
