import { expect, test } from 'vitest';
import { findForeignText } from './text-language.ts';

test.each([
  ['你好，今天天气怎么样？', 'Chinese'],
  ['こんにちは、元気ですか。', 'Japanese'],
  ['Доброе утро, чем я могу помочь?', 'Cyrillic script'],
  ['Guten Morgen, wie kann ich Ihnen heute helfen?', 'German'],
  ['Der Zug nach München fährt um halb acht von Gleis drei ab und ist nicht voll.', 'German'],
  ['Le train pour Lyon part à sept heures et demie, mais il est en retard.', 'French'],
  ['Quisiera reservar una mesa para cuatro personas en el restaurante.', 'Spanish'],
  ['Dzień dobry, czy może mi pan pomóc? Gdzie jest apteka?', 'Polish'],
])('recognizes %s', (text, language) => {
  expect(findForeignText(text)).toMatchObject({ language });
});

test.each([
  'Good morning.',
  'Set α and β to 5 µm, then run `npm test -- --watch`.',
  'He sang La Vie en Rose, ate a pain au chocolat, and left for Las Vegas.',
  'Ludwig van Beethoven and Vincent van Gogh met in Den Haag.',
  'const x = await fetch(url); if (!x.ok) throw new Error("no");',
  'El Niño hit San Juan de los Lagos.',
  'Die, die, my darling. Am I in?',
  '42',
  '😀',
])('does not doubt %s', (text) => {
  expect(findForeignText(text)).toBeNull();
});

test('measures how much of a text is foreign', () => {
  expect(findForeignText('The word 你好世界 means hello world.')).toMatchObject({
    language: 'Chinese',
    hasLatin: true,
  });
  expect(findForeignText('The word 你好世界 means hello world.')!.share).toBeLessThan(0.3);
});
