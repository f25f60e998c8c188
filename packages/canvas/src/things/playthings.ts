import { lighten } from '../color.ts';
import { points } from '../geometry.ts';
import { circle, each, ellipse, faint, group, line, path, rect, svg, times } from '../svg.ts';
import { type DrawThing, tones } from './pencil.ts';

const balloon: DrawThing = ({ ink, color, random, accents, t }) => {
  const skin = tones(ink(color ?? random.pick(accents)));
  const sway = Math.sin(t * 1.1 + random.between(0, 6)) * 3;
  return group(
    line(svg`M0 -46Q${6 + sway} -24 ${-2 - sway} 0`, lighten(ink('#5a5560'), 0.1), 0.9) +
      path('M-4 -44L0 -49L4 -44Z', skin.shade) +
      path(
        'M0 -48C-20 -58 -27 -72 -26 -84C-24 -98 -12 -104 0 -104C12 -104 24 -98 26 -84C27 -72 20 -58 0 -48Z',
        skin.base,
      ) +
      path('M0 -48C-20 -58 -27 -72 -26 -84C-25 -92 -20 -98 -14 -101C-22 -84 -18 -62 0 -48Z', skin.shade, faint(0.7)) +
      ellipse(10, -88, 5, 9, '#ffffff', `transform="rotate(24 10 -88)" ${faint(0.5)}`),
    svg`translate(0 ${sway})`,
  );
};

const kite: DrawThing = ({ ink, color, second, random, accents, t }) => {
  const first = tones(ink(color ?? random.pick(accents)));
  const other = tones(ink(second ?? random.pick(['#fbf3df', ...accents])));
  const wave = Math.sin(t * 2.4) * 5;
  return group(
    path('M0 -100L30 -66L0 -66Z', first.base) +
      path('M0 -100L-30 -66L0 -66Z', other.base) +
      path('M30 -66L0 -18L0 -66Z', other.shade) +
      path('M-30 -66L0 -18L0 -66Z', first.shade) +
      line(svg`M0 -18Q${14 + wave} -8 ${2 - wave} 4T${8 + wave} 28`, first.dark, 1.4) +
      each(points([6, -8, 0, 6, 6, 20]), ([x, y]) =>
        path(
          `M${x - 6} ${y - 3}L${x} ${y}L${x - 6} ${y + 3}ZM${x + 6} ${y - 3}L${x} ${y}L${x + 6} ${y + 3}Z`,
          other.base,
        ),
      ),
    svg`rotate(${18 + wave})`,
  );
};

const umbrella: DrawThing = ({ ink, color, second, random, accents, word }) => {
  const cloth = tones(ink(color ?? random.pick(accents)));
  const other = second ? ink(second) : word === 'parasol' ? ink('#fbf3df') : cloth.shade;
  const pole = line(`M0 -90V-8${word === 'parasol' ? '' : 'q0 8 8 8q7 0 7 -7'}`, ink('#4a3a30'), 3);
  return (
    pole +
    path(
      'M-56 -50C-54 -84 -28 -98 0 -98C28 -98 54 -84 56 -50Q46 -58 36 -50Q18 -60 0 -50Q-18 -60 -36 -50Q-46 -58 -56 -50Z',
      cloth.base,
    ) +
    path('M-36 -50C-30 -80 -14 -96 0 -98C-4 -84 -4 -64 0 -50Q-18 -60 -36 -50Z', other) +
    path('M36 -50C34 -74 20 -94 0 -98C30 -98 54 -84 56 -50Q46 -58 36 -50Z', other) +
    line('M0 -98V-104', ink('#4a3a30'), 2.6)
  );
};

const ball: DrawThing = ({ ink, color, word, accents, t }) => {
  const skin = tones(
    ink(
      color ?? (word === 'basketball' ? '#dd7a2f' : /soccer|football/.test(word) ? '#f6f5f0' : (accents[0] as string)),
    ),
  );
  const seams =
    word === 'basketball'
      ? line('M-46 -48H46M0 -94V-2M-34 -80Q-14 -48 -34 -16M34 -80Q14 -48 34 -16', skin.dark, 2.4)
      : /soccer|football/.test(word)
        ? path('M0 -64L15 -53L9 -35H-9L-15 -53Z', '#26272d') +
          path(
            'M-44 -60L-34 -72L-28 -56L-36 -46ZM44 -60L34 -72L28 -56L36 -46ZM-16 -6L-24 -18L-10 -22L0 -12ZM-8 -92L8 -92L4 -80H-4Z',
            '#26272d',
          )
        : path('M0 -94C-16 -70 -16 -26 0 -2C-20 -4 -38 -16 -44 -36C-48 -68 -26 -92 0 -94Z', ink('#fbf6ea')) +
          path('M18 -90C34 -72 38 -34 22 -8C36 -14 46 -30 46 -48C46 -68 34 -84 18 -90Z', ink('#f2c53f'));
  return (
    ellipse(0, 0, 40, 4, '#1b1622', faint(0.2)) +
    group(
      circle(0, -48, 46, skin.base) +
        seams +
        path('M-40 -26A46 46 0 0 0 40 -26A48 48 0 0 1 -40 -26Z', '#1b1622', faint(0.16)),
      svg`rotate(${t * 30} 0 -48)`,
    ) +
    ellipse(-14, -70, 12, 7, '#ffffff', `transform="rotate(-30 -14 -70)" ${faint(0.45)}`)
  );
};

