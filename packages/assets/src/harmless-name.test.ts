import { expect, test } from 'vitest';
import { harmlessName } from './harmless-name.ts';

test.each([
  [null, null],
  ['photo.png', 'photo.png'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\ada\\cv.pdf', 'cv.pdf'],
  ['folder/', null],
  ['..', null],
  ['.htaccess', 'htaccess'],
  ['a\r\nSet-Cookie: x=1.png', 'aSet-Cookie_ x=1.png'],
  ['\0\u0001', null],
  ['exe\u202Egnp.exe', 'exegnp.exe'],
  ['"><script>.svg', '___script_.svg'],
  ['e\u0301te\u0301.txt', 'été.txt'],
  ['half \ud800 pair', 'half \ufffd pair'],
  ['  北京.jpg ', '北京.jpg'],
])('%j is called %j', (given, expected) => {
  expect(harmlessName(given)).toBe(expected);
});

test('a long name keeps its ending, and whole characters', () => {
  const name = harmlessName(`${'😀'.repeat(300)}.jpeg`);
  expect(name).toMatch(/^😀+\.jpeg$/u);
  expect(Buffer.byteLength(name ?? '')).toBeLessThanOrEqual(255);
  expect(Buffer.byteLength(harmlessName(`x.${'y'.repeat(100_000)}`) ?? '')).toBe(255);
});
