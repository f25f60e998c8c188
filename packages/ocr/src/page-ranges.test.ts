import { expect, test } from 'vitest';
import { formatPageRanges, parsePageRanges } from './page-ranges.ts';

test.each<[string | null, number, number[]]>([
  [null, 3, [1, 2, 3]],
  ['2', 3, [2]],
  ['3,1-2,2', 3, [1, 2, 3]],
  [' 2 - 99999 ', 4, [2, 3, 4]],
  ['0-1', 4, [1]],
  ['3-2,4', 4, [4]],
])('%s of %i pages', (text, count, pages) => {
  expect(parsePageRanges(text, count)).toEqual(pages);
});

test('none of the pages is a mistake of whoever asked', () => {
  expect(() => parsePageRanges('7-9', 1)).toThrow('The file has 1 page, none of which is meant by 7-9.');
});

test('pages that follow each other are one range', () => {
  expect(formatPageRanges([1, 2, 3, 7, 9, 10])).toBe('1-3,7,9-10');
  expect(formatPageRanges([])).toBeNull();
});
