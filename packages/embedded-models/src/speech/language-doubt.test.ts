import { expect, test } from 'vitest';
import { doubtLanguage } from './language-doubt.ts';

const said = (confidence: number, seconds: number, isNoisy = false) => ({
  text: 'words',
  confidence,
  seconds,
  isNoisy,
});

test('doubts guessed speech, more so if it is longer', () => {
  expect(doubtLanguage([said(-0.1, 4)])).toBeNull();
  expect(doubtLanguage([said(-0.4, 4)])).toBeNull();
  expect(doubtLanguage([said(-0.6, 4)])).toBe('unclear');
  expect(doubtLanguage([said(-0.8, 4, true)])).toBe('unclear');
  expect(doubtLanguage([said(-0.9, 4)])).toBe('foreign');
  expect(doubtLanguage([said(-0.9, 1)])).toBe('unclear');
  expect(doubtLanguage([said(-0.6, 0.8)])).toBeNull();
});

test('judges a recording as a whole', () => {
  expect(doubtLanguage([])).toBeNull();
  expect(doubtLanguage([said(-0.1, 20), said(-1.2, 4)])).toBeNull();
  expect(doubtLanguage([said(-0.1, 4), said(-1.2, 20)])).toBe('foreign');
});