const cake: DrawThing = ({ ink, color, glow, t, accents }) => {
  const cream = tones(ink(color ?? '#f6c3cf'));
  const sponge = ink('#d9a86c');
  const drips =
    'M-48 -62H48V-48q-6 10 -12 0q-6 14 -12 0q-6 8 -12 0q-6 14 -12 0q-6 9 -12 0q-6 13 -12 0q-6 8 -12 0q-6 12 -12 0Z';
  const flames = [-26, 0, 26].map(
    (x, index) =>
      rect(x - 2.4, -90, 4.8, 24, ink(accents[index % accents.length] as string)) +
      path(svg`M${x} -90q-6 -6 ${Math.sin(t * 8 + index) * 2} -15q6 8 0 15Z`, glow('#ffbe45')) +
      circle(x, -96, 8, glow('#ffdf94'), faint(0.3)),
  );
  return (
    ellipse(0, -2, 66, 8, ink('#e6e9ec')) +
    rect(-48, -60, 96, 58, sponge, 'rx="5"') +
    rect(-48, -34, 96, 7, cream.lit) +
    rect(20, -60, 28, 58, '#1b1622', `rx="5" ${faint(0.1)}`) +
    path(drips, cream.base) +
    rect(-48, -68, 96, 12, cream.lit, 'rx="6"') +
    flames.join('')
  );
};

const guitar: DrawThing = ({ ink, color, word }) => {
  const wood = tones(ink(color ?? (/violin|cello/.test(word) ? '#9a4f26' : '#c98544')));
  return group(
    rect(-4, -112, 8, 64, ink('#4a3226')) +
      rect(-7, -122, 14, 14, ink('#3a261c'), 'rx="2"') +
      path(
        'M0 -56C16 -58 24 -48 20 -38C17 -32 20 -28 26 -20C34 -6 18 4 0 4C-18 4 -34 -6 -26 -20C-20 -28 -17 -32 -20 -38C-24 -48 -16 -58 0 -56Z',
        wood.base,
      ) +
      path(
        'M0 4C-18 4 -34 -6 -26 -20C-20 -28 -17 -32 -20 -38C-22 -44 -20 -50 -14 -54C-16 -34 -22 -8 0 4Z',
        wood.shade,
      ) +
      circle(0, -34, 7.4, ink('#3a261c')) +
      rect(-9, -14, 18, 3.4, ink('#3a261c')) +
      line('M-2 -112V-12M0 -112V-12M2 -112V-12', lighten(wood.lit, 0.5), 0.6),
    'rotate(14)',
  );
};

const heart: DrawThing = ({ glow, color, t, random }) => {
  const skin = tones(glow(color ?? '#e0314f'));
  const beat = 1 + 0.05 * Math.max(0, Math.sin(t * 5 + random.between(0, 3)));
  return group(
    path('M0 -4C-30 -32 -50 -52 -46 -76C-42 -98 -12 -102 0 -78C12 -102 42 -98 46 -76C50 -52 30 -32 0 -4Z', skin.base) +
      path('M0 -4C-30 -32 -50 -52 -46 -76C-44 -84 -38 -90 -32 -92C-44 -66 -24 -36 0 -4Z', skin.shade, faint(0.7)) +
      ellipse(-22, -78, 9, 7, '#ffffff', `transform="rotate(-36 -22 -78)" ${faint(0.5)}`),
    svg`translate(0 -50) scale(${beat * 100}) scale(.01) translate(0 50)`,
  );
};

const crown: DrawThing = ({ ink, color, accents }) => {
  const gold = tones(ink(color ?? '#eab93a'));
  return (
    path('M-48 -14L-56 -74L-28 -44L0 -88L28 -44L56 -74L48 -14Z', gold.base) +
    path('M0 -88L28 -44L56 -74L48 -14H0Z', gold.shade, faint(0.5)) +
    rect(-49, -18, 98, 15, gold.lit, 'rx="3"') +
    each([-30, 0, 30], (x, index) => circle(x, -10, 4.4, ink(accents[index % accents.length] as string))) +
    each(points([-56, -76, 0, -91, 56, -76]), ([x, y]) => circle(x, y, 5.4, gold.lit))
  );
};

