import { lighten, mix } from '../color.ts';
import { circle, each, ellipse, faint, group, line, path, rect, svg } from '../svg.ts';
import { type DrawThing, type Pencil, tones } from './pencil.ts';

const SKINS = ['#f1c9a5', '#d9a066', '#8d5a3a', '#5f3b28', '#e8b48c', '#b87a4e'];
const HAIRS = ['#2b211e', '#5a3a26', '#b57f3c', '#8c8a88', '#7a2f1e'];

interface Figure {
  gown: boolean;
  long: boolean;
  hat: 'none' | 'straw' | 'crown' | 'wizard' | 'helmet' | 'cap';
  scale: number;
  holds: string;
}

function figureOf({ word, random }: Pencil, child: boolean): Figure {
  const woman = /woman|girl|lady|princess|queen|witch|mother|grandmother|girlfriend|dancer|nurse/.test(word);
  const man =
    /man|boy|guy|prince|king|knight|father|monk|samurai|cowboy|boyfriend|grandfather|gentleman/.test(word) && !woman;
  const gown = woman ? random.chance(0.75) : /wizard|monk|witch/.test(word) || (!man && random.chance(0.3));
  const hat = /king|queen|princess|prince/.test(word)
    ? 'crown'
    : /wizard|witch/.test(word)
      ? 'wizard'
      : /knight|soldier|warrior/.test(word)
        ? 'helmet'
        : /farmer|cowboy|painter|fisherman/.test(word)
          ? 'straw'
          : child && random.chance(0.4)
            ? 'cap'
            : 'none';
  const holds = /wizard/.test(word)
    ? line('M22 -62L27 4', '#6b4a2f', 3.4) + circle(22, -66, 5, '#8fe3ff', faint(0.9))
    : /knight|samurai|warrior/.test(word)
      ? line('M22 -44L30 -88', '#d9dee4', 3) + line('M17 -46L28 -42', '#8a6a3f', 3.4)
      : /hiker|traveler|traveller|explorer/.test(word)
        ? line('M21 -54L26 0', '#7a5738', 2.6)
        : /fisherman/.test(word)
          ? line('M20 -52L54 -98', '#7a5738', 2) + line('M54 -98q6 40 4 74', '#e9e9e9', 0.6)
          : '';
  return { gown, long: woman && random.chance(0.8), hat, scale: child ? 0.66 : 1, holds };
}

function figure(pencil: Pencil, child: boolean): string {
  const { ink, color, second, random, accents, t, word, light } = pencil;
  const shadow = word === 'silhouette' || word === 'ninja';
  const form = figureOf(pencil, child);
  const skin = shadow ? ink('#22242c') : ink(random.pick(SKINS));
  const hair = shadow ? skin : ink(word === 'grandmother' || word === 'grandfather' ? '#c9c7c4' : random.pick(HAIRS));
  const coat = tones(shadow ? skin : ink(color ?? random.pick(accents)));
  const legs = shadow ? skin : ink(second ?? random.pick(['#34415c', '#4a4038', '#5b5a66', '#2f3b3a']));
  const swing = Math.sin(t * 2.6) * 3;
  const sway = Math.sin(t * 1.1) * 1;
  const trunk = form.gown
    ? path(svg`M-9 -70Q0 -74 9 -70L12 -46Q24 -22 ${22 + sway} -7Q0 0 ${-22 + sway} -7Q-24 -22 -12 -46Z`, coat.base) +
      path(
        light > 0
          ? 'M-9 -70L-4 -71Q-10 -30 -12 -6Q-18 -6 -22 -8Q-24 -22 -12 -46Z'
          : 'M9 -70L4 -71Q10 -30 12 -6Q18 -6 22 -8Q24 -22 12 -46Z',
        coat.shade,
        faint(0.8),
      )
    : line(svg`M-5 -38L${-6 - swing} -3`, legs, 9) +
      line(svg`M5 -38L${6 + swing} -3`, lighten(legs, -0.14), 9) +
      path('M-13 -70Q0 -76 13 -70L12 -36Q0 -32 -12 -36Z', coat.base) +
      path(
        light > 0 ? 'M-13 -70L-6 -72Q-8 -50 -7 -34L-12 -36Z' : 'M13 -70L6 -72Q8 -50 7 -34L12 -36Z',
        coat.shade,
        faint(0.8),
      );
  const feet =
    ellipse(-7 - (form.gown ? 0 : swing), -2, 6, 3, ink('#2d2724')) +
    ellipse(7 + (form.gown ? 0 : swing), -2, 6, 3, ink('#2d2724'));
  const arms =
    line(svg`M-12 -66Q-20 -54 ${-19 + swing} -42`, coat.shade, 6.4) +
    circle(-19 + swing, -40, 3.6, skin) +
    line(svg`M12 -66Q20 -54 ${19 - swing} -42`, coat.base, 6.4) +
    circle(19 - swing, -40, 3.6, skin);
  const back = form.long ? path(svg`M-12 -86Q-17 -66 ${-13 + sway * 2} -56H${13 + sway * 2}Q17 -66 12 -86Z`, hair) : '';
  const head = [
    rect(-3.4, -76, 6.8, 8, lighten(skin, -0.16)),
    ellipse(0, -84, 10.4, 11.6, skin),
    path('M-11 -84C-13 -100 13 -100 11 -84C8 -92 2 -93 -3 -92C-7 -91 -10 -89 -11 -84Z', hair),
    shadow
      ? ''
      : circle(-3.8, -83, 1.3, '#26201f') +
        circle(4, -83, 1.3, '#26201f') +
        line('M-2.6 -78q2.8 2.2 5.4 0', mix(skin, '#8a3a34', 0.6), 1.1) +
        circle(-6.6, -80, 1.9, '#e57f74', faint(0.3)) +
        circle(6.8, -80, 1.9, '#e57f74', faint(0.3)),
  ].join('');
  return group(
    [back, form.gown ? feet + trunk : trunk + feet, arms, head, hatOf(form.hat, ink, coat), form.holds].join(''),
    `scale(${form.scale})`,
  );
}

