import { lighter } from '../color.ts';
import { blob, n, type Point, polygon } from '../geometry.ts';
import { circle, ellipse, faint, line, path } from '../stage.ts';
import { type DrawThing, type Pencil, tones } from './pencil.ts';

/** The colour of leaves at this time of the year, where none was asked for. */
export function leafColor({ color, season, random, white }: Pencil, usual: string): string {
  if (color) return color;
  if (season === 'autumn') return random.pick(['#d0762c', '#c2502d', '#dba53a', '#a8602c']);
  if (white) return '#8fa7a5';
  if (season === 'spring') return lighter(usual, 0.14);
  return usual;
}

function crown(pencil: Pencil, leaf: string, petals: string | null): string {
  const { random, light, t, white } = pencil;
  const tone = tones(leaf);
  const sway = Math.sin(t * 1.3 + random.between(0, 6)) * 1.4;
  const balls: [number, number, number][] = [
    [-20, -58, 17],
    [20, -58, 17],
    [0, -52, 19],
    [-12, -76, 17],
    [13, -77, 16],
    [0, -88, 13],
    [-27, -68, 11],
    [27, -69, 11],
  ];
  const at = (more: number, move: Point, fill: string, opacity: number) =>
    balls
      .map(([x, y, r]) =>
        circle(
          x + move[0] + sway * (-y / 60),
          y + move[1],
          r * more,
          fill,
          more > 1 ? '' : `stroke="none" ${faint(opacity)}`,
        ),
      )
      .join('');
  const bits = Array.from({ length: petals === null ? 16 : 34 }, () => {
    const [x, y, r] = random.pick(balls);
    const [angle, reach] = [random.between(0, 6.3), random.next() * r * 0.9];
    return ellipse(
      x + Math.cos(angle) * reach + sway,
      y + Math.sin(angle) * reach,
      petals === null ? 3.4 : 2,
      petals === null ? 2.2 : 2,
      petals === null ? (random.chance(0.5) ? tone.lit : tone.shade) : lighter(petals, random.between(0, 0.5)),
      `stroke="none" ${faint(0.75)}`,
    );
  }).join('');
  const snow = white
    ? balls
        .slice(3)
        .map(([x, y, r]) =>
          path(
            `M${n(x - r * 0.8)} ${n(y - r * 0.4)}A${n(r)} ${n(r)} 0 0 1 ${n(x + r * 0.8)} ${n(y - r * 0.4)}Q${n(x)} ${n(y - r * 0.2)} ${n(x - r * 0.8)} ${n(y - r * 0.4)}Z`,
            pencil.ink('#f4f8fb'),
          ),
        )
        .join('')
    : '';
  return (
    at(1.06, [-light * 2.4, 3], tone.dark, 1) +
    at(1, [0, 0], tone.base, 1) +
    at(0.6, [light * 6, -6], tone.lit, 0.65) +
    bits +
    snow
  );
}

function trunk({ ink, random, word }: Pencil, tall: number): string {
  const bark = tones(ink(word === 'birch' ? '#e9e6dd' : '#6b4a35'));
  const lean = random.between(-3, 3);
  const marks =
    word === 'birch' ? [12, 22, 31, 39].map((y) => line(`M${n(-3)} ${-y}h5`, ink('#3a3534'), 1.6)).join('') : '';
  return (
    path(`M-7 0Q-3.6 -14 -4 ${n(-tall)}L${n(4 + lean)} ${n(-tall)}Q3.6 -14 8 0Q0 -3 -7 0Z`, bark.base) +
    path(`M1 -2Q2 -20 ${n(1 + lean)} ${n(-tall)}L${n(4 + lean)} ${n(-tall)}Q3.6 -14 8 0Z`, bark.shade) +
    line(
      `M-1 ${n(-tall * 0.72)}Q-10 ${n(-tall * 0.95)} -18 ${n(-tall - 6)}M1 ${n(-tall * 0.8)}Q9 ${n(-tall)} 17 ${n(-tall - 8)}`,
      bark.base,
      3.4,
    ) +
    marks
  );
}

