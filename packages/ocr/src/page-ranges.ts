import { ChorusError } from '@chorus/contract/errors';

/**
 * Parses ranges such as `1-3,7` into sorted, unique page numbers. Null: all pages.
 *
 * @throws {ChorusError} invalid_request if the file has none of these pages
 */
export function parsePageRanges(text: string | null, pageCount: number): number[] {
  if (text === null) return numbersOf(1, pageCount);
  const named = new Set<number>();
  for (const part of text.split(',')) {
    const [first = 0, last = first] = part.split('-').map(Number);
    for (const number of numbersOf(Math.max(1, first), Math.min(last, pageCount))) named.add(number);
  }
  if (named.size === 0)
    throw new ChorusError(
      'invalid_request',
      `The file has ${pageCount} ${pageCount === 1 ? 'page' : 'pages'}; ${text} contains none of them.`,
    );
  return [...named].sort((a, b) => a - b);
}

const numbersOf = (first: number, last: number) =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);

/** Formats page numbers as ranges such as `1-3,7`. Null if there are none. */
export function formatPageRanges(pages: readonly number[]): string | null {
  const ranges: [number, number][] = [];
  for (const page of pages) {
    const last = ranges.at(-1);
    if (last?.[1] === page - 1) last[1] = page;
    else ranges.push([page, page]);
  }
  return ranges.length === 0
    ? null
    : ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}
