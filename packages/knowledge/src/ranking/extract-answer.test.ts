import { expect, test } from 'vitest';
import { extractAnswer } from './extract-answer.ts';
import { hitOf } from './test-hits.ts';

const bridge = hitOf(
  'Many towns lie on the river. The stone bridge was opened in 1884 by Ada Miller. It has seven arches and a tower. Boats pass below.',
  { id: 'bridge', title: 'The bridge', score: 0.8 },
);
const museum = hitOf('The museum shows coins. It is closed on Mondays.', {
  id: 'museum',
  title: 'The museum',
  score: 0.5,
});
const hits = [bridge, museum];
const quotes = (question: string) => extractAnswer(question, hits)?.map(({ quote }) => quote) ?? null;

test.each([
  ['Who opened the stone bridge?', 'The stone bridge was opened in 1884 by Ada Miller.'],
  ['When was the bridge opened?', 'The stone bridge was opened in 1884 by Ada Miller.'],
  ['How many arches has it?', 'The stone bridge was opened in 1884 by Ada Miller. It has seven arches and a tower.'],
  ['When is the museum closed?', 'The museum shows coins. It is closed on Mondays.'],
])('%s', (question, quote) => {
  expect(quotes(question)?.[0]).toBe(quote);
});

test.each([
  'Who wrote the report on the finances of the railway?',
  'What does the warranty cover?',
  '',
  '???',
  '汉堡有多少人口',
])('returns null for %s', (question) => {
  expect(quotes(question)).toBeNull();
});

test('matches answers that replace the requested word, with few passages', () => {
  const honey = hitOf('Bees of Lorn make blue honey', { id: 'honey', score: 1 });
  const sold = hitOf('Honey is sold on Mondays in the shop.', { id: 'sold', score: 1 });
  const mill = hitOf('The mill of Holm burned down in 1892.', { id: 'mill', score: 1 });
  const answer = (question: string, ...found: (typeof honey)[]) => extractAnswer(question, found)?.[0]?.quote ?? null;
  expect(answer('What colour is the honey?', honey)).toBe('Bees of Lorn make blue honey');
  expect(answer('What colour is the honey?', honey, museum, mill)).toBe('Bees of Lorn make blue honey');
  expect(answer('What colour is the honey?', sold)).toBeNull();
  expect(answer('When did the mill burn down?', mill)).toBe('The mill of Holm burned down in 1892.');
  expect(answer('Who owns the mill?', mill)).toBeNull();
  expect(answer('What is the capital of France?', mill)).toBeNull();
});

test('takes a name shortly before the answer as given', () => {
  const village = (n: number, score: number) =>
    hitOf(
      `The village of Nor${n} has ${100 + n} people. Its mayor is Ada Lind${n}. The bridge was built in ${1500 + n}.`,
      {
        id: `village${n}`,
        title: `Village ${n}`,
        score,
      },
    );
  const villages = [village(17, 0.7), village(18, 0.24), village(19, 0.2), village(20, 0.18)];
  const answer = (question: string) => extractAnswer(question, villages)?.[0]?.quote ?? null;
  expect(answer('Who is the mayor of Nor17?')).toContain('Its mayor is Ada Lind17.');
  expect(answer('When was the bridge of Nor17 built?')).toContain('The bridge was built in 1517.');
  expect(answer('Who is the mayor of Nor999?')).toBeNull();
  expect(answer('When was the bridge of Nor999 built?')).toBeNull();
});

test('returns null without hits', () => {
  expect(extractAnswer('When was the bridge opened?', [])).toBeNull();
  expect(extractAnswer('When?', [hitOf('')])).toBeNull();
});

test('quotes verbatim and without duplicates, in order of score', () => {
  const overlap = hitOf(`The stone bridge was opened in 1884 by Ada Miller. It was repaired.`, {
    id: 'overlap',
    score: 0.7,
  });
  const other = hitOf('The\nstone bridge, they say, was opened in May.', { id: 'other', score: 0.7 });
  const parts = extractAnswer('When was the stone bridge opened?', [bridge, overlap, other]) ?? [];
  for (const { hit, quote } of parts) expect(hit.text).toContain(quote);
  expect(parts.map(({ hit }) => hit.id)).toEqual(['overlap', 'other']);
  expect(parts.map(({ score }) => score)).toEqual(parts.map(({ score }) => score).toSorted((a, b) => b - a));
  expect(parts.every(({ score }) => score > 0 && score <= 1)).toBe(true);
});