const tree: DrawThing = (pencil) => {
  if (pencil.season === 'winter' && !pencil.color) {
    const { ink, random } = pencil;
    const bark = ink('#5a4a44');
    const twig = (x: number, y: number, angle: number, reach: number, depth: number): string => {
      const [ex, ey] = [x + Math.cos(angle) * reach, y + Math.sin(angle) * reach];
      const own = line(`M${n(x)} ${n(y)}L${n(ex)} ${n(ey)}`, bark, depth * 1.5);
      return depth <= 1
        ? own
        : own +
            twig(ex, ey, angle - random.between(0.3, 0.6), reach * 0.72, depth - 1) +
            twig(ex, ey, angle + random.between(0.3, 0.6), reach * 0.74, depth - 1);
    };
    return twig(0, 0, -Math.PI / 2, 32, 5);
  }
  const fruit =
    pencil.word === 'apple tree'
      ? [
          [-18, -60],
          [10, -54],
          [22, -66],
          [-4, -80],
          [12, -84],
        ]
          .map(([x = 0, y = 0]) => circle(x, y, 3.4, pencil.ink('#d0392f')))
          .join('')
      : '';
  return (
    trunk(pencil, 46) +
    crown(
      pencil,
      pencil.ink(leafColor(pencil, pencil.random.pick(['#4f8a45', '#5f9a4c', '#3f7d4a', '#739a47']))),
      null,
    ) +
    fruit
  );
};

const blossom: DrawThing = (pencil) => {
  const petal = pencil.ink(pencil.color ?? '#f3b6c8');
  return trunk(pencil, 46) + crown(pencil, petal, lighter(petal, 0.4));
};

const pine: DrawThing = (pencil) => {
  const { ink, light, white, word, t, glow, random } = pencil;
  const needle = tones(ink(leafColor({ ...pencil, season: null }, white ? '#4f7a70' : '#2f6a4b')));
  const sway = Math.sin(t * 1.2 + random.between(0, 6)) * 0.8;
  const tiers = [0, 1, 2, 3].map((tier) => {
    const [low, high, half] = [-14 - tier * 20, -48 - tier * 17.5, 30 - tier * 6.4];
    const lean = sway * tier;
    const edge: Point[] = [
      [lean, high],
      [half + lean * 0.5, low],
      [half * 0.5, low - 3],
      [half * 0.2, low + 2.4],
      [-half * 0.2, low - 2],
      [-half * 0.55, low + 2],
      [-half + lean * 0.5, low],
    ];
    const dark: Point[] =
      light > 0
        ? [
            [lean, high],
            [-half * 0.1, low],
            [-half * 0.55, low + 2],
            [-half + lean * 0.5, low],
          ]
        : [
            [lean, high],
            [half * 0.1, low],
            [half * 0.5, low - 3],
            [half + lean * 0.5, low],
          ];
    const snow: Point[] = [
      [lean, high],
      [half * 0.62, low - 8],
      [half * 0.32, low - 11],
      [half * 0.1, low - 5],
      [-half * 0.2, low - 11],
      [-half * 0.6, low - 7],
    ];
    return (
      path(polygon(edge), needle.base) +
      path(polygon(dark), needle.shade) +
      (white ? path(polygon(snow), ink('#f2f7fa')) : '')
    );
  });
  const festive =
    word === 'christmas tree'
      ? [
          [-12, -26],
          [10, -30],
          [-4, -48],
          [9, -56],
          [-6, -72],
          [4, -84],
          [18, -22],
          [-20, -20],
        ]
          .map(([x = 0, y = 0], index) =>
            circle(
              x,
              y,
              2.8,
              glow(['#e2453c', '#f4c542', '#4f9fd8'][index % 3] as string),
              faint(0.75 + 0.25 * Math.sin(t * 4 + index)),
            ),
          )
          .join('') +
        path('M0 -112l3 7h7l-5.600 4.600l2.200 7l-6.600 -4.200l-6.600 4.200l2.200 -7l-5.600 -4.600h7Z', glow('#f6cf45'))
      : '';
  return path('M-4 0L-3 -18H3L4 0Z', ink('#5d4230')) + tiers.join('') + festive;
};

