import { lighten, mix } from '../color.ts';
import { circle, each, ellipse, faint, group, line, path, rect, svg, times } from '../svg.ts';
import type { Pencil } from './pencil.ts';
import { type DrawThing, tones } from './pencil.ts';

const house: DrawThing = (pencil) => {
  const { ink, color, second, random, light, white, word, t, glow, night } = pencil;
  const wall = tones(ink(color ?? random.pick(['#efe0c4', '#e3b98d', '#c9d3cf', '#d98f76', '#f3ecdd'])));
  const roof = tones(white ? ink('#f1f6fa') : ink(second ?? random.pick(['#a34a37', '#7d4a3c', '#5d6673', '#8a5a44'])));
  const wood = ink('#6b4733');
  const log = /cabin|hut|lodge|shack/.test(word);
  const planks = log ? each([8, 16, 24, 32, 40], (y) => line(`M-42 ${-y}H42`, wall.shade, 1.4)) : '';
  const shop = /shop|store|cafe|bakery|restaurant|inn|bookshop/.test(word);
  const awning = shop
    ? times(6, (index) =>
        path(`M${-40 + index * 13.4} -34h13.4l-2 11q-5 4 -10 0Z`, index % 2 === 0 ? roof.base : ink('#f7f2e6')),
      )
    : '';
  const smoke = [0, 1, 2].map((puff) => {
    const rise = (puff * 9 + t * 5) % 27;
    return circle(
      26 + Math.sin(t + puff) * 3 + rise * 0.3,
      -100 - rise,
      3 + rise * 0.22,
      lighten(ink('#c9c6c2'), 0.2),
      faint(0.6 - rise * 0.018),
    );
  });
  const shaded =
    light > 0 ? rect(-42, -48, 26, 48, wall.shade, faint(0.6)) : rect(16, -48, 26, 48, wall.shade, faint(0.6));
  return [
    rect(20, -92, 11, 26, ink('#8a5f4d')),
    ...smoke,
    rect(-42, -48, 84, 48, wall.base),
    planks,
    shaded,
    path('M-52 -46L-30 -82H30L52 -46Z', roof.base),
    path(light > 0 ? 'M-52 -46L-30 -82H-6L-20 -46Z' : 'M52 -46L30 -82H6L20 -46Z', roof.shade, faint(0.6)),
    line('M-52 -46H52', roof.dark, 2.4),
    path('M-12 -46L0 -68L12 -46Z', wall.lit) + circle(0, -53, 4, pane(pencil)),
    awning,
    shop
      ? casement(pencil, -36, -24, 20, 16) + casement(pencil, 16, -24, 20, 16)
      : casement(pencil, -34, -34, 16, 17) + casement(pencil, 18, -34, 16, 17),
    rect(-8, -28, 16, 28, wood, 'rx="2"') + circle(4, -13, 1.5, ink('#e3b94f')),
    night ? ellipse(0, 0, 46, 5, glow('#ffd783'), faint(0.18)) : '',
  ].join('');
};

const barn: DrawThing = (pencil) => {
  const { ink, color, white } = pencil;
  const wall = tones(ink(color ?? '#b23c33'));
  const trim = ink('#f5efe4');
  const roof = white ? ink('#f1f6fa') : ink('#5a5257');
  return (
    rect(-46, -50, 92, 50, wall.base) +
    rect(-46, -50, 30, 50, wall.shade, faint(0.6)) +
    path('M-46 -50L-34 -76L0 -92L34 -76L46 -50Z', wall.base) +
    line('M-50 -48L-36 -78L0 -94L36 -78L50 -48', roof, 5) +
    rect(-17, -34, 34, 34, wall.dark) +
    line('M-17 -34H17V0M-17 -34V0M-17 -34L17 0M17 -34L-17 0', trim, 2.2) +
    rect(-9, -74, 18, 15, wall.dark) +
    line('M-9 -74h18v15h-18Z', trim, 2)
  );
};

