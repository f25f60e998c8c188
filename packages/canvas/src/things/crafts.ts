import { lighten } from '../color.ts';
import { circle, each, ellipse, faint, group, line, path, rect, svg, times } from '../svg.ts';
import { type DrawThing, tones } from './pencil.ts';

function bobbing(t: number, content: string): string {
  return group(content, svg`translate(0 ${Math.sin(t * 1.5) * 1.6}) rotate(${Math.sin(t * 1.1) * 1.6})`);
}

const boat: DrawThing = ({ ink, color, second, random, accents, word, t, light }) => {
  const hull = tones(ink(color ?? random.pick(['#a3502f', '#f3ede0', '#2f5f8a', accents[0] as string])));
  if (/canoe|rowboat|kayak|dinghy|raft|gondola/.test(word))
    return bobbing(
      t,
      path('M-62 -20Q-50 2 -30 4H30Q52 2 64 -22Q30 -12 0 -12Q-32 -12 -62 -20Z', hull.base) +
        path('M-54 -8Q0 4 56 -9Q46 2 30 4H-30Q-46 2 -54 -8Z', hull.shade) +
        rect(-20, -16, 8, 6, ink('#8a6240')) +
        rect(16, -16, 8, 6, ink('#8a6240')) +
        line('M-6 -30L30 4', ink('#b58a58'), 2.4),
    );
  const sail = tones(
    ink(second ?? (color && color !== '#f7f6f1' ? '#fbf7ec' : random.pick(['#fbf7ec', '#f7e6c4', '#e9674d']))),
  );
  const belly = Math.sin(t * 1.2) * 2;
  return bobbing(
    t,
    [
      line('M2 -14V-104', ink('#6b4a33'), 2.6),
      path(svg`M6 -100Q${40 + belly} -62 44 -22H6Z`, sail.base),
      path(svg`M6 -100Q${22 + belly} -62 24 -22H6Z`, light < 0 ? sail.lit : sail.shade, faint(0.7)),
      path(svg`M-2 -94Q${-26 - belly * 0.6} -58 -34 -22H-2Z`, sail.shade),
      path('M2 -104q8 -3 15 1q-7 2 -15 4Z', ink(accents[1] as string)),
      path('M-54 -16H60Q50 4 36 6H-32Q-48 4 -54 -16Z', hull.base),
      path('M-50 -6Q4 2 55 -6Q46 5 36 6H-32Q-44 4 -50 -6Z', hull.shade),
      line('M-54 -16H60', lighten(hull.base, 0.5), 2),
      ellipse(2, 7, 60, 2.4, '#ffffff', faint(0.4)),
    ].join(''),
  );
};

const ship: DrawThing = (pencil) => {
  const { ink, color, word, t, night, glow } = pencil;
  if (/galleon|pirate/.test(word)) {
    const wood = tones(ink(color ?? '#7a4f32'));
    const canvas = ink(/pirate/.test(word) ? '#3a3840' : '#f3e9d2');
    const mast = (x: number, tall: number) =>
      line(`M${x} -24V${-tall}`, wood.dark, 3) +
      times(2, (index) =>
        path(
          svg`M${x - 20 + index * 4} ${-tall + 8 + index * 26}Q${x} ${-tall + 2 + index * 26} ${x + 20 - index * 4} ${-tall + 8 + index * 26}Q${x + 27 + Math.sin(t) * 2} ${-tall + 20 + index * 26} ${x + 22} ${-tall + 31 + index * 26}Q${x} ${-tall + 26 + index * 26} ${x - 22} ${-tall + 31 + index * 26}Q${x - 15} ${-tall + 20 + index * 26} ${x - 20 + index * 4} ${-tall + 8 + index * 26}Z`,
          index === 0 ? canvas : lighten(canvas, -0.08),
        ),
      );
    return bobbing(
      t,
      mast(-34, 92) +
        mast(10, 104) +
        mast(48, 84) +
        path('M-76 -42L-66 -20H62L92 -36Q80 4 56 8H-52Q-72 4 -76 -42Z', wood.base) +
        path('M-70 -14H76Q70 4 56 8H-52Q-66 4 -70 -14Z', wood.shade) +
        each([-44, -22, 0, 22, 44], (x) => circle(x, -8, 3, wood.dark)) +
        line('M62 -24L104 -48', wood.dark, 3),
    );
  }
  const hull = tones(ink(color ?? '#26344d'));
  const white = tones(ink('#f5f3ec'));
  const glass = night ? glow('#ffe09a') : ink('#4a6a82');
  const ports = (y: number, from: number, to: number) =>
    times(Math.floor((to - from) / 10), (index) => circle(from + index * 10, y, 2, glass));
  return bobbing(
    t,
    [
      rect(-16, -84, 16, 24, ink('#c43d33')) +
        rect(-16, -79, 16, 5, white.base) +
        rect(14, -80, 14, 20, ink('#c43d33')) +
        rect(14, -76, 14, 4, white.base),
      rect(-44, -62, 92, 16, white.base, 'rx="3"') + rect(-62, -46, 124, 18, white.shade, 'rx="3"'),
      ports(-54, -38, 46),
      ports(-37, -56, 60),
      path('M-96 -28H104Q92 2 78 6H-74Q-92 2 -96 -28Z', hull.base),
      path('M-88 -8H95Q88 4 78 6H-74Q-84 4 -88 -8Z', ink('#b5382e')),
      ports(-18, -78, 86),
      ellipse(2, 7, 100, 2.6, '#ffffff', faint(0.35)),
    ].join(''),
  );
};

