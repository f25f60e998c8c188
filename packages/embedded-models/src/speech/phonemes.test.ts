import { expect, test } from 'vitest';
import { loadPhonemes } from './phonemes.ts';

const toPhonemes = loadPhonemes();

test('produces the model’s phonemes, with stress before vowels and none on small words', () => {
  expect(toPhonemes('The world judged a church, toyed with cows, and made boats.', 'en-US')).toBe(
    'ðə wˈɜɹld ʤˈʌʤd ə ʧˈɜɹʧ, tˈYd wɪð kˈWz, ænd mˈAd bˈOts.',
  );
  expect(toPhonemes('The doctor and the car', 'en-GB')).toContain('kˈɑː');
});

test('spells out letters, and stresses the last one', () => {
  expect(toPhonemes("The U S A's F B I", 'en-US')).toBe('ðə jˌu ˌɛs ˈAz ˌɛf bˌi ˈI');
  expect(toPhonemes('A dog. Plan B.', 'en-US')).toBe('ə dˈɑɡ. plˈæn bˈi.');
});

test('corrects words that the package mispronounces', () => {
  expect(toPhonemes("I don't know four or two, for seventeen dot com.", 'en-US')).toBe(
    'ˈI dˈOnt nˈO fˈɔɹ ɔɹ tˈu, fɔɹ sˌɛvəntˈin dˈɑt kˈɑm.',
  );
  expect(toPhonemes("Don't: fourteen", 'en-GB')).toBe('dˈQnt: fɔːtˈin');
});
