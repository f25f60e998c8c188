import { expect, test } from 'vitest';
import { pagesOf, partsOf, pickPages } from './pages.ts';

const block = (text: string, page: number | null = null, type = 'paragraph') => ({ type, text, page });

test("returns the document's pages, with headings and code as Markdown", () => {
  const blocks = [block('Title', 1, 'heading'), block('One', 1), block('a`b```c', 3, 'code')];
  const pages = pagesOf({ title: null, pageCount: 3, warnings: [], blocks });
  expect(pages).toEqual(['# Title\n\nOne', '', '````\na`b```c\n````']);
});

test('texts without pages are cut between paragraphs, and long paragraphs within', () => {
  expect(partsOf(['a', 'b'])).toEqual(['a\n\nb']);
  const parts = partsOf(['x'.repeat(7_000), 'y'.repeat(2_000), 'z'.repeat(20_000)]);
  expect(parts.map(({ length }) => length)).toEqual([7_000, 2_000, 8_000, 8_000, 4_000]);
});

test.each([
  [undefined, 'Pages 1-3 of 3.'],
  ['2', 'Pages 2-2 of 3. More: pages 3-3.'],
  ['2-9', 'Pages 2-3 of 3.'],
  ['0', null],
  ['4', null],
  ['3-2', null],
  ['1,3', null],
  ['all', null],
])('of three pages, %s is %s', (range, where) => {
  expect(pickPages(['a', 'b', 'c'], range)?.where ?? null).toBe(where);
});

test('a result contains as many pages as fit, and at least one', () => {
  const picked = pickPages(['x'.repeat(30_000), 'y'.repeat(30_000), 'z'], undefined);
  expect(picked?.where).toBe('Pages 1-1 of 3. More: pages 2-3.');
});
