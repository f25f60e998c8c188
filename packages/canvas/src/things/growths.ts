import { lighten, mix } from '../color.ts';
import { discs } from '../geometry.ts';
import { circle, each, ellipse, faint, group, line, path, svg, times } from '../svg.ts';
import { type DrawThing, tones } from './pencil.ts';

import { leafColor } from './trees.ts';

const flower: DrawThing = (pencil) => {
  const { ink, color, second, random, accents, word, t } = pencil;
  const usual: Record<string, string> = {
    rose: '#c9304a',
    poppy: '#dc3a2c',
    daisy: '#faf7ef',
    lavender: '#8f77c4',
    iris: '#6a58b8',
    lily: '#f6efe4',
    orchid: '#c878c0',
    peony: '#ee9db8',
    marigold: '#eda02c',
  };
  const petal = tones(ink(color ?? usual[word] ?? random.pick([...accents, '#e8637e', '#f2b33d', '#9a6fd0'])));
  const sway = Math.sin(t * 1.7 + random.between(0, 6)) * 4;
  const lean = random.between(-7, 7) + sway;
  const leaf = ink('#4f8f4a');
  const stem =
    line(svg`M0 0Q${-lean * 0.4} -36 ${lean} -74`, leaf, 3.4) +
    path(
      svg`M${lean * 0.1} -28Q-20 -44 -26 -30Q-16 -18 0 -22ZM${lean * 0.2} -38Q20 -56 27 -42Q18 -30 2 -32Z`,
      lighten(leaf, -0.1),
    );
  const head = () => {
    if (word === 'lavender')
      return times(12, (index) =>
        ellipse(
          (index % 2 === 0 ? -4 : 4) * (1 - index / 16),
          -index * 4.4 + 14,
          4.4,
          3.4,
          index % 3 === 0 ? petal.lit : petal.base,
        ),
      );
    if (word === 'rose' || word === 'peony')
      return (
        circle(0, 0, 19, petal.shade) +
        times(5, (index) =>
          group(ellipse(0, -9, 11, 9.4, index % 2 === 0 ? petal.base : petal.lit), `rotate(${index * 72})`),
        ) +
        circle(0, 0, 8.6, petal.shade) +
        line('M-5 1q4 -8 9 -2q2 6 -5 5q-4 -2 0 -4', petal.dark, 1.6)
      );
    const petals = word === 'daisy' || word === 'marigold' ? 12 : word === 'poppy' ? 5 : random.pick([5, 6, 8]);
    const wide = petals > 8 ? 4.4 : petals > 5 ? 7.6 : 10.6;
    return (
      times(petals, (index) =>
        group(
          ellipse(0, -13, wide, 12, index % 2 === 0 ? petal.base : petal.lit),
          svg`rotate(${(index * 360) / petals})`,
        ),
      ) +
      circle(0, 0, 7, ink(second ?? (word === 'poppy' ? '#2b2328' : '#f3c53f'))) +
      circle(-2, -2, 2.4, lighten(ink('#f3c53f'), 0.4), faint(0.7))
    );
  };
  return stem + group(head(), svg`translate(${lean} -80) rotate(${lean})`);
};

const tulip: DrawThing = ({ ink, color, random, accents, t }) => {
  const petal = tones(ink(color ?? random.pick([...accents, '#d9364a', '#f2b632', '#e77fae'])));
  const lean = random.between(-4, 4) + Math.sin(t * 1.7 + random.between(0, 6)) * 3;
  const leaf = ink('#5a9a55');
  return [
    line(svg`M0 0Q0 -34 ${lean} -66`, leaf, 4),
    path('M0 -2Q-22 -30 -20 -56Q-6 -34 0 -14Q8 -34 20 -50Q20 -26 2 -2Z', lighten(leaf, -0.08)),
    group(
      path(
        'M-16 -2C-18 -20 -16 -30 -15 -34L-7 -24L0 -37L7 -24L15 -34C16 -30 18 -20 16 -2C10 6 -10 6 -16 -2Z',
        petal.base,
      ) +
        path('M-8 4C-12 -12 -6 -26 0 -37C6 -26 12 -12 8 4Q0 7 -8 4Z', petal.lit) +
        path('M-16 -2C-18 -20 -16 -30 -15 -34L-9 -26C-13 -12 -12 0 -8 4Q-14 2 -16 -2Z', petal.shade),
      svg`translate(${lean} -64) rotate(${lean})`,
    ),
  ].join('');
};

