import { expect, test } from 'vitest';
import { countOf, hashOf, PostingsBuilder, rowOf } from './packed-postings.ts';

/** Rows with terms of any script. A few terms are in many rows, and most are in few. */
const rows = Array.from({ length: 400 }, (_, row) =>
  [
    `term${row % 7}`,
    ...Array.from({ length: row % 40 }, (_, at) => `w${(row * 31 + at * at) % 3_000}`),
    ...(row % 3 === 0 ? ['größe', '東京', '𝒳'] : []),
    ...(row === 5 ? Array<string>(300).fill('often') : []),
  ].join(' '),
);

function add(builder: PostingsBuilder): void {
  const encoder = new TextEncoder();
  for (const [row, terms] of rows.entries()) {
    const bytes = encoder.encode(`before ${terms} after`);
    expect(builder.add(row, bytes, 7, bytes.length - 6)).toBe(terms.split(' ').length);
  }
}

test('finds only the rows and counts of each term, even with reused memory', () => {
  const expected = new Map<string, Map<number, number>>();
  for (const [row, terms] of rows.entries()) {
    for (const term of terms.split(' ')) {
      const counts = expected.get(term) ?? new Map<number, number>();
      expected.set(term, counts.set(row, Math.min(255, (counts.get(row) ?? 0) + 1)));
    }
  }
  expect(expected.size).toBeGreaterThan(1_024);
  const builder = new PostingsBuilder();
  for (let time = 0; time < 2; time += 1) {
    builder.clear();
    add(builder);
    const postings = builder.build();
    for (const [term, counts] of expected) {
      const found = Array.from(postings.find(hashOf(term)), (posting) => [rowOf(posting), countOf(posting)]);
      expect(found).toEqual([...counts]);
    }
    for (const term of ['', 'before', 'after', 'w3000', 'often often'])
      expect(postings.find(hashOf(term))).toHaveLength(0);
  }
});

test('finds nothing without terms', () => {
  const builder = new PostingsBuilder();
  expect(builder.add(0, new Uint8Array(0), 0, 0)).toBe(1);
  expect(builder.build().find(hashOf('fox'))).toHaveLength(0);
});