test('answers a heading or question of the source with the text after it', () => {
  const faq = hitOf('## Delivery\n\nHow long does delivery take?\n\nThree to five working days.\n\nHow do I pay?', {
    id: 'faq',
  });
  expect(extractAnswer('How long does the delivery take?', [faq, museum])?.[0]?.quote).toBe(
    'How long does delivery take?\n\nThree to five working days.',
  );
  expect(extractAnswer('How do I pay?', [faq, museum])).toBeNull();
});

test('does not answer with a marked or unmarked heading, but with a note that looks like one', () => {
  const { source, others } = {
    others: [museum, bridge],
    source: (text: string) => hitOf(text, { id: 'manual', score: 1 }),
  };
  const below = 'It is two years, from the day of the delivery on.';
  const quotesOf = (text: string) =>
    (extractAnswer('How long is the warranty of the pump?', [source(text), ...others]) ?? []).map(({ quote }) => quote);
  expect(quotesOf(`# Warranty of the pump\n\n${below}`)).toEqual([below]);
  expect(quotesOf(`Warranty of the pump\n====\n\n${below}`)).toEqual([below]);
  expect(quotesOf(`Warranty of the pump\n\n${below}`)).toEqual([`Warranty of the pump\n\n${below}`]);
  expect(quotesOf('The house.\n\n## Warranty of the pump')).toEqual([]);
  expect(quotesOf('Warranty of the pump: two years\n\nPrices fall.')).toEqual([
    'Warranty of the pump: two years\n\nPrices fall.',
  ]);
  expect(quotesOf('Prices fall.\n\nWarranty of the pump: two years')).toEqual(['Warranty of the pump: two years']);
  expect(quotesOf('- Warranty of the pump: two years\n\n- Prices fall')).toEqual(['- Warranty of the pump: two years']);
});

test('supports languages without spaces', () => {
  const tower = hitOf('东京塔位于东京。东京塔高三百三十三米。它是红色的。', { id: 'tower' });
  expect(extractAnswer('东京塔有多高', [tower, hitOf('天气很好。', { id: 'weather' })])?.[0]?.quote).toBe(
    '东京塔高三百三十三米。',
  );
});

test('does not quote a sentence alone if another part includes it', () => {
  const fire = 'The old mill of Holm stood by the river since 1711. It burned down on the night of 3 March 1892.';
  const mill = hitOf(`The mill\n\n${fire} The new mill was built of brick in 1901 by Anna Holm.`, { score: 0.74 });
  const school = hitOf('The school of Holm opened in 1870 with 31 pupils.', { id: 'school', score: 0 });
  const parts = extractAnswer('When did the mill burn down?', [mill, school]) ?? [];
  expect(parts.map(({ quote }) => quote)).toContain(fire);
  for (const { quote } of parts) expect(parts.filter((other) => other.quote.includes(quote))).toHaveLength(1);
});

test('finds the right passage among similar ones, and ignores the question words', () => {
  const units = Array.from({ length: 8 }, (_, at) =>
    hitOf(`The pump of unit ${at} is checked every ${at + 3} days. The valve of unit ${at} is checked every year.`, {
      id: `unit-${at}`,
      title: 'Manual',
      score: 1 - at / 10,
    }),
  );
  const [first] = extractAnswer('How often is the pump of unit 5 checked?', units) ?? [];
  expect(first?.quote).toBe('The pump of unit 5 is checked every 8 days.');
});

const town = [
  'The stone bridge of Lorn was opened in 1884 by Ada Miller. It has seven arches. In 1901 a flood damaged two of them.',
  'Lorn has a market on Mondays. The market hall was built by the brothers Voss.',
  'The railway reached Lorn in 1871. The station was designed by Karl Brandt.',
  'The brewery of Lorn employs forty people. It was founded in 1790 by Jon Ask.',
  'A school was opened in Lorn in 1870. It had 31 pupils.',
];