const sunflower: DrawThing = ({ ink, color, random, t }) => {
  const petal = tones(ink(color ?? '#f3bb2c'));
  const lean = Math.sin(t * 1.3 + random.between(0, 6)) * 3;
  const leaf = ink('#57913f');
  const rows = [0, 1].flatMap((row) =>
    Array.from({ length: 16 }, (_, index) =>
      group(
        path('M-4.4 -12Q0 -34 4.4 -12Z', row === 0 ? petal.shade : petal.base),
        svg`rotate(${index * 22.5 + row * 11}) scale(${row === 0 ? '1.08' : '0.96'})`,
      ),
    ),
  );
  const seeds = Array.from({ length: 22 }, (_, index) => {
    const [r, angle] = [Math.sqrt(index) * 2.5, index * 2.4];
    return circle(Math.cos(angle) * r, Math.sin(angle) * r, 1, ink('#b5813c'));
  });
  return (
    line(svg`M0 0Q0 -40 ${lean} -74`, leaf, 5) +
    path('M0 -26Q-32 -48 -36 -26Q-20 -12 0 -20ZM1 -40Q32 -62 36 -40Q20 -26 1 -34Z', lighten(leaf, -0.08)) +
    group(rows.join('') + circle(0, 0, 14, ink('#5b3a20')) + seeds.join(''), svg`translate(${lean} -80)`)
  );
};

const mushroom: DrawThing = ({ ink, color, random }) => {
  const cap = tones(ink(color ?? random.pick(['#cf3b30', '#b5713c', '#d98a4a'])));
  const stalk = ink('#f2e8d6');
  return (
    path('M-12 0C-16 -20 -8 -34 -8 -46H8C8 -34 16 -20 12 0Q0 6 -12 0Z', stalk) +
    path('M2 2C10 -16 4 -34 6 -46H8C8 -34 16 -20 12 0Q6 3 2 2Z', lighten(stalk, -0.14)) +
    path('M-14 -40Q0 -30 14 -40L8 -50H-8Z', lighten(stalk, -0.06)) +
    path('M-42 -46C-38 -84 -16 -94 0 -94C16 -94 38 -84 42 -46C24 -36 -24 -36 -42 -46Z', cap.base) +
    path('M-42 -46C-24 -36 24 -36 42 -46Q30 -50 0 -50Q-30 -50 -42 -46Z', cap.shade) +
    each(discs([-20, -66, 7, 4, -78, 8, 24, -60, 6, -2, -56, 5, -30, -52, 4]), ([x, y, r]) =>
      ellipse(x, y, r, r * 0.8, ink('#fbf5ea'), faint(0.92)),
    )
  );
};

const pumpkin: DrawThing = ({ ink, color, word, glow, night, t }) => {
  const skin = tones(ink(color ?? '#e4822b'));
  const lit = night || /jack/.test(word) ? glow('#ffd34d') : '#3a2418';
  const face =
    /jack/.test(word) || night
      ? path(
          'M-26 -50L-14 -62L-6 -48ZM26 -50L14 -62L6 -48ZM-30 -30Q0 -8 30 -30L22 -30L18 -22L10 -28L4 -20L-4 -28L-10 -20L-16 -28L-20 -22L-24 -31Z',
          lit,
          faint(0.85 + 0.15 * Math.sin(t * 6)),
        )
      : '';
  return (
    line('M2 -76Q2 -90 14 -94', ink('#5f7a3a'), 7) +
    ellipse(-30, -38, 24, 36, skin.shade) +
    ellipse(30, -38, 24, 36, skin.shade) +
    ellipse(-16, -38, 24, 38, skin.base) +
    ellipse(16, -38, 24, 38, skin.base) +
    ellipse(0, -38, 19, 39, skin.lit) +
    face
  );
};

const rock: DrawThing = ({ ink, color, random, light, white }) => {
  const stone = tones(ink(color ?? random.pick(['#8b8780', '#7a7f86', '#93867a'])));
  const [a, b] = [random.between(-8, 8), random.between(-10, 6)];
  return (
    path(svg`M-52 0L-44 -34L${-18 + a} -58L${18 + a} ${-54 + b}L46 -28L54 0Z`, stone.base) +
    path(
      light > 0
        ? svg`M-52 0L-44 -34L${-18 + a} -58L-8 -30L-16 0Z`
        : svg`M54 0L46 -28L${18 + a} ${-54 + b}L10 -28L16 0Z`,
      stone.shade,
    ) +
    path(svg`M${-18 + a} -58L${18 + a} ${-54 + b}L8 -36L-8 -34Z`, white ? ink('#f4f8fb') : stone.lit)
  );
};

const grass: DrawThing = (pencil) => {
  const { ink, random, word, t, color } = pencil;
  const blade = ink(color ?? (/wheat|barley|hay/.test(word) ? '#d9b250' : leafColor(pencil, '#5f9a47')));
  return times(15, (index) => {
    const [x, tall] = [(index - 7) * 4.4, random.between(50, 96)];
    const lean = random.between(-16, 16) + Math.sin(t * 1.8 + index * 0.4) * 6;
    const ear = /wheat|barley|reed/.test(word)
      ? ellipse(
          x + lean,
          -tall - 5,
          2.6,
          9,
          lighten(blade, -0.12),
          svg`transform="rotate(${lean} ${x + lean} ${-tall})"`,
        )
      : '';
    return (
      line(
        svg`M${x} 0Q${x + lean * 0.2} ${-tall * 0.6} ${x + lean} ${-tall}`,
        mix(blade, '#2f5a33', random.between(0, 0.3)),
        2.6,
      ) + ear
    );
  });
};

export const GROWTHS = { flower, tulip, sunflower, mushroom, pumpkin, rock, grass };
