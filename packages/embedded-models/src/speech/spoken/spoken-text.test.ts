import { expect, test } from 'vitest';
import { spokenText } from './spoken-text.ts';

test.each([
  ['It costs **12,345** items & more…', 'It costs twelve thousand three hundred forty-five items and more...'],
  [
    'See https://www.example.com/a?b=c, or mail me@example.org.',
    'See example dot com slash a, or mail me at example dot org.',
  ],
  ['GPUs, the U.S.A. and NASA, e.g. a PDF', "G P U's, the U S A and nasa, for example, a P D F"],
  ['“It’s” (really) 20°C – or 3 x 4 = 12', "It's, really, twenty degrees Celsius — or three times four equals twelve"],
  ['A café, naïve, 中文 😀 `code`', 'A cafe, naive, code'],
  ['\u0000\ud800<script>', 'script'],
])('%s', (written, said) => {
  expect(spokenText(written)).toBe(said);
});

test.each([
  ['-5°C is 23 °F', 'minus five degrees Celsius is twenty-three degrees Fahrenheit'],
  ['1/2 cup, 3/4 mile, 2 1/2 hours, ½', 'one half cup, three quarters mile, two and a half hours, one half'],
  ['3.14, .5, 1,000,000 and 007', 'three point one four, zero point five, one million and zero zero seven'],
  ['19.5% of 5–10%', 'nineteen point five percent of five to ten percent'],
  ['the 1st, 22nd and 103rd', 'the first, twenty-second and one hundred third'],
  [
    'In 1905, 2024 and the 1990s or ’80s',
    'In nineteen oh five, twenty twenty-four and the nineteen nineties or eighties',
  ],
  ['pages 10–15, 1939-1945', 'pages ten to fifteen, nineteen thirty-nine to nineteen forty-five'],
  ['5 km at 60 mph, 20 m², 2 TB', 'five kilometers at sixty miles per hour, twenty square meters, two terabytes'],
  ['x^2 + 2 × 4 = 17, √9', 'x squared plus two times four equals seventeen, the square root of nine'],
  ['3:1, 16:9 and 24/7', 'three to one, sixteen to nine and twenty-four seven'],
])('numbers: %s', (written, said) => {
  expect(spokenText(written)).toBe(said);
});

test.each([
  ['$1,234.56', 'one thousand two hundred thirty-four dollars and fifty-six cents'],
  [
    '€2.5M, £0.99, $1 and $1.5k',
    'two point five million euros, ninety-nine pence, one dollar and one thousand five hundred dollars',
  ],
  ['$20-$30, 50 EUR, USD 12', 'twenty to thirty dollars, fifty euros, and twelve U S dollars'.replace(' and', '')],
  ['£9.99/month', 'nine pounds and ninety-nine pence per month'],
  ['-$5', 'minus five dollars'],
])('money: %s', (written, said) => {
  expect(spokenText(written)).toBe(said);
});

test.each([
  ['at 3:45 p.m. or 18:05', 'at three forty-five P M or eighteen oh five'],
  ['It ends at 9 a.m. Then we leave.', 'It ends at nine A M. Then we leave.'],
  ['2026-11-23', 'November twenty-third, twenty twenty-six'],
  [
    '12/31/2025 or 31.12.2025',
    'December thirty-first, twenty twenty-five or December thirty-first, twenty twenty-five',
  ],
  ['Nov. 5, 2024 and 4 July', 'November fifth, twenty twenty-four and the fourth of July'],
  ['Mon–Fri 9am–5pm', 'Monday to Friday nine A M to five P M'],
  ['in May 2020 we may', 'in May twenty twenty we may'],
])('dates and times: %s', (written, said) => {
  expect(spokenText(written)).toBe(said);
});

test.each([
  ['Dr. Smith of Baker St. in St. Louis, etc.', 'Doctor Smith of Baker Street in Saint Louis, et cetera.'],
  ['Henry VIII in World War II, Chapter IV', 'Henry the eighth in World War two, Chapter four'],
  ['I gave Vitamin C to Chapter C and Malcolm X', 'I gave Vitamin C to Chapter C and Malcolm X'],
  [
    'version 2.10.3, v1.0, 192.168.1.1',
    'version two point ten point three, version one point zero, one nine two dot one six eight dot one dot one',
  ],
  ['+1 (555) 123-4567', 'plus one, five five five, one two three, four five six seven'],
  ['config.json, main.py', 'config dot jason, main dot P Y'],
  ['GPT-4 on GitHub by McDonald', 'G P T four on Git Hub by McDonald'],
  ['DO NOT go to the FBI', 'do not go to the F B I'],
  ['he/she and/or us', 'he or she and or us'],
  ['No. 5, or no. I said "42".', 'number five, or no. I said forty-two.'],
])('names: %s', (written, said) => {
  expect(spokenText(written)).toBe(said);
});

test('reads hostile texts in time', () => {
  const began = performance.now();
  for (const sign of [
    'a.',
    'A.',
    '1,',
    '(',
    'http://',
    'a@',
    '.a',
    '- ',
    'é',
    'ͤ',
    '1-',
    '1/',
    '1:',
    '$1 ',
    'I ',
    '1 ',
    '+1 ',
    'A b ',
  ])
    expect(typeof spokenText(sign.repeat(10_000))).toBe('string');
  expect(performance.now() - began).toBeLessThan(20_000);
});

test('reads any mixture of signs', () => {
  const parts =
    '1 12 2024 0 00 007 99999999999999999999 . , : / - – + ( ) $ € % ° v version V XIV Chapter Henry Nov. May am p.m. st x ^ √ @ # & = < > .com example www. http:// _ k M bn m km/h °C s \' " ½ ² 中 é \n'.split(
      ' ',
    );
  let seed = 1;
  const next = (count: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % count;
  };
  for (let round = 0; round < 5_000; round += 1) {
    const text = Array.from(
      { length: 1 + next(9) },
      () => parts[next(parts.length)]! + (next(3) === 0 ? ' ' : ''),
    ).join('');
    const said = spokenText(text);
    expect(said, text).not.toMatch(/\d|NaN|undefined|[$€%@]/);
  }
});