const airplane: DrawThing = ({ ink, color, accents, word, t }) => {
  const body = tones(ink('#f3f5f6'));
  const mark = ink(color ?? (accents[0] as string));
  if (word === 'helicopter')
    return (
      ellipse(0, -46, 40, 24, mark) +
      path('M30 -54L92 -60V-52L34 -40Z', lighten(mark, -0.12)) +
      path('M88 -72L100 -46L84 -52Z', mark) +
      path('M-38 -50A38 22 0 0 1 -4 -68V-46Z', ink('#bfdde8')) +
      line('M0 -70V-80', ink('#3a3d44'), 4) +
      ellipse(0, -81, 70 * Math.abs(Math.cos(t * 20)) + 6, 2.6, ink('#3a3d44'), faint(0.8)) +
      line('M-26 -18H34M-14 -24V-18M18 -24V-18', ink('#3a3d44'), 3)
    );
  return group(
    path('M-40 -50L-66 -84H-52L-16 -54Z', mark) +
      path(
        'M-72 -44C-74 -56 -40 -60 20 -60C56 -60 78 -52 80 -46C78 -38 50 -34 0 -34C-44 -34 -70 -36 -72 -44Z',
        body.base,
      ) +
      path('M-70 -42C-40 -38 40 -38 78 -44C70 -37 44 -34 0 -34C-44 -34 -66 -36 -70 -42Z', body.shade) +
      path('M-70 -46L-90 -72H-76L-52 -50Z', mark) +
      path('M62 -57Q74 -53 78 -48L60 -49Z', ink('#3f5568')) +
      each([-40, -26, -12, 2, 16, 30, 44], (x) => circle(x, -49, 2.4, ink('#5b7488'))) +
      path('M-6 -44L-34 -8H-20L26 -42Z', lighten(mark, -0.1)) +
      ellipse(-6, -22, 9, 4, body.shade),
    `rotate(-6)`,
  );
};

const rocket: DrawThing = ({ ink, color, accents, glow, t, light }) => {
  const body = tones(ink('#f2f3f1'));
  const mark = tones(ink(color ?? (accents[0] as string)));
  const flicker = 1 + 0.18 * Math.sin(t * 23);
  return [
    path(svg`M-12 -6Q0 ${44 * flicker} 12 -6Z`, glow('#ff8a2b'), faint(0.95)),
    path(svg`M-6 -6Q0 ${26 * flicker} 6 -6Z`, glow('#ffe27a')),
    path('M-14 -40C-34 -30 -34 -8 -30 2L-12 -10ZM14 -40C34 -30 34 -8 30 2L12 -10Z', mark.base),
    path('M-18 -10C-26 -60 -12 -92 0 -108C12 -92 26 -60 18 -10Z', body.base),
    path(
      light > 0
        ? 'M-18 -10C-26 -60 -12 -92 0 -108C-8 -84 -12 -50 -8 -10Z'
        : 'M18 -10C26 -60 12 -92 0 -108C8 -84 12 -50 8 -10Z',
      body.shade,
    ),
    path('M-12.500 -84C-9 -94 -4 -102 0 -108C4 -102 9 -94 12.500 -84Z', mark.base),
    rect(-18, -14, 36, 6, mark.shade, 'rx="2"'),
    circle(0, -60, 9, mark.shade) +
      circle(0, -60, 6.4, ink('#7fc3e0')) +
      path('M-4 -63Q-1 -67 3 -65Q-1 -63 -2 -59Z', '#ffffff', faint(0.8)),
    path('M-3 -34H3V0H-3Z', mark.base),
  ].join('');
};

