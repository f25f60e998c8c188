import { lighten, mix } from '../color.ts';
import { points } from '../geometry.ts';
import { circle, ellipse, faint, group, line, path, rect, svg, times } from '../svg.ts';
import { type DrawThing, tones } from './pencil.ts';

const book: DrawThing = ({ ink, color, accents }) => {
  const cover = tones(ink(color ?? (accents[0] as string)));
  const page = ink('#fbf5e6');
  return (
    path('M-72 -6Q-36 -20 0 -6Q36 -20 72 -6V4Q36 -10 0 4Q-36 -10 -72 4Z', cover.base) +
    path('M-68 -8Q-36 -50 0 -34V-6Q-36 -20 -68 -8Z', page) +
    path('M68 -8Q36 -50 0 -34V-6Q36 -20 68 -8Z', lighten(page, -0.06)) +
    times(3, (row) =>
      line(
        `M${-54 + row * 2} ${-16 - row * 7}Q-30 ${-30 - row * 6} -8 ${-20 - row * 5}M${54 - row * 2} ${-16 - row * 7}Q30 ${-30 - row * 6} 8 ${-20 - row * 5}`,
        lighten(page, -0.34),
        1.2,
        faint(0.7),
      ),
    ) +
    line('M0 -34V-4', lighten(page, -0.25), 1.4) +
    path('M-3 -36H5V12L1 6L-3 12Z', cover.lit)
  );
};

const cup: DrawThing = ({ ink, color, random, accents, word, t, glow }) => {
  const china = tones(ink(color ?? random.pick(['#f7f2e8', accents[0] as string])));
  const drink = ink(/tea/.test(word) ? '#b5722f' : '#4a2c1c');
  const steam = [-14, 2, 18].map((x, index) => {
    const wave = Math.sin(t * 1.6 + index) * 4;
    return line(svg`M${x} -84q${-8 + wave} -12 0 -22t${wave} -20`, glow('#ffffff'), 3, faint(0.4));
  });
  return [
    ellipse(0, -2, 62, 9, china.shade) +
      ellipse(0, -5, 60, 8, china.lit) +
      ellipse(0, -6, 36, 4.6, china.shade, faint(0.6)),
    line('M44 -60q28 -2 26 20q-2 20 -32 18', china.base, 8),
    path('M-46 -74C-46 -36 -38 -8 -18 -8H18C38 -8 46 -36 46 -74Z', china.base),
    path('M-46 -74C-46 -36 -38 -8 -18 -8H-8C-26 -16 -32 -44 -32 -74Z', china.lit, faint(0.8)),
    path('M46 -74C46 -36 38 -8 18 -8H6C26 -16 34 -44 34 -74Z', china.shade, faint(0.8)),
    ellipse(0, -74, 46, 10, china.lit) +
      ellipse(0, -73, 40, 7.4, drink) +
      ellipse(-8, -74, 18, 2.6, lighten(drink, 0.4), faint(0.5)),
    ...steam,
  ].join('');
};

const teapot: DrawThing = ({ ink, color, accents, t, glow }) => {
  const china = tones(ink(color ?? (accents[1] as string)));
  return (
    line('M-40 -54q-30 -4 -28 18q2 18 34 14', china.shade, 7) +
    path('M34 -40Q52 -40 58 -66L70 -66Q64 -22 30 -18Z', china.base) +
    ellipse(0, -34, 44, 34, china.base) +
    path('M-44 -34A44 34 0 0 0 30 -9A52 40 0 0 1 -44 -34Z', china.shade) +
    ellipse(-12, -48, 14, 8, '#ffffff', faint(0.35)) +
    ellipse(0, -66, 24, 5, china.shade) +
    path('M-22 -67Q0 -84 22 -67Z', china.lit) +
    circle(0, -80, 5, china.dark) +
    line(svg`M66 -72q${Math.sin(t * 2) * 4} -10 2 -20`, glow('#ffffff'), 3, faint(0.4))
  );
};

const candle: DrawThing = ({ ink, color, glow, t, random, night }) => {
  const wax = tones(ink(color ?? '#f3e8d0'));
  const flicker = Math.sin(t * 9 + random.between(0, 6)) * 2;
  return (
    circle(0, -92, night ? 46 : 30, glow('#ffcf6b'), faint(0.2)) +
    circle(0, -92, 20, glow('#ffdc8c'), faint(0.28)) +
    ellipse(0, -2, 30, 6, ink('#b58a46')) +
    rect(-13, -74, 26, 72, wax.base, 'rx="3"') +
    rect(3, -74, 10, 72, wax.shade, `rx="3" ${faint(0.7)}`) +
    path('M-13 -72q3 14 6 14t4 -10t5 10t5 -12t6 0v-6H-13Z', wax.lit) +
    line('M0 -74V-82', '#3a2c26', 2) +
    path(svg`M0 -80C-10 -88 ${-5 + flicker} -100 ${flicker} -110C${6 + flicker} -100 10 -88 0 -80Z`, glow('#ffb13d')) +
    path(svg`M0 -82C-5 -87 -2 -94 ${flicker * 0.6} -99C4 -94 5 -87 0 -82Z`, glow('#fff3bf'))
  );
};