/** Returns the passages as found by a search, the given one first. */
const townHits = (best: number) =>
  [best, ...town.keys().filter((at) => at !== best)].map((at, place) => {
    const score = 1 - place / 6;
    return hitOf(town[at]!, { id: `town-${at}`, position: at, score, textScore: score, vectorScore: score });
  });

test.each([
  ['Who opened the stone bridge of Lorn?', 0, 'Ada Miller'],
  ['When was the brewery of Lorn founded?', 3, '1790'],
])('%s is answered among several passages', (question, best, answer) => {
  expect(extractAnswer(question, townHits(best))?.[0]?.quote).toContain(answer);
});

test.each([
  ['Who closed the last wooden bridge of Lorn?', 0],
  ["Why didn't the railway reach Lorn?", 2],
  ['Who designed the airport of Lorn?', 2],
  ['What is the smallest brewery in Norway called?', 3],
])('%s is not answered by passages on the same topic', (question, best) => {
  expect(extractAnswer(question, townHits(best))).toBeNull();
});

test.each([
  [
    'Wann legte man den Grundstein des Doms?',
    'Der Dom ist 157 Meter hoch. Der Grundstein wurde am 15. August 1248 gelegt. Die Glocke wiegt 24 Tonnen.',
    'Der Grundstein wurde am 15. August 1248 gelegt.',
  ],
  [
    'Wer wählt die Richter des Gerichts?',
    'Das Verfassungsgericht sitzt in Karlsruhe. Die Richter werden vom Bundestag gewählt.',
    'Die Richter werden vom Bundestag gewählt.',
  ],
  [
    '¿Quién rechazó la candidatura?',
    'La Real Academia rechazó su candidatura en 1972. Murió en Madrid.',
    'La Real Academia rechazó su candidatura en 1972.',
  ],
  [
    "Combien d'écluses le canal compte-t-il ?",
    'Le canal fut creusé par Riquet. Long de 240 kilomètres, il compte 63 écluses.',
    'Long de 240 kilomètres, il compte 63 écluses.',
  ],
])('%s is answered in its language', (question, text, quote) => {
  const others = ['Ein Satz über Käse.', 'Une phrase sur le fromage.'].map((other) =>
    hitOf(other, { id: other, score: 0 }),
  );
  expect(extractAnswer(question, [hitOf(text, { score: 1 }), ...others])?.[0]?.quote).toContain(quote);
});

const parks = [
  hitOf('Woodward Park is the largest park of the Fresno region. It was opened in 1968 by Ada Miller.', { score: 1 }),
  hitOf('The zoo of Fresno was founded in 1929. Many visitors come in spring.', { score: 0.6 }),
  hitOf('The railway to Fresno carries few passengers. It climbs 85 meters.', { score: 0.5 }),
  hitOf('Farmers in the region grow almonds. The market is held weekly.', { score: 0.4 }),
].map((hit, at) => ({ ...hit, id: `park-${at}` }));

test.each([
  ['Which park is the largest of the Fresno region?', true],
  ['Which park is the smallest of the Fresno region?', false],
  ['Which park is not the largest of the Fresno region?', false],
  ['How far is the largest park of the Fresno region?', false],
])('judges whether the best sentence answers: %s', (question, isAnswered) => {
  expect(extractAnswer(question, parks) !== null).toBe(isAnswered);
});

test('refuses the opposite with few passages, too', () => {
  const few = parks.slice(0, 2);
  expect(extractAnswer('Which park is the largest of the Fresno region?', few)).not.toBeNull();
  expect(extractAnswer('Which park is the smallest of the Fresno region?', few)).toBeNull();
});

test('looks for the answer after a heading that asks', () => {
  const faq = hitOf('How far is the largest park of the Fresno region?\n\nEight miles from the center.', { score: 1 });
  const [part] = extractAnswer('How far is the largest park of the Fresno region?', [faq, ...parks]) ?? [];
  expect(part?.quote).toContain('Eight miles');
});
