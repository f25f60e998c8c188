import { expect, test } from 'vitest';
import { readPrompt } from './read-prompt.ts';

const things = (prompt: string, negative?: string) =>
  readPrompt(prompt, negative)
    .things.filter(({ count }) => count >= 0)
    .map(({ kind, count, colors }) => [count, ...colors, kind].join(' '));

test.each([
  ['three red balloons', ['3 #d7352b balloon']],
  ['a black cat and two white dogs', ['1 #1d1d22 cat', '2 #f7f6f1 dog']],
  ['12 sheep', ['12 sheep']],
  ['sheep on a hill, a fish', ['0 sheep', '1 fish']],
  ['a dozen tulips and some pine trees', ['12 tulip', '4 pine']],
  ['red and blue flowers', ['0 #d7352b #2f6fd0 flower']],
  ['light blue car', ['1 #7fb2ff car']],
  ['a bottle of wine, koi fish, a vase of roses', ['1 bottle', '0 fish', '1 vase']],
  ['hot air balloons above a cherry tree', ['0 airballoon', '1 blossom']],
  ['children, women and wolves', ['0 child', '0 person', '0 wolf']],
  ['an orange on a table', ['1 #ee8127 apple', '1 table']],
  ['a cat without a hat, no dogs', ['1 cat']],
  ['quantum entanglement', []],
])('%s', (prompt, expected) => {
  const found = things(prompt);
  expect(found.map((one) => one.replace(/#[0-9a-f]{6}/g, '#'))).toEqual(
    expected.map((one) => one.replace(/#[0-9a-f]{6}/g, '#')),
  );
  // Named colors come from the vocabulary; lighter ones are computed.
  if (!prompt.includes('light')) expect(found).toEqual(expected);
});

test('reads positions and relations', () => {
  const { things: found } = readPrompt(
    'a cat on the left, a dog to the right of a house, a bird above a tree, a fox in the background',
  );
  expect(
    found.map(({ kind, position, relation }) => [
      kind,
      position,
      relation && [relation.how, found[relation.other]?.kind],
    ]),
  ).toEqual([
    ['cat', 'left', null],
    ['dog', null, ['right', 'house']],
    ['house', null, null],
    ['bird', null, ['above', 'tree']],
    ['tree', null, null],
    ['fox', 'far', null],
  ]);
});

test('reads places, light, weather, season, mood, style and scene colors', () => {
  const brief = readPrompt(
    'stormy turquoise sea under a red sky at dusk, full moon, autumn, dreamy, watercolor, in shades of purple',
  );
  expect([...brief.places]).toEqual([
    ['sea', '#35b9b5'],
    ['sky', '#d7352b'],
  ]);
  expect(brief.lights.get('moon')).toMatchObject({ count: 1, word: 'full moon' });
  expect([brief.time, brief.season, [...brief.weathers], [...brief.moods], [...brief.styles], brief.colors]).toEqual([
    'dusk',
    'autumn',
    ['storm'],
    ['dreamy'],
    ['watercolor'],
    ['#7c3fa3'],
  ]);
});

test('reads quoted words as lettering, and lists unknown ones', () => {
  const brief = readPrompt('a sign saying "Fresh  bread" and “HOT COFFEE”, zygomorphic obelisk');
  expect(brief.lettering).toEqual(['Fresh bread', 'HOT COFFEE']);
  expect(brief.things.map(({ kind }) => kind)).toEqual(['sign']);
  expect(brief.unknown).toEqual(['saying', 'zygomorphic', 'obelisk']);
});

test('removes everything that the negative prompt names', () => {
  const all = 'a red car and a blue boat on a lake in the mountains, rain, birds, stars';
  expect(things(all, 'cars, birds')).toEqual(['1 #2f6fd0 boat']);
  const brief = readPrompt(all, 'rain, mountains, stars, text, red');
  expect(brief.weathers.size).toBe(0);
  expect([...brief.places.keys()]).toEqual(['lake']);
  expect(brief.lights.get('star')?.count).toBe(0);
  expect(brief.titled).toBe(false);
  expect(brief.things[0]?.colors).toEqual([]);
});

test('reads any text quickly', () => {
  const started = performance.now();
  for (const text of [
    '"'.repeat(32_000),
    "'a ".repeat(10_000),
    'a of '.repeat(6_400),
    '\u202e\u0000\ud800'.repeat(10_000),
    `${'ه'.repeat(32_000)}`,
    '7'.repeat(32_000),
  ])
    expect(readPrompt(text, text).things.length).toBeLessThanOrEqual(12);
  expect(performance.now() - started).toBeLessThan(20_000);
});