const lantern: DrawThing = ({ ink, color, word, glow, t, random, accents, night }) => {
  if (word === 'lamp') {
    const shade = tones(ink(color ?? (accents[0] as string)));
    return (
      (night ? circle(0, -70, 60, glow('#ffd98a'), faint(0.22)) : '') +
      ellipse(0, -3, 26, 5, ink('#8a6a46')) +
      line('M0 -4V-56', ink('#8a6a46'), 5) +
      path('M-34 -46L-20 -96H20L34 -46Z', night ? mix(shade.lit, glow('#ffd98a'), 0.5) : shade.base) +
      path('M14 -46L8 -96H20L34 -46Z', shade.shade, faint(0.6))
    );
  }
  const paper = tones(glow(color ?? random.pick(['#e2523c', '#f0a13a'])));
  const sway = Math.sin(t * 1.2 + random.between(0, 6)) * 4;
  return group(
    circle(0, -52, 58, glow('#ffcf6b'), faint(0.18)) +
      line('M0 -110V-88', ink('#3a2f2c'), 1.4) +
      rect(-13, -90, 26, 6, ink('#3a2f2c'), 'rx="2"') +
      ellipse(0, -54, 37, 33, paper.base) +
      ellipse(0, -54, 22, 33, paper.lit, faint(0.8)) +
      ellipse(0, -54, 8, 33, lighten(paper.lit, 0.3), faint(0.7)) +
      line('M-34 -66H34M-37 -54H37M-34 -42H34', paper.shade, 1.2) +
      rect(-13, -24, 26, 6, ink('#3a2f2c'), 'rx="2"') +
      line('M-4 -18V-4M0 -18V0M4 -18V-4', paper.shade, 1.6),
    svg`rotate(${sway} 0 -110)`,
  );
};

const chair: DrawThing = ({ ink, color, accents, word }) => {
  const soft = /armchair|sofa|couch|throne/.test(word);
  const cloth = tones(ink(color ?? (accents[0] as string)));
  const wood = tones(ink(soft ? '#6b4733' : (color ?? '#9a6a42')));
  if (soft)
    return (
      line('M-34 -8V0M34 -8V0', wood.dark, 6) +
      rect(-40, -88, 80, 62, cloth.base, 'rx="16"') +
      rect(-30, -42, 60, 22, cloth.lit, 'rx="6"') +
      rect(-50, -54, 20, 46, cloth.shade, 'rx="9"') +
      rect(30, -54, 20, 46, cloth.shade, 'rx="9"') +
      rect(-34, -22, 68, 14, cloth.base, 'rx="4"')
    );
  return (
    line('M-26 0V-96M22 0V-44M-14 -2V-44M32 -2V-44', wood.base, 5) +
    line('M-26 -92H20M-26 -78H20M-26 -64H20M20 -96V-44', wood.base, 5) +
    path('M-32 -48H28L36 -40H-24Z', wood.lit)
  );
};

const table: DrawThing = ({ ink, color }) => {
  const wood = tones(ink(color ?? '#94623c'));
  return (
    line('M-70 -50V0M70 -50V0M-52 -50V-6M52 -50V-6', wood.shade, 7) +
    rect(-84, -60, 168, 11, wood.base, 'rx="3"') +
    rect(-84, -60, 168, 4, wood.lit, 'rx="2"')
  );
};

const apple: DrawThing = ({ ink, color, word, random }) => {
  const usual: Record<string, string> = {
    pear: '#b9c24a',
    peach: '#f2a878',
    plum: '#6b3f7a',
    cherry: '#b3172f',
    lemon: '#f2d544',
    lime: '#9ccb3c',
    strawberry: '#d9303e',
    tomato: '#d8402c',
    orange: '#ee8a2a',
  };
  const skin = tones(ink(color ?? usual[word] ?? random.pick(['#cf2f30', '#8fb544', '#d9a13a'])));
  const body =
    word === 'pear'
      ? 'M0 -100C16 -100 18 -76 24 -62C40 -46 38 0 0 0C-38 0 -40 -46 -24 -62C-18 -76 -16 -100 0 -100Z'
      : /orange|lemon|lime|tomato|plum|peach|cherry/.test(word)
        ? 'M0 -78C26 -80 42 -60 41 -38C40 -14 22 0 0 0C-22 0 -40 -14 -41 -38C-42 -60 -26 -80 0 -78Z'
        : 'M0 -70C10 -82 38 -82 42 -52C45 -26 26 2 8 0C2 -2 -2 -2 -8 0C-26 2 -45 -26 -42 -52C-38 -82 -10 -82 0 -70Z';
  return (
    ellipse(0, 0, 34, 4, '#1b1622', faint(0.18)) +
    path(body, skin.base) +
    path('M-38 -34C-34 -8 -16 0 -4 0H6C22 0 38 -12 41 -36C30 -14 -8 -6 -38 -34Z', skin.shade, faint(0.7)) +
    ellipse(-18, -54, 8, 12, '#ffffff', `transform="rotate(24 -18 -54)" ${faint(0.4)}`) +
    line(`M0 ${word === 'pear' ? -98 : -70}q2 -12 8 -18`, ink('#5b4030'), 3.4) +
    path(`M5 ${word === 'pear' ? -106 : -80}q14 -12 26 -2q-12 10 -26 2Z`, ink('#5f9a45'))
  );
};

