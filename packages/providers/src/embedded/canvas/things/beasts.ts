import { faint, path } from '../stage.ts';
import { beast } from './beast.ts';
import { type DrawThing, tones } from './pencil.ts';

const dog: DrawThing = (pencil) =>
  beast(pencil, {
    color: /golden|labrador/.test(pencil.word)
      ? '#d5a35c'
      : pencil.random.pick(['#9a6b3f', '#c69257', '#5c4636', '#d8c3a0']),
    long: 64,
    deep: 27,
    legs: 32,
    legWidth: 8,
    neck: [12, -17],
    neckWidth: 8,
    head: { long: 29, deep: 22 },
    ears: 'flap',
    tail: 'thin',
    belly: '#e9dbc2',
  });

const fox: DrawThing = (pencil) =>
  beast(pencil, {
    color: '#d9712b',
    long: 60,
    deep: 22,
    legs: 27,
    legWidth: 6,
    neck: [11, -11],
    neckWidth: 5,
    head: { long: 30, deep: 19 },
    ears: 'pointed',
    tail: 'bushy',
    belly: '#f7efe2',
    socks: '#3a2a26',
  });

const wolf: DrawThing = (pencil) =>
  beast(pencil, {
    color: '#737d89',
    long: 68,
    deep: 28,
    legs: 34,
    legWidth: 8,
    neck: [12, -11],
    neckWidth: 8,
    head: { long: 33, deep: 22 },
    ears: 'pointed',
    tail: 'bushy',
    belly: '#d6d9da',
  });

const horse: DrawThing = (pencil) => {
  const striped = pencil.word === 'zebra';
  const color = striped
    ? '#f0ede6'
    : pencil.word === 'unicorn'
      ? '#f6f3f7'
      : pencil.word === 'donkey'
        ? '#8b8580'
        : pencil.random.pick(['#7a4a2c', '#4c342b', '#a56a3e', '#cfc3b2']);
  return beast(pencil, {
    color,
    long: 70,
    deep: 29,
    legs: 44,
    legWidth: 7,
    neck: [17, -27],
    neckWidth: 10,
    head: { long: 34, deep: 19, drop: 9 },
    ears: pencil.word === 'donkey' ? 'long' : 'pointed',
    tail: 'hair',
    mane: pencil.word === 'unicorn' ? (pencil.accents[0] as string) : '#2e211d',
    ...(pencil.word === 'unicorn' && { horns: 'one' as const }),
    ...(striped && { marks: 'stripes' as const }),
  });
};

const deer: DrawThing = (pencil) =>
  beast(pencil, {
    color: pencil.word === 'moose' ? '#5b4332' : '#a9713f',
    long: 60,
    deep: 25,
    legs: 44,
    legWidth: 5,
    neck: [14, -27],
    neckWidth: 6,
    head: { long: 26, deep: 16, drop: 5 },
    ears: 'pointed',
    tail: 'short',
    belly: '#efe0c6',
    ...(/doe|fawn/.test(pencil.word) ? { marks: 'spots' as const } : { horns: 'antlers' as const }),
  });

const cow: DrawThing = (pencil) =>
  beast(pencil, {
    color: /bison|buffalo|ox|bull/.test(pencil.word) ? '#5a4030' : '#f3eee4',
    long: 78,
    deep: 36,
    legs: 30,
    legWidth: 9,
    neck: [14, -3],
    neckWidth: 10,
    head: { long: 30, deep: 23, drop: 7 },
    ears: 'round',
    tail: 'thin',
    horns: 'curved',
    ...(/cow|calf/.test(pencil.word) && { marks: 'patches' as const, belly: '#e3cfc0' }),
  });

const camel: DrawThing = (pencil) => {
  const coat = tones(pencil.ink(pencil.color ?? (/llama|alpaca/.test(pencil.word) ? '#efe3cf' : '#c99c5f')));
  const hump = /llama|alpaca/.test(pencil.word)
    ? ''
    : path('M-26 -60C-18 -92 4 -92 14 -60Z', coat.base) + path('M-16 -62C-10 -84 2 -84 8 -62Z', coat.lit, faint(0.6));
  const body = beast(pencil, {
    color: /llama|alpaca/.test(pencil.word) ? '#efe3cf' : '#c99c5f',
    long: 62,
    deep: 26,
    legs: 38,
    legWidth: 6,
    neck: [22, -22],
    neckWidth: 5,
    head: { long: 26, deep: 15, drop: 4 },
    ears: 'round',
    tail: 'thin',
  });
  return hump + body;
};

const pig: DrawThing = (pencil) =>
  beast(pencil, {
    color: pencil.word === 'boar' ? '#5f4a3c' : '#efb0b3',
    long: 74,
    deep: 40,
    legs: 17,
    legWidth: 9,
    neck: [7, 8],
    neckWidth: 10,
    head: { long: 33, deep: 27, drop: 5 },
    ears: 'pointed',
    tail: 'short',
  });

const lion: DrawThing = (pencil) => {
  const { word } = pencil;
  const color = word === 'tiger' ? '#dd8432' : word === 'panther' ? '#2b2a31' : '#d3a155';
  return beast(pencil, {
    color,
    long: 76,
    deep: 29,
    legs: 30,
    legWidth: 10,
    neck: [12, -8],
    neckWidth: 10,
    head: { long: 30, deep: 26 },
    ears: 'round',
    tail: 'thin',
    belly: word === 'panther' ? '#3a3942' : '#f0ddb6',
    ...(word === 'lion' && { ruff: '#8a4f22' }),
    ...(word === 'tiger' && { marks: 'stripes' as const }),
    ...(/leopard|cheetah/.test(word) && { marks: 'spots' as const }),
  });
};

const bear: DrawThing = (pencil) => {
  const panda = pencil.word === 'panda';
  const color = panda
    ? '#f5f3ee'
    : pencil.word === 'polar bear'
      ? '#f2f1ea'
      : pencil.word === 'teddy bear'
        ? '#b98350'
        : '#6a4429';
  return beast(pencil, {
    color,
    long: 78,
    deep: 42,
    legs: 25,
    legWidth: 15,
    neck: [9, 0],
    neckWidth: 14,
    head: { long: 34, deep: 30 },
    ears: 'round',
    tail: 'short',
    ...(panda && { socks: '#26252a', mask: '#26252a' }),
  });
};

const mouse: DrawThing = (pencil) =>
  beast(pencil, {
    color: /squirrel/.test(pencil.word) ? '#b5622f' : '#9b938c',
    long: 56,
    deep: 36,
    legs: 10,
    legWidth: 7,
    neck: [7, 8],
    neckWidth: 12,
    head: { long: 32, deep: 25 },
    ears: 'round',
    tail: /squirrel/.test(pencil.word) ? 'bushy' : 'thin',
    belly: '#e6dcd0',
  });

const giraffe: DrawThing = (pencil) =>
  beast(pencil, {
    color: '#e0b261',
    long: 50,
    deep: 24,
    legs: 42,
    legWidth: 6,
    neck: [17, -50],
    neckWidth: 3,
    head: { long: 22, deep: 13, drop: 4 },
    ears: 'round',
    tail: 'thin',
    marks: 'spots',
    horns: 'curved',
  });

export const BEASTS = { dog, fox, wolf, horse, deer, cow, camel, pig, lion, bear, mouse, giraffe } satisfies Record<
  string,
  DrawThing
>;
