import { expect, test } from 'vitest';
import { formatPageRanges, parsePageRanges } from './page-ranges.ts';

test.each<[string | null, number, number[]]>([
  [null, 3, [1, 2, 3]],
  ['2', 3, [2]],
  ['3,1-2,2', 3, [1, 2, 3]],
  [' 2 - 99999 ', 4, [2, 3, 4]],
  ['0-1', 4, [1]],
  ['3-2,4', 4, [4]],
])('parses %s of %i pages', (text, count, pages) => {
  expect(parsePageRanges(text, count)).toEqual(pages);
});

test('rejects ranges that contain no page of the file', () => {
  expect(() => parsePageRanges('7-9', 1)).toThrow('The file has 1 page; 7-9 contains none of them.');
});

test('joins consecutive pages into ranges', () => {
  expect(formatPageRanges([1, 2, 3, 7, 9, 10])).toBe('1-3,7,9-10');
  expect(formatPageRanges([])).toBeNull();
});