function hatOf(hat: Figure['hat'], ink: Pencil['ink'], coat: ReturnType<typeof tones>): string {
  switch (hat) {
    case 'straw':
      return ellipse(0, -92, 19, 4.4, ink('#d9b36a')) + path('M-10 -92C-10 -104 10 -104 10 -92Z', ink('#e3c07c'));
    case 'crown':
      return path('M-9 -93L-11 -104L-5 -99L0 -107L5 -99L11 -104L9 -93Z', ink('#eec23f'));
    case 'wizard':
      return ellipse(0, -92, 17, 3.8, coat.dark) + path('M-10 -92Q-2 -112 8 -126Q6 -108 10 -92Z', coat.shade);
    case 'helmet':
      return (
        path('M-12 -80C-14 -102 14 -102 12 -80L10 -88H-10Z', ink('#9aa3ad')) +
        path('M0 -99Q6 -112 16 -108Q8 -104 4 -98Z', ink('#c43a31'))
      );
    case 'cap':
      return path('M-11 -88C-11 -101 11 -101 11 -88Z', coat.lit) + path('M6 -90H20Q18 -86 6 -87Z', coat.shade);
    case 'none':
      return '';
    default:
      return hat satisfies never;
  }
}

const person: DrawThing = (pencil) => figure(pencil, false);
const child: DrawThing = (pencil) => figure(pencil, true);

const robot: DrawThing = ({ ink, color, glow, accents, t, second }) => {
  const metal = tones(ink(color ?? '#9fb0bd'));
  const lamp = glow(second ?? (accents[0] as string));
  const tilt = Math.sin(t * 1.4) * 5;
  const arm = (x: number, side: number) =>
    line(svg`M${x} -58q${side * 10} 8 ${side * 8} ${22 + tilt * side}`, metal.shade, 6) +
    circle(x + side * 8, -34 + tilt * side, 6, metal.dark) +
    circle(x + side * 8, -34 + tilt * side, 2.8, metal.lit);
  return [
    line('M-10 -26V-4M10 -26V-4', metal.dark, 9),
    path('M-20 0Q-20 -9 -10 -9Q0 -9 0 0ZM0 0Q0 -9 10 -9Q20 -9 20 0Z', metal.shade),
    arm(-20, -1),
    arm(20, 1),
    rect(-22, -64, 44, 40, metal.base, 'rx="7"'),
    rect(-22, -64, 16, 40, metal.shade, `rx="7" ${faint(0.55)}`),
    rect(-12, -56, 24, 14, metal.dark, 'rx="3"'),
    circle(-6, -49, 2.6, lamp, faint(0.6 + 0.4 * Math.sin(t * 4))),
    circle(1, -49, 2.6, glow('#f5cf4a')),
    circle(8, -49, 2.6, glow('#e4584c')),
    rect(-5, -70, 10, 8, metal.dark),
    group(
      rect(-18, -98, 36, 29, metal.base, 'rx="8"') +
        rect(-18, -98, 12, 29, metal.shade, `rx="8" ${faint(0.5)}`) +
        rect(-13, -91, 26, 12, '#1d2530', 'rx="6"') +
        circle(-6, -85, 3.6, lamp) +
        circle(6, -85, 3.6, lamp) +
        line('M-6 -75H6', metal.dark, 2) +
        line('M0 -98V-108', metal.dark, 2.4) +
        circle(0, -110, 3.4, lamp),
      svg`rotate(${tilt * 0.6} 0 -70)`,
    ),
  ].join('');
};