const castle: DrawThing = (pencil) => {
  const { ink, color, second, random, accents, t, light } = pencil;
  const wall = tones(ink(color ?? random.pick(['#b9b1a6', '#a9adb5', '#c7b799'])));
  const roof = tones(ink(second ?? random.pick([accents[0] as string, '#5c6f9a', '#a8503f'])));
  const tower = (x: number, w: number, tall: number, spire: number) => {
    const teeth = times(4, (index) =>
      rect(x - w / 2 - 1.5 + (index * (w + 3)) / 3.6, -tall - 5, (w + 3) / 6.4, 6, wall.base),
    );
    return (
      rect(x - w / 2, -tall, w, tall, wall.base) +
      rect(light > 0 ? x - w / 2 : x + w * 0.12, -tall, w * 0.38, tall, wall.shade) +
      (spire > 0
        ? path(svg`M${x - w * 0.68} ${-tall}L${x} ${-tall - spire}L${x + w * 0.68} ${-tall}Z`, roof.base) +
          path(svg`M${x - w * 0.68 * light} ${-tall}L${x} ${-tall - spire}L${x} ${-tall}Z`, roof.shade)
        : teeth) +
      path(svg`M${x - 2} ${-tall * 0.7}v-5a2 2 0 0 1 4 0v5Z`, pane(pencil))
    );
  };
  const wave = Math.sin(t * 4) * 2;
  const flag = (x: number, y: number) =>
    line(`M${x} ${y}v-11`, wall.dark, 1.2) +
    path(svg`M${x} ${y - 11}q5 ${-2 + wave} 11 1q-5 ${2 - wave} -11 4Z`, roof.lit);
  return [
    tower(-20, 16, 66, 22),
    tower(21, 15, 60, 20),
    tower(2, 20, 78, 26),
    rect(-40, -40, 80, 40, wall.base),
    times(9, (index) => rect(-40 + index * 9.2, -45, 5.6, 6, wall.base)),
    rect(light > 0 ? -40 : 14, -40, 26, 40, wall.shade, faint(0.55)),
    tower(-42, 17, 52, 22),
    tower(42, 17, 52, 22),
    path('M-10 0V-18a10 10 0 0 1 20 0V0Z', ink('#4a3427')) +
      line('M-10 -8H10M-5 0V-26M0 0V-28M5 0V-26', ink('#2f211a'), 1.2),
    each([-26, 26], (x) => path(`M${x - 2.4} -18v-7a2.400 2.400 0 0 1 4.800 0v7Z`, pane(pencil))),
    flag(2, -104),
    flag(-42, -74),
    flag(42, -74),
  ].join('');
};

const lighthouse: DrawThing = (pencil) => {
  const { ink, color, night, t, glow, light } = pencil;
  const wall = ink('#f6f1e6');
  const band = ink(color ?? '#cf3f35');
  const lamp = glow('#ffe9a0');
  const turn = Math.sin(t * 0.9);
  const beams =
    night || t > 0
      ? each([-1, 1], (side) =>
          path(
            svg`M0 -88L${side * 160} ${-110 + turn * 14}L${side * 160} ${-64 + turn * 14}Z`,
            lamp,
            faint((night ? 0.24 : 0.08) * (0.7 + 0.3 * turn * side)),
          ),
        )
      : '';
  const edge = (y: number) => 17 - (y / 78) * 6.4;
  const bands = each([10, 40], (y) =>
    path(svg`M${-edge(y)} ${-y}H${edge(y)}L${edge(y + 15)} ${-y - 15}H${-edge(y + 15)}Z`, band),
  );
  return [
    beams,
    path('M-32 0Q-26 -12 -14 -10H14Q28 -12 34 0Z', ink('#7d766f')),
    path('M-17 -2L-10.600 -78H10.600L17 -2Z', wall),
    bands,
    path(light > 0 ? 'M-17 -2L-10.600 -78H-3L-6 -2Z' : 'M17 -2L10.600 -78H3L6 -2Z', '#3a3340', faint(0.16)),
    rect(-14, -81, 28, 4, ink('#3c3f48')),
    rect(-8, -94, 16, 13, lamp),
    line('M-8 -94V-81M-2.600 -94V-81M2.600 -94V-81M8 -94V-81', ink('#3c3f48'), 1.4),
    path('M-11 -94L0 -106L11 -94Z', band),
    path('M-5 -2v-12a5 5 0 0 1 10 0v12Z', ink('#54402f')),
    rect(-2.4, -58, 4.8, 7, pane(pencil)),
  ].join('');
};

const windmill: DrawThing = (pencil) => {
  const { ink, color, word, t, random, light } = pencil;
  const turn = random.between(0, 90) + t * 40;
  if (/turbine/.test(word)) {
    const blade = path('M-2 0Q-4 -22 0 -46Q4 -22 2 0Z', ink('#f4f6f7'));
    return (
      path('M-3 0L-1.600 -76H1.600L3 0Z', ink('#e6eaec')) +
      group(
        each([0, 120, 240], (angle) => group(blade, `rotate(${angle})`)) + circle(0, 0, 3, ink('#cfd6da')),
        svg`translate(0 -78) rotate(${turn})`,
      )
    );
  }
  const wall = tones(ink(color ?? '#e9dcc4'));
  const sail =
    line('M0 0V-50', ink('#5b4332'), 2.4) +
    rect(1, -48, 11, 36, ink('#f7f1e4'), `stroke="${ink('#8a6d50')}" stroke-width="1"`) +
    line('M1 -39H12M1 -30H12M1 -21H12', ink('#8a6d50'), 0.9);
  return [
    path('M-26 0L-15 -58H15L26 0Z', wall.base),
    path(light > 0 ? 'M-26 0L-15 -58H-4L-8 0Z' : 'M26 0L15 -58H4L8 0Z', wall.shade, faint(0.7)),
    path('M-18 -56C-18 -76 18 -76 18 -56Z', ink('#7d4b3a')),
    path('M-6 0v-16a6 6 0 0 1 12 0v16Z', ink('#5b4332')),
    casement(pencil, -4, -40, 8, 9),
    group(
      each([0, 90, 180, 270], (angle) => group(sail, `rotate(${angle})`)) + circle(0, 0, 3.4, ink('#5b4332')),
      svg`translate(0 -62) rotate(${turn})`,
    ),
  ].join('');
};

