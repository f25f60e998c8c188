import { lighten } from '../color.ts';
import { closedCurve, type Point } from '../geometry.ts';
import { circle, ellipse, faint, group, line, path, svg, times } from '../svg.ts';
import { type Pencil, tones } from './pencil.ts';

const EYE = '#1c1a1e';

export interface Build {
  color: string;
  /** The trunk's length, depth and height above ground. */
  long: number;
  deep: number;
  legs: number;
  legWidth: number;
  /** The head's position from the shoulder. */
  neck: Point;
  neckWidth: number;
  head: { long: number; deep: number; drop?: number };
  ears: 'pointed' | 'round' | 'long' | 'flap' | 'none';
  tail: 'bushy' | 'thin' | 'hair' | 'short' | 'none';
  mane?: string;
  ruff?: string;
  /** Dark ears and eyes. */
  mask?: string;
  horns?: 'antlers' | 'curved' | 'one';
  belly?: string;
  marks?: 'stripes' | 'patches' | 'spots';
  socks?: string;
}

export function beast(pencil: Pencil, build: Build): string {
  const { ink, t, random } = pencil;
  const coat = tones(ink(pencil.color ?? build.color));
  const { long, deep, legs, legWidth: lw, neck, head } = build;
  const [back, chest] = [-long / 2, long / 2];
  const top = -legs - deep;
  const step = Math.sin(t * 2.4) * 3;
  const leg = (x: number, swing: number, color: string) => {
    const foot = x + swing;
    const sock = build.socks ? line(svg`M${foot} ${-legs * 0.26}L${foot} -2`, ink(build.socks), lw * 0.92) : '';
    return line(svg`M${x} ${-legs - deep * 0.25}Q${x + swing * 0.2} ${-legs * 0.5} ${foot} -2`, color, lw) + sock;
  };
  const trunk: Point[] = [
    [back, top + deep * 0.34],
    [back + long * 0.14, top + deep * 0.02],
    [back + long * 0.5, top + deep * 0.06],
    [chest - long * 0.12, top],
    [chest + long * 0.04, top + deep * 0.42],
    [chest - long * 0.1, top + deep * 0.92],
    [back + long * 0.5, top + deep * 0.98],
    [back + long * 0.16, top + deep * 0.94],
  ];
  const [hx, hy] = [chest + neck[0], top + neck[1]];
  const nod = Math.sin(t * 1.3) * 1.2;
  const far = [leg(back + long * 0.24, -step, coat.dark), leg(chest - long * 0.24, step, coat.dark)];
  const near = [leg(back + long * 0.12, step, coat.base), leg(chest - long * 0.1, -step, coat.base)];
  const throat = svg`M${chest - long * 0.22} ${top + deep * 0.1}Q${chest + neck[0] * 0.2} ${top + neck[1] * 0.5} ${hx - head.long * 0.4} ${hy - head.deep * 0.2}L${hx + head.long * 0.02} ${hy + head.deep * 0.5}Q${chest + neck[0] * 0.5 + build.neckWidth} ${top + neck[1] * 0.2 + deep * 0.3} ${chest - long * 0.02} ${top + deep * 0.72}Z`;
  return [
    ...far,
    tail(build, back, top, deep, coat, t, ink),
    path(closedCurve(trunk), coat.base),
    path(
      svg`M${back + long * 0.04} ${top + deep * 0.62}Q${0} ${top + deep * 1.02} ${chest} ${top + deep * 0.6}Q${chest - long * 0.1} ${top + deep} 0 ${top + deep}T${back + long * 0.04} ${top + deep * 0.62}Z`,
      build.belly ? ink(build.belly) : coat.shade,
    ),
    path(
      svg`M${back + long * 0.1} ${top + deep * 0.12}Q0 ${top - deep * 0.04} ${chest - long * 0.1} ${top + deep * 0.08}Q0 ${top + deep * 0.2} ${back + long * 0.1} ${top + deep * 0.12}Z`,
      coat.lit,
      faint(0.8),
    ),
    marksOf(build, back, top, deep, long, ink, random),
    ...near,
    path(throat, coat.base),
    build.mane ? path(mane(chest, top, hx, hy, head.long, deep), ink(build.mane)) : '',
    build.ruff
      ? circle(hx - head.long * 0.2, hy, head.deep * 0.86, ink(build.ruff)) +
        circle(hx - head.long * 0.1, hy - head.deep * 0.06, head.deep * 0.66, lighten(ink(build.ruff), 0.16))
      : '',
    group(faceOf(build, pencil, coat), svg`translate(${hx} ${hy}) rotate(${nod})`),
  ].join('');
}

