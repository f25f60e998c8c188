import { faint, path } from '../svg.ts';
import { type Build, beast } from './beast.ts';
import { type DrawThing, type Pencil, tones } from './pencil.ts';

/** Trunk: length, depth, leg length, leg width. Neck: x, y, width. Head: length, depth, drop. */
type Body = readonly [
  trunk: readonly [number, number, number, number],
  neck: readonly [number, number, number],
  head: readonly [number, number, number?],
  ears: Build['ears'],
  tail: Build['tail'],
];
type Coat = Pick<Build, 'color'> & Partial<Build>;

const draw = (
  [[long, deep, legs, legWidth], [x, y, neckWidth], [headLong, headDeep, drop], ears, tail]: Body,
  coat: (pencil: Pencil) => Coat,
): DrawThing => {
  const head = { long: headLong, deep: headDeep, ...(drop !== undefined && { drop }) };
  const body = { long, deep, legs, legWidth, neck: [x, y], neckWidth, head, ears, tail } as const;
  return (pencil) => beast(pencil, { ...body, ...coat(pencil) });
};

const dog = draw([[64, 27, 32, 8], [12, -17, 8], [29, 22], 'flap', 'thin'], ({ word, random }) => ({
  color: /golden|labrador/.test(word) ? '#d5a35c' : random.pick(['#9a6b3f', '#c69257', '#5c4636', '#d8c3a0']),
  belly: '#e9dbc2',
}));

const fox = draw([[60, 22, 27, 6], [11, -11, 5], [30, 19], 'pointed', 'bushy'], () => ({
  color: '#d9712b',
  belly: '#f7efe2',
  socks: '#3a2a26',
}));

const wolf = draw([[68, 28, 34, 8], [12, -11, 8], [33, 22], 'pointed', 'bushy'], () => ({
  color: '#737d89',
  belly: '#d6d9da',
}));

const HORSES: Record<string, Coat> = {
  zebra: { color: '#f0ede6', marks: 'stripes' },
  unicorn: { color: '#f6f3f7', horns: 'one' },
  donkey: { color: '#8b8580', ears: 'long' },
};
const horse = draw(
  [[70, 29, 44, 7], [17, -27, 10], [34, 19, 9], 'pointed', 'hair'],
  ({ word, random, accents: [first = ''] }) => ({
    mane: word === 'unicorn' ? first : '#2e211d',
    ...(HORSES[word] ?? { color: random.pick(['#7a4a2c', '#4c342b', '#a56a3e', '#cfc3b2']) }),
  }),
);

const deer = draw([[60, 25, 44, 5], [14, -27, 6], [26, 16, 5], 'pointed', 'short'], ({ word }) => ({
  color: word === 'moose' ? '#5b4332' : '#a9713f',
  belly: '#efe0c6',
  ...(/doe|fawn/.test(word) ? { marks: 'spots' } : { horns: 'antlers' }),
}));

const cow = draw([[78, 36, 30, 9], [14, -3, 10], [30, 23, 7], 'round', 'thin'], ({ word }) => ({
  color: /bison|buffalo|ox|bull/.test(word) ? '#5a4030' : '#f3eee4',
  horns: 'curved',
  ...(/cow|calf/.test(word) && { marks: 'patches', belly: '#e3cfc0' }),
}));

const isLlama = ({ word }: Pencil) => /llama|alpaca/.test(word);
const camelColor = (pencil: Pencil) => (isLlama(pencil) ? '#efe3cf' : '#c99c5f');
const camelBody = draw([[62, 26, 38, 6], [22, -22, 5], [26, 15, 4], 'round', 'thin'], (pencil) => ({
  color: camelColor(pencil),
}));
const camel: DrawThing = (pencil) => {
  const coat = tones(pencil.ink(pencil.color ?? camelColor(pencil)));
  const hump = isLlama(pencil)
    ? ''
    : path('M-26 -60C-18 -92 4 -92 14 -60Z', coat.base) + path('M-16 -62C-10 -84 2 -84 8 -62Z', coat.lit, faint(0.6));
  return hump + camelBody(pencil);
};

const pig = draw([[74, 40, 17, 9], [7, 8, 10], [33, 27, 5], 'pointed', 'short'], ({ word }) => ({
  color: word === 'boar' ? '#5f4a3c' : '#efb0b3',
}));

const LIONS: Record<string, Coat> = {
  lion: { color: '#d3a155', ruff: '#8a4f22' },
  tiger: { color: '#dd8432', marks: 'stripes' },
  panther: { color: '#2b2a31', belly: '#3a3942' },
};
const lion = draw([[76, 29, 30, 10], [12, -8, 10], [30, 26], 'round', 'thin'], ({ word }) => ({
  color: '#d3a155',
  belly: '#f0ddb6',
  ...(/leopard|cheetah/.test(word) ? { marks: 'spots' } : LIONS[word]),
}));

const BEARS: Record<string, Coat> = {
  panda: { color: '#f5f3ee', socks: '#26252a', mask: '#26252a' },
  'polar bear': { color: '#f2f1ea' },
  'teddy bear': { color: '#b98350' },
};
const bear = draw(
  [[78, 42, 25, 15], [9, 0, 14], [34, 30], 'round', 'short'],
  ({ word }) => BEARS[word] ?? { color: '#6a4429' },
);

const mouse = draw([[56, 36, 10, 7], [7, 8, 12], [32, 25], 'round', 'thin'], ({ word }) => ({
  color: '#9b938c',
  belly: '#e6dcd0',
  ...(/squirrel/.test(word) && { color: '#b5622f', tail: 'bushy' }),
}));

const giraffe = draw([[50, 24, 42, 6], [17, -50, 3], [22, 13, 4], 'round', 'thin'], () => ({
  color: '#e0b261',
  marks: 'spots',
  horns: 'curved',
}));

export const BEASTS = { dog, fox, wolf, horse, deer, cow, camel, pig, lion, bear, mouse, giraffe };
