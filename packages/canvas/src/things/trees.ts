import { lighten } from '../color.ts';
import { blob, discs, type Point, points } from '../geometry.ts';
import { circle, each, ellipse, faint, line, path, svg, times } from '../svg.ts';
import { type DrawThing, type Pencil, tones } from './pencil.ts';

/** Returns the color of leaves in this season, unless one was requested. */
export function leafColor({ color, season, random, white }: Pencil, usual: string): string {
  if (color) return color;
  if (season === 'autumn') return random.pick(['#d0762c', '#c2502d', '#dba53a', '#a8602c']);
  if (white) return '#8fa7a5';
  if (season === 'spring') return lighten(usual, 0.14);
  return usual;
}

function crown(pencil: Pencil, leaf: string, petals: string | null): string {
  const { random, light, t, white } = pencil;
  const tone = tones(leaf);
  const sway = Math.sin(t * 1.3 + random.between(0, 6)) * 1.4;
  const balls = discs([
    -20, -58, 17, 20, -58, 17, 0, -52, 19, -12, -76, 17, 13, -77, 16, 0, -88, 13, -27, -68, 11, 27, -69, 11,
  ]);
  const at = (more: number, move: Point, fill: string, opacity: number) =>
    each(balls, ([x, y, r]) =>
      circle(
        x + move[0] + sway * (-y / 60),
        y + move[1],
        r * more,
        fill,
        more > 1 ? '' : `stroke="none" ${faint(opacity)}`,
      ),
    );
  const bits = times(petals === null ? 16 : 34, () => {
    const [x, y, r] = random.pick(balls);
    const [angle, reach] = [random.between(0, 6.3), random.next() * r * 0.9];
    return ellipse(
      x + Math.cos(angle) * reach + sway,
      y + Math.sin(angle) * reach,
      petals === null ? 3.4 : 2,
      petals === null ? 2.2 : 2,
      petals === null ? (random.chance(0.5) ? tone.lit : tone.shade) : lighten(petals, random.between(0, 0.5)),
      `stroke="none" ${faint(0.75)}`,
    );
  });
  const snow = white
    ? each(balls.slice(3), ([x, y, r]) =>
        path(
          svg`M${x - r * 0.8} ${y - r * 0.4}A${r} ${r} 0 0 1 ${x + r * 0.8} ${y - r * 0.4}Q${x} ${y - r * 0.2} ${x - r * 0.8} ${y - r * 0.4}Z`,
          pencil.ink('#f4f8fb'),
        ),
      )
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
  const marks = word === 'birch' ? each([12, 22, 31, 39], (y) => line(svg`M${-3} ${-y}h5`, ink('#3a3534'), 1.6)) : '';
  return (
    path(svg`M-7 0Q-3.6 -14 -4 ${-tall}L${4 + lean} ${-tall}Q3.6 -14 8 0Q0 -3 -7 0Z`, bark.base) +
    path(svg`M1 -2Q2 -20 ${1 + lean} ${-tall}L${4 + lean} ${-tall}Q3.6 -14 8 0Z`, bark.shade) +
    line(
      svg`M-1 ${-tall * 0.72}Q-10 ${-tall * 0.95} -18 ${-tall - 6}M1 ${-tall * 0.8}Q9 ${-tall} 17 ${-tall - 8}`,
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
      const own = line(svg`M${x} ${y}L${ex} ${ey}`, bark, depth * 1.5);
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
      ? each(points([-18, -60, 10, -54, 22, -66, -4, -80, 12, -84]), ([x, y]) =>
          circle(x, y, 3.4, pencil.ink('#d0392f')),
        )
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
  return trunk(pencil, 46) + crown(pencil, petal, lighten(petal, 0.4));
};

const pine: DrawThing = (pencil) => {
  const { ink, light, white, word, t, glow, random } = pencil;
  const needle = tones(ink(leafColor({ ...pencil, season: null }, white ? '#4f7a70' : '#2f6a4b')));
  const sway = Math.sin(t * 1.2 + random.between(0, 6)) * 0.8;
  const tiers = [0, 1, 2, 3].map((tier) => {
    const [low, high, half] = [-14 - tier * 20, -48 - tier * 17.5, 30 - tier * 6.4];
    const lean = sway * tier;
    const foot = half + lean * 0.5;
    const edge = svg`M${lean} ${high}L${foot} ${low}L${half * 0.5} ${low - 3}L${half * 0.2} ${low + 2.4}L${-half * 0.2} ${low - 2}L${-half * 0.55} ${low + 2}L${-half + lean * 0.5} ${low}Z`;
    const dark =
      light > 0
        ? svg`M${lean} ${high}L${-half * 0.1} ${low}L${-half * 0.55} ${low + 2}L${-half + lean * 0.5} ${low}Z`
        : svg`M${lean} ${high}L${half * 0.1} ${low}L${half * 0.5} ${low - 3}L${foot} ${low}Z`;
    const snow = svg`M${lean} ${high}L${half * 0.62} ${low - 8}L${half * 0.32} ${low - 11}L${half * 0.1} ${low - 5}L${-half * 0.2} ${low - 11}L${-half * 0.6} ${low - 7}Z`;
    return path(edge, needle.base) + path(dark, needle.shade) + (white ? path(snow, ink('#f2f7fa')) : '');
  });
  const festive =
    word === 'christmas tree'
      ? each(points([-12, -26, 10, -30, -4, -48, 9, -56, -6, -72, 4, -84, 18, -22, -20, -20]), ([x, y], index) =>
          circle(
            x,
            y,
            2.8,
            glow(['#e2453c', '#f4c542', '#4f9fd8'][index % 3] as string),
            faint(0.75 + 0.25 * Math.sin(t * 4 + index)),
          ),
        ) +
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
    return path(svg`M${x} ${y}Q${mx} ${my} ${ex} ${ey}Q${mx} ${my + 11} ${x} ${y + 4}Z`, tone);
  };
  const rings = each([0.2, 0.35, 0.5, 0.65, 0.8], (at) =>
    line(svg`M${lean * at * at - 4} ${-78 * at}q4 2 8 0`, ink('#6d5136'), 1.4),
  );
  return [
    path(svg`M-5 0Q${lean * 0.1} -44 ${lean - 3} -78H${lean + 3}Q${lean * 0.3 + 4} -40 6 0Z`, ink('#9a7750')),
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
  const balls = discs([-30, -24, 24, 28, -24, 24, 0, -40, 31, -14, -52, 20, 16, -50, 20]);
  return (
    each(balls, ([x, y, r]) => circle(x, y, r, leaf.base)) +
    each(balls, ([x, y, r]) => circle(x + light * 5, y - 6, r * 0.6, leaf.lit, faint(0.6))) +
    path(blob(random, [0, -8], 52, 10, 0.1), leaf.shade, faint(0.7))
  );
};

const cactus: DrawThing = ({ ink, color, random, light }) => {
  const skin = tones(ink(color ?? '#4f8a55'));
  const ribs = each([-5, 0, 5], (x) => line(`M${x} -6V-88`, skin.shade, 1.2, faint(0.8)));
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

export const TREES = { tree, blossom, pine, palm, bush, cactus };