const palm: DrawThing = ({ ink, color, random, t }) => {
  const leaf = tones(ink(color ?? '#3f8d4d'));
  const lean = random.between(-16, 16);
  const sway = Math.sin(t * 1.5) * 5;
  const [x, y] = [lean, -78];
  const frond = (angle: number, reach: number, tone: string) => {
    const turn = ((angle + sway) * Math.PI) / 180;
    const [ex, ey] = [x + Math.cos(turn) * reach, y + Math.sin(turn) * reach * 0.72 + 9];
    const [mx, my] = [x + Math.cos(turn) * reach * 0.5, y + Math.sin(turn) * reach * 0.62 - 11];
    return path(
      `M${n(x)} ${n(y)}Q${n(mx)} ${n(my)} ${n(ex)} ${n(ey)}Q${n(mx)} ${n(my + 11)} ${n(x)} ${n(y + 4)}Z`,
      tone,
    );
  };
  const rings = [0.2, 0.35, 0.5, 0.65, 0.8]
    .map((at) => line(`M${n(lean * at * at - 4)} ${n(-78 * at)}q4 2 8 0`, ink('#6d5136'), 1.4))
    .join('');
  return [
    path(`M-5 0Q${n(lean * 0.1)} -44 ${n(lean - 3)} -78H${n(lean + 3)}Q${n(lean * 0.3 + 4)} -40 6 0Z`, ink('#9a7750')),
    rings,
    ...[-170, -10, -140, -40].map((angle) => frond(angle, 44, leaf.shade)),
    ...[-195, 15, -115, -65].map((angle) => frond(angle, 40, leaf.base)),
    frond(-90, 34, leaf.lit),
    circle(x - 4, y + 5, 3.4, ink('#6b4630')) + circle(x + 4, y + 6, 3.4, ink('#7a5238')),
  ].join('');
};

const bush: DrawThing = (pencil) => {
  const { ink, random, light } = pencil;
  const leaf = tones(ink(leafColor(pencil, '#4d8a48')));
  const balls: [number, number, number][] = [
    [-30, -24, 24],
    [28, -24, 24],
    [0, -40, 31],
    [-14, -52, 20],
    [16, -50, 20],
  ];
  return (
    balls.map(([x, y, r]) => circle(x, y, r, leaf.base)).join('') +
    balls.map(([x, y, r]) => circle(x + light * 5, y - 6, r * 0.6, leaf.lit, faint(0.6))).join('') +
    path(blob(random, [0, -8], 52, 10, 0.1), leaf.shade, faint(0.7))
  );
};

const cactus: DrawThing = ({ ink, color, random, light }) => {
  const skin = tones(ink(color ?? '#4f8a55'));
  const ribs = [-5, 0, 5].map((x) => line(`M${x} -6V-88`, skin.shade, 1.2, faint(0.8))).join('');
  const flower = random.chance(0.6) ? circle(0, -100, 5, ink('#ee6f9a')) + circle(0, -100, 2, ink('#f7d35a')) : '';
  return [
    line('M-11 -42H-22Q-30 -42 -30 -50V-64', skin.base, 12),
    line('M11 -34H22Q30 -34 30 -42V-72', skin.shade, 12),
    line('M0 -9V-88', skin.base, 23),
    line(`M${light * 6} -9V-88`, skin.lit, 5, faint(0.6)),
    ribs,
    flower,
  ].join('');
};

export const TREES = { tree, blossom, pine, palm, bush, cactus } satisfies Record<string, DrawThing>;
