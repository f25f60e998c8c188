import { expect, test } from 'vitest';
import { analyze, queryTerms } from './analyze.ts';

test.each([
  ['The houses were running', 'hous run'],
  ["Don't touch Müller's café", 'touch muller cafe'],
  ['Straße, STRASSE', 'strass strass'],
  ['Ærøskøbing Łódź', 'aeroskob lodz'],
  ['full width ＡＢＣ１ and ﬁnal', 'full width abc1 final'],
  ['GPT-4 v2.5 foo_bar', 'gpt 4 v2 5 foo bar'],
  ['Москва', 'москва'],
  ['', ''],
  [' \n—…!? ', ''],
])('%j is %j', (text, terms) => {
  expect(analyze(text)).toBe(terms);
});

test('cuts scripts without spaces into pieces of two and three characters', () => {
  expect(analyze('東京都')).toBe('東京 東京都 京都');
  expect(analyze('猫 と GPTの本')).toBe('猫 と gpt の本');
  expect(analyze('ガラス')).toBe('ガラ ガラス ラス');
});

test.each([
  ['Chinese', '北京是中国的首都', '中国首都'],
  ['Japanese', '東京都に住んでいます', '東京に住む'],
  ['Thai', 'ประเทศไทยมีเมืองหลวง', 'เมืองหลวง'],
  ['Arabic, with its article and vowel signs', 'والكِتَابُ الجديد', 'كتاب'],
  ['Hebrew, with a preposition', 'בבית הספר', 'בית'],
  ['Korean, with a particle', '서울에서 살았다', '서울'],
])('%s: a question matches the text', (_language, text, question) => {
  const held = new Set(analyze(text).split(' '));
  expect(
    analyze(question)
      .split(' ')
      .filter((term) => held.has(term)),
  ).not.toEqual([]);
});

test('keeps marks that belong to letters: they change the word in Indic scripts', () => {
  expect(analyze('कि')).not.toBe(analyze('क'));
});

test('keeps each term of a question once, up to a limit', () => {
  expect(queryTerms('fox foxes FOX dog')).toBe('fox dog');
  expect(queryTerms('the of and')).toBe('');
  const long = Array.from({ length: 5_000 }, (_, at) => `word${at}`).join(' ');
  expect(queryTerms(long).split(' ').length).toBeLessThanOrEqual(128);
});

test('takes linear time for hostile text', () => {
  const began = performance.now();
  for (const text of [
    "'".repeat(200_000),
    `a${"'a".repeat(100_000)}`,
    'x'.repeat(200_000),
    '漢'.repeat(50_000),
    'े'.repeat(200_000),
  ])
    analyze(text);
  expect(performance.now() - began).toBeLessThan(20_000);
  expect(analyze('x'.repeat(200_000)).length).toBeLessThanOrEqual(40);
});