const tower: DrawThing = (pencil) => {
  const { ink, color, random, light } = pencil;
  const wall = tones(ink(color ?? random.pick(['#6f8296', '#8a7f86', '#5f7480', '#a08d7a'])));
  const glass = pane(pencil);
  let lights = '';
  for (let row = 0; row < 13; row += 1)
    for (let column = 0; column < 4; column += 1)
      if (random.chance(0.72)) lights += `M${-15 + column * 8.4} ${-90 + row * 6.6}h5v3.6h-5Z`;
  return (
    rect(-19, -96, 38, 96, wall.base) +
    rect(light > 0 ? -19 : 7, -96, 12, 96, wall.shade) +
    path(lights, glass, faint(0.92)) +
    rect(-13, -102, 26, 6, wall.shade) +
    line('M0 -102V-118', wall.dark, 1.6) +
    rect(-6, -9, 12, 9, ink('#2f3440'))
  );
};

const church: DrawThing = (pencil) => {
  const { ink, color, white, light } = pencil;
  const wall = tones(ink(color ?? '#f1ebdf'));
  const roof = white ? ink('#f1f6fa') : ink('#7a5148');
  const arch = (x: number, y: number, h: number) => path(`M${x - 3} ${y}v${-h}a3 3 0 0 1 6 0v${h}Z`, pane(pencil));
  return [
    rect(-10, -40, 52, 40, wall.base),
    path('M-14 -38L-2 -60H34L46 -38Z', roof),
    rect(-34, -62, 26, 62, wall.lit),
    rect(light > 0 ? -34 : -18, -62, 10, 62, wall.shade, faint(0.7)),
    path('M-38 -61L-21 -104L-4 -61Z', roof),
    line('M-21 -104V-114M-25 -110H-17', ink('#c9a545'), 1.8),
    arch(-21, -40, 8),
    path('M-27 0v-14a6 6 0 0 1 12 0v14Z', ink('#5d4433')),
    arch(4, -12, 11) + arch(18, -12, 11) + arch(32, -12, 11),
  ].join('');
};

const temple: DrawThing = (pencil) => {
  const { ink, color, word } = pencil;
  const red = tones(ink(color ?? '#c23b2e'));
  if (/torii/.test(word))
    return (
      line('M-26 0L-23 -78M26 0L23 -78', red.base, 7) +
      path('M-50 -84Q0 -76 50 -84L47 -94Q0 -86 -47 -94Z', red.base) +
      path('M-52 -93Q0 -85 52 -93L51 -98Q0 -91 -51 -98Z', ink('#2b2a30')) +
      rect(-36, -66, 72, 6, red.shade) +
      rect(-4, -79, 8, 14, ink('#2b2a30'))
    );
  const wall = ink('#f3e8d2');
  const floors = [0, 1, 2].map((floor) => {
    const [y, w] = [-floor * 27, 34 - floor * 7];
    return (
      rect(-w * 0.72, y - 20, w * 1.44, 20, floor % 2 === 0 ? wall : lighten(wall, -0.05)) +
      each([-0.5, 0, 0.5], (at) => rect(at * w - 1.6, y - 20, 3.2, 20, red.base)) +
      rect(-5, y - 13, 10, 9, pane(pencil)) +
      path(
        svg`M${-w * 1.36} ${y - 16}Q${-w * 0.8} ${y - 22} ${-w * 0.6} ${y - 31}H${w * 0.6}Q${w * 0.8} ${y - 22} ${w * 1.36} ${y - 16}Q0 ${y - 23} ${-w * 1.36} ${y - 16}Z`,
        ink('#4a5260'),
      )
    );
  });
  return (
    rect(-40, -4, 80, 4, ink('#a59c8f')) +
    group(floors.join(''), 'translate(0 -4)') +
    line('M0 -88V-106', ink('#d7ac45'), 2) +
    circle(0, -107, 2.4, ink('#d7ac45'))
  );
};

export const HOUSES = { house, barn, castle, lighthouse, windmill, tower, church, temple };

const GLASS = '#3b5268';

/** A window pane, lit at night. */
export function pane({ ink, glow, night }: Pencil): string {
  return night ? glow('#ffd783') : mix(ink(GLASS), ink('#bfe0ee'), 0.35);
}

export function casement(pencil: Pencil, x: number, y: number, w: number, h: number): string {
  const frame = pencil.ink('#f6efe2');
  return (
    rect(x - 1, y - 1, w + 2, h + 2, frame) +
    rect(x, y, w, h, pane(pencil)) +
    line(svg`M${x + w / 2} ${y}v${h}M${x} ${y + h / 2}h${w}`, frame, 1)
  );
}
