import { lighten, mix } from '../color.ts';
import { curve, points } from '../geometry.ts';
import { circle, each, ellipse, faint, group, line, path, svg, times } from '../svg.ts';
import { type DrawThing, tones } from './pencil.ts';

const EYE = '#1c1a1e';

const sheep: DrawThing = ({ ink, color, random, t, word }) => {
  const wool = tones(ink(color ?? (word === 'goat' ? '#d9cbb6' : '#f4efe3')));
  const face = ink('#3b3436');
  const legs = each([-20, -8, 10, 20], (x, index) =>
    line(svg`M${x} -30L${x + Math.sin(t * 2 + index) * 1.5} -1`, face, 6),
  );
  const curls = times(13, (index) => {
    const angle = (index / 13) * 2 * Math.PI;
    return circle(
      Math.cos(angle) * 29,
      -47 + Math.sin(angle) * 17,
      random.between(10, 13),
      index > 6 ? wool.lit : wool.base,
    );
  });
  const head =
    path('M-11 -8Q-2 -15 9 -7Q14 6 8 14Q1 19 -5 13Q-12 2 -11 -8Z', face) +
    ellipse(-11, -5, 7, 3.4, face, 'transform="rotate(-24 -11 -5)"') +
    circle(4, -1, 1.7, '#ffffff') +
    circle(4.4, -0.8, 0.9, EYE) +
    circle(-3, -9, 7, wool.lit);
  return (
    legs +
    ellipse(0, -47, 33, 21, wool.base) +
    curls +
    ellipse(0, -41, 26, 13, wool.shade, faint(0.35)) +
    group(head, svg`translate(37 -52) rotate(${Math.sin(t * 1.2) * 4})`)
  );
};

const elephant: DrawThing = ({ ink, color, t }) => {
  const skin = tones(ink(color ?? '#8d929b'));
  const swing = Math.sin(t * 1.5) * 4;
  return [
    line('M-32 -44L-33 -4', skin.dark, 17),
    line('M18 -44L19 -4', skin.dark, 17),
    line(svg`M-52 -64q-7 14 -5 ${26 + swing}`, skin.shade, 3),
    path(
      'M-54 -58C-56 -92 -24 -100 2 -97C26 -96 40 -86 42 -66C42 -40 34 -30 12 -30H-30C-46 -30 -53 -40 -54 -58Z',
      skin.base,
    ),
    path('M-50 -44C-30 -24 20 -26 38 -42C34 -31 26 -29 12 -29H-30C-42 -29 -48 -35 -50 -44Z', skin.shade),
    line('M-40 -40L-42 -5', skin.base, 18),
    line('M6 -40L5 -5', skin.base, 18),
    path(
      svg`M30 -92C54 -98 68 -82 67 -62C68 -44 70 -30 ${66 + swing} -12Q${62 + swing} -3 ${56 + swing} -8C${60 + swing} -24 57 -36 50 -44C36 -50 28 -70 30 -92Z`,
      skin.base,
    ),
    path('M56 -46Q70 -40 78 -48Q72 -30 54 -38Z', ink('#f4eedd')),
    path('M34 -92C16 -94 6 -78 12 -60C18 -46 34 -44 42 -56C48 -70 46 -88 34 -92Z', skin.shade),
    path(
      'M33 -88C20 -88 14 -76 18 -63C23 -53 33 -53 39 -61C43 -71 42 -84 33 -88Z',
      lighten(skin.base, 0.16),
      faint(0.7),
    ),
    circle(54, -70, 2.4, EYE),
  ].join('');
};

const cat: DrawThing = ({ ink, color, second, random, t, light }) => {
  const coat = tones(ink(color ?? random.pick(['#d58a45', '#6b6663', '#2b2a30', '#e9dfcf', '#9a7a5c'])));
  const inner = mix(coat.lit, ink('#e9a59a'), 0.6);
  const sway = Math.sin(t * 1.7) * 7;
  const eyes = ink(second ?? random.pick(['#b9cf52', '#e5b93c', '#6fb7a8']));
  const blink = t > 0 && t % 3.4 < 0.14 ? 0.12 : 1;
  const belly = mix(coat.base, ink('#fbf5ea'), 0.55);
  const side = light > 0 ? -1 : 1;
  return [
    line(svg`M${26} -8C${52 + sway * 0.4} -8 ${56 + sway} -30 ${44 + sway} -44`, coat.shade, 9),
    path('M-29 0C-36 -30 -24 -56 0 -58C24 -56 36 -30 29 0Z', coat.base),
    path(
      svg`M${side * 29} 0C${side * 36} -30 ${side * 24} -56 0 -58C${side * 16} -50 ${side * 20} -24 ${side * 12} 0Z`,
      coat.shade,
      faint(0.75),
    ),
    path('M-11 0C-15 -20 -10 -42 0 -44C10 -42 15 -20 11 0Z', belly),
    ellipse(-12, -3, 10, 5.6, coat.lit),
    ellipse(12, -3, 10, 5.6, coat.lit),
    path('M-28 -82L-30 -106L-11 -94Z', coat.base),
    path('M28 -82L30 -106L11 -94Z', coat.shade),
    path('M-25 -86L-27 -100L-14 -92Z', inner),
    path('M25 -86L27 -100L14 -92Z', inner),
    path('M-31 -72C-31 -92 -16 -98 0 -98C16 -98 31 -92 31 -72C31 -56 16 -48 0 -48C-16 -48 -31 -56 -31 -72Z', coat.base),
    path('M-16 -60C-14 -68 -4 -68 0 -66C4 -68 14 -68 16 -60C12 -52 -12 -52 -16 -60Z', belly),
    line('M-6 -96V-88M0 -97V-86M6 -96V-88', coat.dark, 2.2, faint(0.7)),
    ellipse(-13, -74, 6.4, 6.8 * blink, eyes),
    ellipse(13, -74, 6.4, 6.8 * blink, eyes),
    ellipse(-13, -74, 2, 5.8 * blink, EYE),
    ellipse(13, -74, 2, 5.8 * blink, EYE),
    circle(-11.4, -76.6, 1.4 * blink, '#ffffff'),
    circle(14.6, -76.6, 1.4 * blink, '#ffffff'),
    path('M-3.4 -65H3.4L0 -61Z', ink('#d77f78')),
    line('M0 -61v3q-4 4 -8 1M0 -58q4 4 8 1', coat.dark, 1.3),
    line('M-16 -62L-38 -66M-16 -59L-38 -57M16 -62L38 -66M16 -59L38 -57', lighten(coat.base, 0.6), 0.8, faint(0.8)),
  ].join('');
};