function tail(
  { tail: kind }: Build,
  back: number,
  top: number,
  deep: number,
  coat: ReturnType<typeof tones>,
  t: number,
  ink: Pencil['ink'],
): string {
  const wag = Math.sin(t * 3.1) * 4;
  const [x, y] = [back + 2, top + deep * 0.3];
  switch (kind) {
    case 'bushy':
      return (
        path(
          svg`M${x} ${y}C${x - 14} ${y - 2} ${x - 26} ${y + 8 + wag} ${x - 30} ${y + 18 + wag}C${x - 22} ${y + 22 + wag} ${x - 6} ${y + 20} ${x + 4} ${y + 10}Z`,
          coat.base,
        ) + path(svg`M${x - 30} ${y + 18 + wag}q4 -7 9 -9q4 6 3 10q-6 1 -12 -1Z`, ink('#f6f1e8'))
      );
    case 'thin':
      return line(svg`M${x} ${y}q-12 4 -12 ${18 + wag}`, coat.base, 3) + circle(x - 12, y + 19 + wag, 3.2, coat.dark);
    case 'hair':
      return path(
        svg`M${x + 2} ${y - 3}C${x - 12} ${y} ${x - 14 + wag} ${y + 22} ${x - 10 + wag} ${y + 38}C${x - 4 + wag} ${y + 30} ${x - 2} ${y + 14} ${x + 4} ${y + 6}Z`,
        coat.dark,
      );
    case 'short':
      return ellipse(x - 2, y, 5, 4, coat.lit);
    case 'none':
      return '';
    default:
      return kind satisfies never;
  }
}

function mane(chest: number, top: number, hx: number, hy: number, head: number, deep: number): string {
  return svg`M${hx - head * 0.1} ${hy - 7}Q${hx - head * 0.6} ${hy - 4} ${chest - 12} ${top + deep * 0.16}Q${chest - 9} ${top + deep * 0.5} ${chest - 2} ${top + deep * 0.3}Q${hx - head * 0.5} ${hy + 8} ${hx - head * 0.06} ${hy + 3}Z`;
}

function marksOf(
  { marks }: Build,
  back: number,
  top: number,
  deep: number,
  long: number,
  ink: Pencil['ink'],
  random: Pencil['random'],
): string {
  if (marks === 'stripes')
    return times(7, (index) => {
      const x = back + long * (0.12 + index * 0.12);
      return line(
        svg`M${x} ${top + deep * 0.08}q${3} ${deep * 0.3} ${-1} ${deep * 0.6}`,
        ink('#2a211e'),
        2.4,
        faint(0.85),
      );
    });
  if (marks === 'patches')
    return times(4, (index) =>
      ellipse(
        back + long * (0.16 + index * 0.23),
        top + deep * random.between(0.22, 0.55),
        long * random.between(0.06, 0.11),
        deep * random.between(0.13, 0.24),
        ink('#3a2d28'),
      ),
    );
  if (marks === 'spots')
    return times(13, () =>
      circle(
        back + long * random.between(0.1, 0.9),
        top + deep * random.between(0.12, 0.75),
        random.between(1.2, 2.6),
        ink('#6b4526'),
        faint(0.85),
      ),
    );
  return '';
}

