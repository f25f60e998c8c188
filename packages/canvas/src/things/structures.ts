import { lighten, mix } from '../color.ts';
import { circle, each, ellipse, faint, line, path, rect, svg } from '../svg.ts';
import { type DrawThing, tones } from './pencil.ts';

const tent: DrawThing = ({ ink, color, accents, night, glow, light, t }) => {
  const cloth = tones(ink(color ?? (accents[0] as string)));
  const inside = night ? glow('#ffd27a') : cloth.dark;
  return (
    path('M-58 0L-4 -72L50 0Z', cloth.base) +
    path(light > 0 ? 'M-58 0L-4 -72L-22 0Z' : 'M50 0L-4 -72L16 0Z', cloth.shade) +
    path('M-22 0L-4 -56L12 0Z', inside, faint(night ? 0.85 + 0.15 * Math.sin(t * 5) : 1)) +
    path('M12 0L-4 -56L20 -12Z', cloth.lit) +
    line('M-4 -72V-80M-58 0L-70 4M50 0L62 4', ink('#5b4a3a'), 1.8)
  );
};

const bridge: DrawThing = ({ ink, color, light }) => {
  const stone = tones(ink(color ?? '#a3978a'));
  const deck = 'M-110 -26Q0 -66 110 -26V-14Q0 -54 -110 -14Z';
  const arches = each(
    [-62, 0, 62],
    (x) => `M${x - 24} 6V${x === 0 ? -14 : -8}A24 24 0 0 1 ${x + 24} ${x === 0 ? -14 : -8}V6Z`,
  );
  return (
    path(`M-112 6V-26Q0 -66 112 -26V6Z${arches}`, stone.base, 'fill-rule="evenodd"') +
    path(deck, stone.lit) +
    each([-90, -66, -42, -18, 6, 30, 54, 78], (x) => rect(x, -38 - 16 * (1 - (x / 110) ** 2), 3, 12, stone.shade)) +
    line('M-112 -38Q0 -78 112 -38', stone.dark, 3) +
    each([-62, 0, 62], (x) =>
      line(`M${x - 24} ${x === 0 ? -14 : -8}A24 24 0 0 1 ${x + 24} ${x === 0 ? -14 : -8}`, stone.shade, 3),
    ) +
    path(light > 0 ? 'M-112 6V-26L-104 -28V6Z' : 'M112 6V-26L104 -28V6Z', stone.dark)
  );
};

const pyramid: DrawThing = ({ ink, color, light }) => {
  const stone = tones(ink(color ?? '#d9b36c'));
  const rows = each([20, 38, 54, 68, 80], (y) =>
    line(svg`M${-74 * (1 - y / 92)} ${-y}H${74 * (1 - y / 92)}`, stone.shade, 1, faint(0.6)),
  );
  return (
    path('M-76 0L0 -94L76 0Z', stone.base) +
    path(light > 0 ? 'M-76 0L0 -94L-22 0Z' : 'M76 0L0 -94L22 0Z', stone.shade) +
    rows
  );
};

const igloo: DrawThing = ({ ink, color, night, glow }) => {
  const ice = tones(ink(color ?? '#eef5fa'));
  const joints = line(
    'M-50 -18H50M-42 -36H42M-26 -50H26M-20 -18V0M20 -18V0M-30 -36V-18M0 -36V-18M30 -36V-18M-12 -50V-36M14 -50V-36',
    mix(ice.shade, ink('#8fb3d4'), 0.5),
    1.6,
  );
  return (
    path('M-54 0A54 60 0 0 1 54 0Z', ice.base) +
    path('M-54 0A54 60 0 0 1 -18 -56A70 70 0 0 0 -30 0Z', ice.shade, faint(0.5)) +
    joints +
    path('M24 0V-16A19 19 0 0 1 62 -16V0Z', ice.lit) +
    path('M31 0V-14A12 12 0 0 1 55 -14V0Z', night ? glow('#ffd27a') : ink('#46607a'))
  );
};

const fence: DrawThing = ({ ink, color }) => {
  const wood = tones(ink(color ?? '#b58e62'));
  return (
    rect(-100, -34, 200, 6, wood.shade) +
    rect(-100, -17, 200, 6, wood.shade) +
    each([-90, -66, -42, -18, 6, 30, 54, 78], (x) => path(`M${x} 0V-44L${x + 5} -51L${x + 10} -44V0Z`, wood.base))
  );
};

const lamp: DrawThing = ({ ink, glow, night }) => {
  const iron = ink('#2f333d');
  const shine = glow('#ffdf94');
  return (
    (night
      ? circle(0, -88, 34, shine, faint(0.2)) +
        circle(0, -88, 18, shine, faint(0.28)) +
        ellipse(0, 0, 36, 5, shine, faint(0.22))
      : '') +
    rect(-2, -76, 4, 76, iron) +
    path('M-8 0Q-6 -8 -3 -9H3Q6 -8 8 0Z', iron) +
    path('M-7 -80L-10 -96H10L7 -80Z', night ? shine : lighten(shine, 0.2), faint(0.95)) +
    path('M-12 -96L0 -106L12 -96Z', iron) +
    line('M-7 -80L-10 -96M7 -80L10 -96M-8 -79H8', iron, 1.8)
  );
};

const bench: DrawThing = ({ ink, color }) => {
  const wood = tones(ink(color ?? '#9a6a42'));
  const iron = ink('#33363e');
  return (
    line('M-44 0L-40 -56M44 0L40 -56M-34 0V-26M34 0V-26', iron, 4) +
    each([-54, -44, -34], (y) => rect(-50, y, 100, 7, wood.base, 'rx="2"')) +
    rect(-52, -26, 104, 7, wood.lit, 'rx="2"') +
    rect(-52, -19, 104, 3, wood.shade)
  );
};

const sign: DrawThing = ({ ink, color }) => {
  const wood = tones(ink(color ?? '#b98a58'));
  return (
    rect(-3.4, -60, 6.8, 60, wood.dark) +
    rect(-44, -92, 88, 36, wood.base, 'rx="4"') +
    rect(-44, -92, 88, 36, 'none', `rx="4" stroke="${wood.dark}" stroke-width="2.4"`) +
    line('M-38 -84H38M-38 -66H20', wood.shade, 1, faint(0.6))
  );
};

export const STRUCTURES = { tent, bridge, pyramid, igloo, fence, lamp, bench, sign };