const gift: DrawThing = ({ ink, color, second, accents, word }) => {
  if (/chest|crate|suitcase/.test(word)) {
    const wood = tones(ink(color ?? '#8a5a36'));
    return (
      path('M-50 -42C-50 -76 50 -76 50 -42Z', wood.lit) +
      rect(-52, -42, 104, 42, wood.base) +
      line('M-52 -42H52M-30 -62V0M30 -62V0', ink('#d0a245'), 4) +
      rect(-9, -50, 18, 18, ink('#d0a245'), 'rx="3"') +
      circle(0, -42, 3, wood.dark)
    );
  }
  const box = tones(ink(color ?? (accents[0] as string)));
  const ribbon = tones(ink(second ?? '#fbf0cf'));
  return (
    rect(-40, -56, 80, 56, box.base, 'rx="3"') +
    rect(12, -56, 28, 56, box.shade, `rx="3" ${faint(0.7)}`) +
    rect(-46, -70, 92, 17, box.lit, 'rx="3"') +
    rect(-8, -70, 16, 70, ribbon.base) +
    path('M0 -70C-36 -72 -38 -102 -18 -98C-6 -94 -2 -82 0 -70C2 -82 6 -94 18 -98C38 -102 36 -72 0 -70Z', ribbon.base) +
    circle(0, -73, 6, ribbon.shade)
  );
};

const flag: DrawThing = ({ ink, color, second, accents, t }) => {
  const cloth = tones(ink(color ?? (accents[0] as string)));
  const wave = Math.sin(t * 3) * 4;
  const stripe = second
    ? path(svg`M2 -80Q20 ${-86 + wave} 36 -80T70 -80V-66Q52 ${-60 - wave} 36 -66T2 -66Z`, ink(second))
    : '';
  return (
    rect(-2, -104, 4, 104, ink('#8a7a66')) +
    circle(0, -105, 4, ink('#e0b440')) +
    path(svg`M2 -98Q20 ${-104 + wave} 36 -98T70 -98V-50Q52 ${-44 - wave} 36 -50T2 -50Z`, cloth.base) +
    stripe +
    path(svg`M36 -98T70 -98V-50Q52 ${-44 - wave} 36 -50Z`, cloth.shade, faint(0.5))
  );
};

const anchor: DrawThing = ({ ink, color }) => {
  const iron = ink(color ?? '#3f4a58');
  return (
    circle(0, -90, 9, 'none', `stroke="${iron}" stroke-width="6"`) +
    line(
      'M0 -81V-6M-22 -66H22M-44 -30Q-40 -4 0 -4Q40 -4 44 -30M-44 -30l-8 8M-44 -30l10 4M44 -30l8 8M44 -30l-10 4',
      iron,
      8,
    )
  );
};

const campfire: DrawThing = ({ ink, glow, t, random }) => {
  const lick = (x: number, tall: number, wide: number, color: string, phase: number) => {
    const sway = Math.sin(t * 7 + phase) * 4;
    const top = -tall * (1 + 0.1 * Math.sin(t * 9 + phase * 2));
    return path(
      svg`M${x - wide} -12C${x - wide * 1.2} ${top * 0.5} ${x - 4 + sway} ${top * 0.6} ${x + sway} ${top}C${x + 6 + sway} ${top * 0.6} ${x + wide * 1.2} ${top * 0.5} ${x + wide} -12Z`,
      color,
    );
  };
  const sparks = times(7, (index) => {
    const rise = (random.next() + t * 0.5) % 1;
    return circle(
      random.between(-24, 24) + Math.sin(t * 2 + index) * 5,
      -60 - rise * 60,
      1.5,
      glow('#ffc861'),
      faint(1 - rise),
    );
  });
  return (
    circle(0, -30, 92, glow('#ff9a3d'), faint(0.16)) +
    circle(0, -26, 52, glow('#ffb45a'), faint(0.22)) +
    line('M-40 -4L34 -16M40 -4L-34 -16', ink('#5b3a28'), 9) +
    lick(-14, 56, 15, glow('#f2632c'), 1) +
    lick(14, 62, 15, glow('#f2632c'), 2) +
    lick(0, 88, 19, glow('#f8862e'), 3) +
    lick(0, 56, 12, glow('#ffc23f'), 4) +
    lick(0, 34, 7, glow('#fff0b0'), 5) +
    sparks
  );
};

export const PLAYTHINGS = {
  balloon,
  kite,
  umbrella,
  ball,
  cake,
  guitar,
  heart,
  crown,
  gift,
  flag,
  anchor,
  campfire,
};