const ufo: DrawThing = ({ ink, glow, color, t }) => {
  const metal = tones(ink(color ?? '#9aa7b5'));
  const lamp = ['#ffd84f', '#5cf2b0', '#ff6fb1'];
  return [
    path('M-22 -34L-52 44H52L22 -34Z', glow('#d8ffd0'), faint(0.24 + 0.08 * Math.sin(t * 3))),
    path('M-26 -52C-24 -80 24 -80 26 -52Z', ink('#bfe9ef'), faint(0.85)),
    circle(0, -60, 7, glow('#6fce6a')) + circle(-2.4, -61, 1.5, '#1b2a1b') + circle(2.4, -61, 1.5, '#1b2a1b'),
    path('M-66 -42C-50 -58 50 -58 66 -42C50 -28 -50 -28 -66 -42Z', metal.base),
    path('M-62 -40C-40 -32 40 -32 62 -40C48 -28 -48 -28 -62 -40Z', metal.dark),
    each([-42, -22, 0, 22, 42], (x, index) =>
      circle(x, -38 + Math.abs(x) * -0.06, 4, glow(lamp[(index + Math.floor(t * 3)) % 3] as string)),
    ),
  ].join('');
};

const airballoon: DrawThing = (pencil) => {
  const { ink, color, second, random, accents, word, t } = pencil;
  const first = tones(ink(color ?? random.pick(accents)));
  const other = ink(second ?? (color ? '#fbf3df' : random.pick(['#fbf3df', '#f2c14b', '#f6efe2'])));
  const bob = Math.sin(t * 0.9 + random.between(0, 6)) * 2.4;
  if (/airship|zeppelin|blimp/.test(word))
    return group(
      path('M-90 -56C-70 -90 60 -90 90 -56C60 -24 -70 -24 -90 -56Z', first.base) +
        path('M-86 -50C-60 -28 56 -28 88 -52C60 -24 -70 -24 -86 -50Z', first.shade) +
        path('M-70 -56L-100 -82V-34Z', other) +
        rect(-20, -30, 44, 11, ink('#5b4332'), 'rx="4"'),
      svg`translate(0 ${bob})`,
    );
  const gore = (from: number, to: number, fill: string) =>
    path(
      svg`M${from * 4} -28C${from * 30} -44 ${from * 43} -68 ${from * 40} -84C${from * 30} -112 ${from * 12} -120 0 -120C${to * 12} -120 ${to * 30} -112 ${to * 40} -84C${to * 43} -68 ${to * 30} -44 ${to * 4} -28Z`,
      fill,
    );
  return group(
    [
      line('M-8 -29L-6 -12M8 -29L6 -12', ink('#5b4332'), 1.2),
      gore(-1, 1, first.base),
      gore(-0.62, 0.62, other),
      gore(-0.24, 0.24, first.base),
      path(
        'M-4 -28C-30 -44 -43 -68 -40 -84C-36 -100 -28 -110 -20 -114C-32 -84 -24 -50 -4 -28Z',
        '#241a2c',
        faint(0.16),
      ),
      path(
        'M4 -28C22 -42 34 -64 33 -84C32 -96 28 -106 22 -112C36 -96 42 -80 34 -60C28 -46 16 -36 4 -28Z',
        '#ffffff',
        faint(0.16),
      ),
      rect(-8, -13, 16, 12, ink('#9a6b3f'), 'rx="2"') + line('M-8 -8H8', ink('#6d4a2c'), 1.4),
    ].join(''),
    svg`translate(0 ${bob})`,
  );
};

export const CRAFTS = { boat, ship, airplane, rocket, ufo, airballoon };
