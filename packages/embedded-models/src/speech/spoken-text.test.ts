import { expect, test } from 'vitest';
import { loadPhonemes } from './phonemes.ts';
import { spokenText } from './spoken-text.ts';

test.each([
  ['It costs **12,345** items & more…', 'It costs 12345 items and more...'],
  ['See https://www.example.com/a?b=c, or mail me@example.org.', 'See example dot com, or mail me at example dot org.'],
  ['GPUs, the U.S.A. and NASA, e.g. a PDF', "G P U's, the U S A and nasa, for example, a P D F"],
  ['“It’s” (really) 20°C – or 3 x 4 = 12', "It's, really, 20 degrees Celsius — or 3 times 4 equals 12"],
  ['A café, naïve, 中文 😀 `code`', 'A cafe, naive, code'],
  ['\u0000\ud800<script>', 'script'],
])('%s', (written, said) => {
  expect(spokenText(written)).toBe(said);
});

test('reads hostile texts in time', () => {
  const began = performance.now();
  for (const sign of ['a.', 'A.', '1,', '(', 'http://', 'a@', '.a', '- ', 'é', 'ͤ'])
    expect(typeof spokenText(sign.repeat(10_000))).toBe('string');
  expect(performance.now() - began).toBeLessThan(20_000);
});

test('makes the model’s phonemes, with stress before vowels and none on small words', () => {
  const toPhonemes = loadPhonemes();
  expect(toPhonemes('The world judged a church, toyed with cows, and made boats.', 'en-US')).toBe(
    'ðə wˈɜɹld ʤˈʌʤd ə ʧˈɜɹʧ, tˈYd wɪð kˈWz, ənd mˈAd bˈOts.',
  );
  expect(toPhonemes('The doctor and the car', 'en-GB')).toContain('kˈɑː');
});