function faceOf(
  { head, ears, horns, belly, mask }: Build,
  { ink, word }: Pencil,
  coat: ReturnType<typeof tones>,
): string {
  const { long, deep, drop = 4 } = head;
  const ear = (x: number, color: string) => {
    switch (ears) {
      case 'pointed':
        return path(svg`M${x - 4.4} ${-deep * 0.3}L${x - 3} ${-deep * 0.5 - 11}L${x + 4.6} ${-deep * 0.42}Z`, color);
      case 'round':
        return circle(x - 1, -deep * 0.5, 4.6, color);
      case 'long':
        return path(
          svg`M${x - 2.6} ${-deep * 0.36}C${x - 10} ${-deep * 0.5 - 17} ${x - 3} ${-deep * 0.5 - 27} ${x + 0.6} ${-deep * 0.5 - 20}Q${x + 4} ${-deep * 0.5 - 8} ${x + 3} ${-deep * 0.4}Z`,
          color,
        );
      case 'flap':
        return path(
          svg`M${x + 1} ${-deep * 0.44}Q${x - 9} ${-deep * 0.3} ${x - 7} ${deep * 0.4}Q${x} ${deep * 0.34} ${x + 4} ${-deep * 0.34}Z`,
          color,
        );
      case 'none':
        return '';
      default:
        return ears satisfies never;
    }
  };
  const antler = (x: number) =>
    line(
      svg`M${x} ${-deep * 0.45}q-3 -14 -12 -22M${x - 3} ${-deep * 0.45 - 11}q5 -4 5 -12M${x - 7} ${-deep * 0.45 - 17}q-1 -6 2 -11`,
      ink('#8a6a48'),
      2.2,
    );
  const crown =
    horns === 'antlers'
      ? antler(-long * 0.18) + group(antler(-long * 0.1), 'translate(6 1) scale(-0.9 0.95)')
      : horns === 'curved'
        ? line(
            svg`M${-long * 0.2} ${-deep * 0.4}q-7 -3 -6 -11M${-long * 0.05} ${-deep * 0.42}q7 -2 8 -10`,
            ink('#e5dcc4'),
            2.8,
          )
        : horns === 'one'
          ? path(svg`M${-long * 0.02} ${-deep * 0.42}l5 ${-22}l3 ${22}Z`, ink('#f0d58a'))
          : '';
  const muzzle = svg`M${-long * 0.42} ${-deep * 0.34}Q${-long * 0.1} ${-deep * 0.62} ${long * 0.22} ${-deep * 0.3}L${long * 0.52} ${drop - deep * 0.02}Q${long * 0.6} ${drop + deep * 0.28} ${long * 0.38} ${drop + deep * 0.34}L${-long * 0.06} ${deep * 0.48}Q${-long * 0.5} ${deep * 0.42} ${-long * 0.42} ${-deep * 0.34}Z`;
  return [
    ear(-long * 0.16, mask ? ink(mask) : coat.dark),
    crown,
    path(muzzle, coat.base),
    belly
      ? path(
          svg`M${long * 0.5} ${drop + deep * 0.1}Q${long * 0.5} ${drop + deep * 0.3} ${long * 0.3} ${drop + deep * 0.33}L${-long * 0.02} ${deep * 0.46}Q${long * 0.1} ${deep * 0.12} ${long * 0.5} ${drop + deep * 0.1}Z`,
          ink(belly),
        )
      : '',
    ear(-long * 0.26, mask ? ink(mask) : ears === 'flap' ? coat.shade : coat.base),
    mask ? ellipse(long * 0.05, -deep * 0.06, deep * 0.2, deep * 0.17, ink(mask)) : '',
    circle(long * 0.06, -deep * 0.08, Math.max(1.3, deep * 0.085), EYE),
    circle(long * 0.075, -deep * 0.11, Math.max(0.5, deep * 0.03), '#ffffff'),
    ellipse(
      long * 0.52,
      drop + deep * 0.1,
      Math.max(1.6, deep * 0.1),
      Math.max(1.3, deep * 0.08),
      /^pig/.test(word) ? coat.dark : EYE,
    ),
  ].join('');
}
