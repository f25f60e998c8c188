import { lighter } from '../color.ts';
import { closedCurve, n, type Point } from '../geometry.ts';
import { circle, ellipse, faint, group, line, path } from '../stage.ts';
import { type Pencil, tones } from './pencil.ts';

const EYE = '#1c1a1e';

/** How one four-legged animal differs from another. */
export interface Build {
  color: string;
  /** Of the trunk, and how high it hangs. */
  long: number;
  deep: number;
  legs: number;
  legWidth: number;
  /** Where the head is, from the shoulder. */
  neck: Point;
  neckWidth: number;
  head: { long: number; deep: number; drop?: number };
  ears: 'pointed' | 'round' | 'long' | 'flap' | 'none';
  tail: 'bushy' | 'thin' | 'hair' | 'short' | 'none';
  mane?: string;
  /** All around the head. */
  ruff?: string;
  /** Of the ears, and around the eyes. */
  mask?: string;
  horns?: 'antlers' | 'curved' | 'one';
  belly?: string;
  marks?: 'stripes' | 'patches' | 'spots';
  /** Of the legs' ends. */
  socks?: string;
}

/** An animal on four legs. */
export function beast(pencil: Pencil, build: Build): string {
  const { ink, t, random } = pencil;
  const coat = tones(ink(pencil.color ?? build.color));
  const { long, deep, legs, legWidth: lw, neck, head } = build;
  const [back, chest] = [-long / 2, long / 2];
  const top = -legs - deep;
  const step = Math.sin(t * 2.4) * 3;
  const leg = (x: number, swing: number, color: string) => {
    const foot = x + swing;
    const sock = build.socks ? line(`M${n(foot)} ${n(-legs * 0.26)}L${n(foot)} -2`, ink(build.socks), lw * 0.92) : '';
    return (
      line(`M${n(x)} ${n(-legs - deep * 0.25)}Q${n(x + swing * 0.2)} ${n(-legs * 0.5)} ${n(foot)} -2`, color, lw) + sock
    );
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
  const throat = `M${n(chest - long * 0.22)} ${n(top + deep * 0.1)}Q${n(chest + neck[0] * 0.2)} ${n(top + neck[1] * 0.5)} ${n(hx - head.long * 0.4)} ${n(hy - head.deep * 0.2)}L${n(hx + head.long * 0.02)} ${n(hy + head.deep * 0.5)}Q${n(chest + neck[0] * 0.5 + build.neckWidth)} ${n(top + neck[1] * 0.2 + deep * 0.3)} ${n(chest - long * 0.02)} ${n(top + deep * 0.72)}Z`;
  return [
    ...far,
    tail(build, back, top, deep, coat, t, ink),
    path(closedCurve(trunk), coat.base),
    path(
      `M${n(back + long * 0.04)} ${n(top + deep * 0.62)}Q${n(0)} ${n(top + deep * 1.02)} ${n(chest)} ${n(top + deep * 0.6)}Q${n(chest - long * 0.1)} ${n(top + deep)} 0 ${n(top + deep)}T${n(back + long * 0.04)} ${n(top + deep * 0.62)}Z`,
      build.belly ? ink(build.belly) : coat.shade,
    ),
    path(
      `M${n(back + long * 0.1)} ${n(top + deep * 0.12)}Q0 ${n(top - deep * 0.04)} ${n(chest - long * 0.1)} ${n(top + deep * 0.08)}Q0 ${n(top + deep * 0.2)} ${n(back + long * 0.1)} ${n(top + deep * 0.12)}Z`,
      coat.lit,
      faint(0.8),
    ),
    marksOf(build, back, top, deep, long, ink, random),
    ...near,
    path(throat, coat.base),
    build.mane ? path(mane(chest, top, hx, hy, head.long, deep), ink(build.mane)) : '',
    build.ruff
      ? circle(hx - head.long * 0.2, hy, head.deep * 0.86, ink(build.ruff)) +
        circle(hx - head.long * 0.1, hy - head.deep * 0.06, head.deep * 0.66, lighter(ink(build.ruff), 0.16))
      : '',
    group(faceOf(build, pencil, coat), `translate(${n(hx)} ${n(hy)}) rotate(${n(nod)})`),
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
          `M${n(x)} ${n(y)}C${n(x - 14)} ${n(y - 2)} ${n(x - 26)} ${n(y + 8 + wag)} ${n(x - 30)} ${n(y + 18 + wag)}C${n(x - 22)} ${n(y + 22 + wag)} ${n(x - 6)} ${n(y + 20)} ${n(x + 4)} ${n(y + 10)}Z`,
          coat.base,
        ) + path(`M${n(x - 30)} ${n(y + 18 + wag)}q4 -7 9 -9q4 6 3 10q-6 1 -12 -1Z`, ink('#f6f1e8'))
      );
    case 'thin':
      return (
        line(`M${n(x)} ${n(y)}q-12 4 -12 ${n(18 + wag)}`, coat.base, 3) + circle(x - 12, y + 19 + wag, 3.2, coat.dark)
      );
    case 'hair':
      return path(
        `M${n(x + 2)} ${n(y - 3)}C${n(x - 12)} ${n(y)} ${n(x - 14 + wag)} ${n(y + 22)} ${n(x - 10 + wag)} ${n(y + 38)}C${n(x - 4 + wag)} ${n(y + 30)} ${n(x - 2)} ${n(y + 14)} ${n(x + 4)} ${n(y + 6)}Z`,
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
  return `M${n(hx - head * 0.1)} ${n(hy - 7)}Q${n(hx - head * 0.6)} ${n(hy - 4)} ${n(chest - 12)} ${n(top + deep * 0.16)}Q${n(chest - 9)} ${n(top + deep * 0.5)} ${n(chest - 2)} ${n(top + deep * 0.3)}Q${n(hx - head * 0.5)} ${n(hy + 8)} ${n(hx - head * 0.06)} ${n(hy + 3)}Z`;
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
    return Array.from({ length: 7 }, (_, index) => {
      const x = back + long * (0.12 + index * 0.12);
      return line(
        `M${n(x)} ${n(top + deep * 0.08)}q${n(3)} ${n(deep * 0.3)} ${n(-1)} ${n(deep * 0.6)}`,
        ink('#2a211e'),
        2.4,
        faint(0.85),
      );
    }).join('');
  if (marks === 'patches')
    return Array.from({ length: 4 }, (_, index) =>
      ellipse(
        back + long * (0.16 + index * 0.23),
        top + deep * random.between(0.22, 0.55),
        long * random.between(0.06, 0.11),
        deep * random.between(0.13, 0.24),
        ink('#3a2d28'),
      ),
    ).join('');
  if (marks === 'spots')
    return Array.from({ length: 13 }, () =>
      circle(
        back + long * random.between(0.1, 0.9),
        top + deep * random.between(0.12, 0.75),
        random.between(1.2, 2.6),
        ink('#6b4526'),
        faint(0.85),
      ),
    ).join('');
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
        return path(
          `M${n(x - 4.4)} ${n(-deep * 0.3)}L${n(x - 3)} ${n(-deep * 0.5 - 11)}L${n(x + 4.6)} ${n(-deep * 0.42)}Z`,
          color,
        );
      case 'round':
        return circle(x - 1, -deep * 0.5, 4.6, color);
      case 'long':
        return path(
          `M${n(x - 2.6)} ${n(-deep * 0.36)}C${n(x - 10)} ${n(-deep * 0.5 - 17)} ${n(x - 3)} ${n(-deep * 0.5 - 27)} ${n(x + 0.6)} ${n(-deep * 0.5 - 20)}Q${n(x + 4)} ${n(-deep * 0.5 - 8)} ${n(x + 3)} ${n(-deep * 0.4)}Z`,
          color,
        );
      case 'flap':
        return path(
          `M${n(x + 1)} ${n(-deep * 0.44)}Q${n(x - 9)} ${n(-deep * 0.3)} ${n(x - 7)} ${n(deep * 0.4)}Q${n(x)} ${n(deep * 0.34)} ${n(x + 4)} ${n(-deep * 0.34)}Z`,
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
      `M${n(x)} ${n(-deep * 0.45)}q-3 -14 -12 -22M${n(x - 3)} ${n(-deep * 0.45 - 11)}q5 -4 5 -12M${n(x - 7)} ${n(-deep * 0.45 - 17)}q-1 -6 2 -11`,
      ink('#8a6a48'),
      2.2,
    );
  const crown =
    horns === 'antlers'
      ? antler(-long * 0.18) + group(antler(-long * 0.1), 'translate(6 1) scale(-0.9 0.95)')
      : horns === 'curved'
        ? line(
            `M${n(-long * 0.2)} ${n(-deep * 0.4)}q-7 -3 -6 -11M${n(-long * 0.05)} ${n(-deep * 0.42)}q7 -2 8 -10`,
            ink('#e5dcc4'),
            2.8,
          )
        : horns === 'one'
          ? path(`M${n(-long * 0.02)} ${n(-deep * 0.42)}l5 ${n(-22)}l3 ${n(22)}Z`, ink('#f0d58a'))
          : '';
  const muzzle = `M${n(-long * 0.42)} ${n(-deep * 0.34)}Q${n(-long * 0.1)} ${n(-deep * 0.62)} ${n(long * 0.22)} ${n(-deep * 0.3)}L${n(long * 0.52)} ${n(drop - deep * 0.02)}Q${n(long * 0.6)} ${n(drop + deep * 0.28)} ${n(long * 0.38)} ${n(drop + deep * 0.34)}L${n(-long * 0.06)} ${n(deep * 0.48)}Q${n(-long * 0.5)} ${n(deep * 0.42)} ${n(-long * 0.42)} ${n(-deep * 0.34)}Z`;
  return [
    ear(-long * 0.16, mask ? ink(mask) : coat.dark),
    crown,
    path(muzzle, coat.base),
    belly
      ? path(
          `M${n(long * 0.5)} ${n(drop + deep * 0.1)}Q${n(long * 0.5)} ${n(drop + deep * 0.3)} ${n(long * 0.3)} ${n(drop + deep * 0.33)}L${n(-long * 0.02)} ${n(deep * 0.46)}Q${n(long * 0.1)} ${n(deep * 0.12)} ${n(long * 0.5)} ${n(drop + deep * 0.1)}Z`,
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
