import { expect, test } from 'vitest';
import { sanitizeFilename } from './sanitize-filename.ts';

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
])('%j becomes %j', (given, expected) => {
  expect(sanitizeFilename(given)).toBe(expected);
});

test('shortens a long name, but keeps its extension and whole characters', () => {
  const name = sanitizeFilename(`${'😀'.repeat(300)}.jpeg`);
  expect(name).toMatch(/^😀+\.jpeg$/u);
  expect(Buffer.byteLength(name ?? '')).toBeLessThanOrEqual(255);
  expect(Buffer.byteLength(sanitizeFilename(`x.${'y'.repeat(100_000)}`) ?? '')).toBe(255);
});
