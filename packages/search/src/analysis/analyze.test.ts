import { expect, test } from 'vitest';
import { analyze, queryTerms } from './analyze.ts';
import { languageOf } from './languages.ts';

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

test.each([
  ['German', 'Die Häuser wurden 1890 gebaut.', 'Wer baute das Haus?'],
  ['German participles', 'Die Firma wurde in Ulm gegründet.', 'Wo war die Gründung?'],
  ['French, with an elision', "L'université fut fondée par le roi.", 'Qui a créé les universités ?'],
  ['Spanish', 'La ciudad fue fundada por los romanos.', '¿Quién fundó Sevilla?'],
  ['Italian', "Dell'arte si sa poco.", 'Quale arte è antica?'],
  ['Dutch', 'De inwoners werken in de haven.', 'Hoeveel inwoner heeft de stad?'],
  ['Russian', 'Здание построил архитектор Бове.', 'Кто был архитектором здания?'],
  ['a title whose language is not recognized', 'Häuser in Ulm', 'Wo stehen die Häuser?'],
])('%s: a question finds a text by its stems', (_language, text, question) => {
  const held = new Set(analyze(text).split(' '));
  expect(queryTerms(question).split(' ')).toSatisfy((terms: string[]) => terms.some((term) => held.has(term)));
});

test.each([
  ['Wer gründete Siemens?', 'de'],
  ['Où se trouve la gare ?', 'fr'],
  ['¿Dónde está la estación?', 'es'],
  ["Quando è stata costruita l'università?", 'it'],
  ['Quem descobriu o Brasil?', 'pt'],
  ['Hoeveel inwoners heeft Utrecht?', 'nl'],
  ['Когда был построен мост?', 'ru'],
  ['Where is the nearest harbour?', 'en'],
  ['What does die Welt report?', 'en'],
  ['Los Angeles population', null],
  ['Berlin', null],
])('%s: the language is %s', (text, language) => {
  expect(languageOf(text)).toBe(language);
});

test("drops only frequent words of the text's language", () => {
  expect(analyze('Die Brücke und das Ufer')).toBe('bruck ufer');
  expect(analyze('The die is cast')).toBe('die cast');
});

test('keeps marks that belong to letters, which change the word in Indic scripts', () => {
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