const astronaut: DrawThing = ({ ink, color, accents, t, light }) => {
  const suit = tones(ink(color ?? '#eef0f2'));
  const wave = Math.sin(t * 2) * 12;
  const mark = ink(accents[0] as string);
  return [
    rect(-20, -74, 40, 36, suit.dark, 'rx="6"'),
    line('M-9 -34L-11 -6M9 -34L11 -6', suit.base, 14),
    path('M-21 0Q-20 -10 -10 -10Q-1 -10 -2 0ZM2 0Q1 -10 10 -10Q20 -10 21 0Z', suit.shade),
    line('M-16 -62Q-28 -52 -27 -38', suit.shade, 11),
    line(svg`M16 -62Q30 -66 ${32} ${-80 + wave * 0.4}`, suit.base, 11),
    circle(32, -82 + wave * 0.4, 6.4, mark),
    circle(-27, -35, 6.4, mark),
    path('M-18 -70Q0 -76 18 -70L16 -32Q0 -28 -16 -32Z', suit.base),
    path(light > 0 ? 'M-18 -70L-8 -72L-7 -31L-16 -32Z' : 'M18 -70L8 -72L7 -31L16 -32Z', suit.shade),
    rect(-9, -60, 18, 11, suit.shade, 'rx="2"'),
    circle(-4, -54, 2, ink('#e4584c')),
    circle(3, -54, 2, ink('#4f9fd8')),
    circle(0, -86, 18, suit.base),
    ellipse(1, -86, 13.4, 12, '#1c2a44'),
    path('M-9 -90Q-4 -98 6 -96Q-2 -92 -5 -84Z', '#9fd0ee', faint(0.8)),
    ellipse(6, -82, 3.6, 2, ink('#f4b84a'), faint(0.7)),
  ].join('');
};

const snowman: DrawThing = ({ ink, color, accents }) => {
  const snow = tones(ink('#f6f9fc'));
  const scarf = ink(color ?? (accents[0] as string));
  const ball = (y: number, r: number) =>
    circle(0, y, r, snow.base) +
    path(
      svg`M${-r} ${y}A${r} ${r} 0 0 0 ${r * 0.4} ${y + r * 0.92}Q${-r * 0.7} ${y + r * 0.6} ${-r} ${y}Z`,
      mix(snow.shade, ink('#7f9fc6'), 0.3),
      faint(0.6),
    );
  return [
    line('M-20 -50L-42 -62M-36 -59l-4 -8M20 -50L42 -64M36 -60l6 -2', ink('#5b4433'), 2.4),
    ball(-23, 23),
    ball(-54, 17),
    ball(-78, 12.6),
    path('M-13 -68Q0 -60 13 -68L13 -63Q0 -56 -13 -63Z', scarf),
    path('M6 -64L14 -44L8 -42L1 -62Z', lighten(scarf, -0.15)),
    circle(-4.4, -81, 1.7, '#23232a') + circle(4.4, -81, 1.7, '#23232a'),
    path('M0 -78L15 -75L0 -74Z', ink('#ef8733')),
    each([-58, -51, -44], (y) => circle(0, y, 1.7, '#23232a')),
    rect(-14, -91, 28, 3.4, '#2a2b33', 'rx="1.6"') +
      rect(-9.4, -106, 18.8, 16, '#2a2b33', 'rx="1.6"') +
      rect(-9.4, -94, 18.8, 3.4, scarf),
  ].join('');
};

const ghost: DrawThing = ({ glow, color, t }) => {
  const veil = glow(color ?? '#f2f4f8');
  const wave = Math.sin(t * 2) * 3;
  return group(
    path(
      svg`M-28 -10C-32 -60 -28 -98 0 -98C28 -98 32 -60 28 -10Q${22 + wave} -22 14 -8Q${8 + wave} -20 0 -8Q${-8 + wave} -20 -14 -8Q${-22 + wave} -22 -28 -10Z`,
      veil,
      faint(0.88),
    ) +
      ellipse(-10, -70, 5, 7, '#2a2c3a') +
      ellipse(10, -70, 5, 7, '#2a2c3a') +
      ellipse(0, -52, 5, 6, '#2a2c3a', faint(0.85)),
    svg`translate(0 ${wave * 1.6})`,
  );
};

export const PEOPLE = { person, child, robot, astronaut, snowman, ghost };