const rabbit: DrawThing = ({ ink, color, random, t }) => {
  const coat = tones(ink(color ?? random.pick(['#b99a7c', '#e9e1d6', '#8a7868'])));
  const inner = ink('#eab3ab');
  const twitch = Math.sin(t * 2.2) * 5;
  const ear = (x: number, turn: number, color: string) =>
    group(
      path('M-6 0C-11 -22 -6 -44 0 -44C6 -44 11 -22 6 0Z', color) +
        path('M-2.8 -4C-6 -20 -3 -36 0 -37C3 -36 6 -20 2.8 -4Z', inner),
      svg`translate(${x} -62) rotate(${turn})`,
    );
  return [
    circle(-28, -12, 10, ink('#fbf7f0')),
    path('M-30 0C-36 -30 -14 -46 6 -42C24 -38 30 -14 26 0Z', coat.base),
    path('M-26 0C-28 -22 -14 -32 -2 -26C8 -18 8 -8 2 0Z', coat.shade),
    ellipse(18, -2.6, 11, 4.6, coat.lit),
    ellipse(-8, -2.6, 15, 4.8, coat.lit),
    ear(14, -14 + twitch * 0.4, coat.shade),
    ear(22, 8 + twitch, coat.base),
    ellipse(20, -52, 18, 16, coat.base),
    ellipse(29, -46, 9, 7, coat.lit),
    circle(25, -56, 3, EYE),
    circle(26, -57, 1, '#ffffff'),
    path('M34 -49h5l-2.5 3Z', ink('#c9776f')),
  ].join('');
};

const turtle: DrawThing = ({ ink, color, t }) => {
  const skin = tones(ink('#8da65a'));
  const shell = tones(ink(color ?? '#5f7f45'));
  const paddle = Math.sin(t * 2) * 6;
  const plates = each([-22, 0, 22], (x) =>
    path(`M${x - 9} -38L${x} -48L${x + 9} -38L${x + 6} -26H${x - 6}Z`, shell.lit, faint(0.75)),
  );
  return [
    ellipse(-34, -8, 13, 7, skin.shade, svg`transform="rotate(${20 + paddle} -34 -8)"`),
    ellipse(26, -8, 13, 7, skin.shade, svg`transform="rotate(${-20 - paddle} 26 -8)"`),
    path('M38 -22C50 -40 66 -40 68 -28C68 -18 52 -16 40 -12Z', skin.base),
    circle(60, -31, 2.2, EYE),
    path('M-46 -12C-46 -48 -22 -58 0 -58C22 -58 46 -48 46 -12Z', shell.base),
    plates,
    path('M-50 -16Q0 -4 50 -16Q50 -6 0 -4Q-50 -6 -50 -16Z', shell.dark),
  ].join('');
};

const dragon: DrawThing = (pencil) => {
  const { ink, color, t, glow } = pencil;
  const skin = tones(ink(color ?? '#3f8a5a'));
  const flap = Math.sin(t * 2.6) * 14;
  const wing = (x: number, tilt: number, tone: string) =>
    group(
      path(
        'M0 0C-10 -30 -44 -52 -70 -50C-62 -40 -60 -32 -62 -22C-50 -26 -44 -22 -42 -12C-32 -18 -24 -14 -20 -4Z',
        tone,
      ),
      svg`translate(${x} -56) rotate(${tilt})`,
    );
  const spikes = points([-34, -54, -22, -60, -8, -63, 6, -66]);
  return [
    wing(14, flap, skin.dark),
    line(curve(points([-30, -34, -56, -18, -76, -24, -86, -40])), skin.base, 9),
    path('M-86 -40l-12 -3l9 -9Z', skin.base),
    line('M-18 -26L-22 -3M14 -26L18 -3', skin.shade, 10),
    path('M-40 -36C-36 -60 10 -66 26 -52C34 -42 26 -22 0 -20C-24 -18 -40 -24 -40 -36Z', skin.base),
    path('M-30 -26C-10 -18 14 -20 26 -36C26 -24 12 -18 -6 -18C-18 -18 -26 -21 -30 -26Z', ink('#e9d38a')),
    line(curve(points([18, -50, 34, -66, 38, -82])), skin.base, 14),
    ...spikes.map(([x, y]) => path(`M${x - 5} ${y + 5}L${x} ${y - 8}L${x + 6} ${y + 4}Z`, skin.dark)),
    path('M28 -92C34 -104 52 -102 62 -90C68 -84 64 -78 54 -78C42 -76 30 -78 28 -92Z', skin.base),
    path('M32 -98l-6 -15l14 10ZM42 -101l-1 -14l9 12Z', skin.dark),
    circle(46, -91, 3, glow('#ffd84a')),
    circle(46.6, -91, 1.3, EYE),
    wing(4, flap * 0.8 - 8, skin.shade),
  ].join('');
};

export const CREATURES = { cat, sheep, elephant, rabbit, turtle, dragon };
