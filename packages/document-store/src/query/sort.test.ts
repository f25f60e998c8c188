import { type Document, Double, Int32 } from 'bson';
import { describe, expect, test } from 'vitest';
import { compileSort } from './sort.ts';

const sorted = (specification: Document, documents: Document[]) => documents.toSorted(compileSort(specification));

describe('compileSort', () => {
  test.each<[string, Document, Document[]]>([
    ['ascending', { a: 1 }, [{ a: null }, { a: 1 }, { a: 2 }, { a: 'x' }]],
    ['descending', { a: -1 }, [{ a: 'x' }, { a: 2 }, { a: 1 }, { a: null }]],
    ['a direction as double or long', { a: new Double(-1) }, [{ a: 2 }, { a: 1 }]],
    ['empty arrays, missing fields, values', { a: 1 }, [{ a: [] }, {}, { a: 0 }]],
    ['arrays by their lowest', { a: 1 }, [{ a: [1, 9] }, { a: 2 }, { a: [5, 3] }]],
    ['arrays by their highest', { a: -1 }, [{ a: [1, 9] }, { a: [5, 3] }, { a: 2 }]],
    [
      'two fields',
      { a: 1, b: -1 },
      [
        { a: 1, b: 2 },
        { a: 1, b: 1 },
        { a: 2, b: 9 },
      ],
    ],
    ['a dotted path', { 'a.b': 1 }, [{ a: {} }, { a: { b: 1 } }, { a: [{ b: 2 }, { b: 7 }] }, { a: { b: 3 } }]],
    [
      'compound keys of one array',
      { 'a.b': 1, 'a.c': 1 },
      [
        {
          a: [
            { b: 1, c: 5 },
            { b: 2, c: 0 },
          ],
        },
        { a: [{ b: 1, c: 6 }] },
      ],
    ],
  ])('%s', (_name, specification, documents) => {
    expect(sorted(specification, documents.toReversed())).toEqual(documents);
  });

  test('is stable and provides sort keys', () => {
    const compare = compileSort({ a: 1 });
    const documents = [
      { a: 1, n: 1 },
      { a: new Int32(1), n: 2 },
      { a: new Double(1), n: 3 },
    ];
    expect(documents.toSorted(compare)).toEqual(documents);
    expect(compare.key({ a: [3, 2] })).toEqual([2]);
    expect(compare.compareKeys([1], [2])).toBeLessThan(0);
  });

  test('rejects other directions, empty names, and parallel arrays', () => {
    for (const direction of [0, 2, 1.5]) {
      expect(() => compileSort({ a: direction })).toThrow(expect.objectContaining({ code: 15975 }));
    }
    for (const direction of ['asc', null, true]) {
      expect(() => compileSort({ a: direction })).toThrow(expect.objectContaining({ code: 15974 }));
    }
    expect(() => compileSort({ '': 1 })).toThrow(expect.objectContaining({ code: 40352 }));
    expect(() => compileSort({ a: { $meta: 'textScore' } })).toThrow(expect.objectContaining({ code: 40218 }));
    expect(() => sorted({ a: 1, b: 1 }, [{ a: [1], b: [1] }, {}])).toThrow(expect.objectContaining({ code: 2 }));
  });
});