const key: DrawThing = ({ ink, color }) => {
  const brass = tones(ink(color ?? '#d3a23c'));
  return group(
    circle(0, -78, 20, 'none', `stroke="${brass.base}" stroke-width="9"`) +
      line('M0 -58V-6M0 -8H17M0 -22H13', brass.base, 8) +
      circle(-4, -82, 20, 'none', `stroke="${brass.lit}" stroke-width="1.600"`),
    'rotate(20 0 -50)',
  );
};

const clock: DrawThing = ({ ink, color, random, t }) => {
  const rim = tones(ink(color ?? '#8a5b3a'));
  const turn = random.between(0, 360) + t * 6;
  const hours = times(12, (index) => group(line('M0 -34V-39', ink('#33313a'), 2.2), `rotate(${index * 30})`));
  return group(
    circle(0, 0, 50, rim.base) +
      circle(0, 0, 50, 'none', `stroke="${rim.shade}" stroke-width="4"`) +
      circle(0, 0, 43, ink('#fbf6e8')) +
      hours +
      group(line('M0 4V-22', ink('#33313a'), 4), svg`rotate(${turn / 12})`) +
      group(line('M0 6V-33', ink('#33313a'), 2.6), svg`rotate(${turn})`) +
      circle(0, 0, 3.4, ink('#c43d33')),
    'translate(0 -50)',
  );
};

const bottle: DrawThing = ({ ink, color, random, accents, word, glow }) => {
  const glass = tones(
    /potion/.test(word)
      ? glow(color ?? (accents[2] as string))
      : ink(color ?? random.pick(['#3f7a56', '#7a4a2c', '#4a7fa0'])),
  );
  if (/potion|flask|jar/.test(word))
    return (
      path(
        'M-10 -88H10V-62C34 -54 42 -36 38 -18C34 0 -34 0 -38 -18C-42 -36 -34 -54 -10 -62Z',
        ink('#dfeef2'),
        faint(0.6),
      ) +
      path('M-37 -32Q0 -40 37 -32C42 0 -42 0 -37 -32Z', glass.base) +
      circle(-10, -18, 4, glass.lit) +
      circle(12, -24, 3, glass.lit) +
      rect(-11, -98, 22, 13, ink('#9a6b44'), 'rx="3"') +
      ellipse(-20, -38, 4, 10, '#ffffff', faint(0.5))
    );
  return (
    path('M-8 -104H8V-76C8 -66 19 -62 19 -48V-6Q19 0 13 0H-13Q-19 0 -19 -6V-48C-19 -62 -8 -66 -8 -76Z', glass.base) +
    path('M8 -76C8 -66 19 -62 19 -48V-6Q19 0 13 0H6V-56C6 -66 3 -70 3 -80V-104H8Z', glass.shade) +
    rect(-19, -44, 38, 26, ink('#f5eedd')) +
    line('M-13 -36H13M-13 -28H7', ink('#8a7a66'), 1.6) +
    rect(-9, -108, 18, 9, glass.dark, 'rx="2"') +
    ellipse(-12, -54, 2.4, 9, '#ffffff', faint(0.4))
  );
};

const vase: DrawThing = ({ ink, color, random, accents }) => {
  const clay = tones(ink(color ?? random.pick(['#b5653f', accents[1] as string, '#7f9aa8'])));
  const heads = points([-24, -112, 0, -124, 24, -114, -10, -98, 13, -98]).map(([x, y], index) => {
    const petal = ink(accents[(index + 2) % accents.length] as string);
    return (
      line(svg`M0 -62Q${x * 0.3} -84 ${x} ${y}`, ink('#4f8a4a'), 2.4) +
      times(5, (part) =>
        group(
          ellipse(0, -7, 5, 7, part % 2 === 0 ? petal : lighten(petal, 0.2)),
          `translate(${x} ${y}) rotate(${part * 72})`,
        ),
      ) +
      circle(x, y, 4, ink('#f3c53f'))
    );
  });
  return (
    heads.join('') +
    path('M-14 -66H14C12 -56 30 -44 28 -24C26 -6 16 0 0 0C-16 0 -26 -6 -28 -24C-30 -44 -12 -56 -14 -66Z', clay.base) +
    path('M4 -66H14C12 -56 30 -44 28 -24C26 -6 16 0 2 0C20 -12 18 -44 4 -66Z', clay.shade) +
    line('M-27 -30Q0 -22 27 -30M-24 -18Q0 -10 24 -18', clay.lit, 2) +
    ellipse(0, -66, 15, 3.4, clay.dark)
  );
};

export const HOUSEHOLD = {
  book,
  cup,
  teapot,
  candle,
  lantern,
  chair,
  table,
  apple,
  key,
  clock,
  bottle,
  vase,
};
