import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import { extractIndexKeys } from './index-keys.ts';

const fields = (...paths: string[]) => paths.map((path) => ({ path, direction: 1 as const }));

describe('extractIndexKeys', () => {
  test.each<[string, Document, string[], unknown[][], boolean, boolean]>([
    ['a scalar', { a: 1 }, ['a'], [[1]], false, false],
    ['a missing field', {}, ['a'], [[null]], false, true],
    ['null is not missing', { a: null }, ['a'], [[null]], false, false],
    ['an array', { a: [1, 2] }, ['a'], [[1], [2]], true, false],
    ['an empty array', { a: [] }, ['a'], [[undefined]], true, false],
    ['an array in an array', { a: [[1, 2]] }, ['a'], [[[1, 2]]], true, false],
    ['a dotted path', { a: { b: 1 } }, ['a.b'], [[1]], false, false],
    ['a dotted path through a scalar', { a: 5 }, ['a.b'], [[null]], false, true],
    ['documents in an array', { a: [{ b: 1 }, { b: 2 }, {}] }, ['a.b'], [[1], [2], [null]], true, false],
    ['scalars in an array, with a path into them', { a: [1] }, ['a.b'], [[null]], true, true],
    ['an empty array on the path', { a: [] }, ['a.b'], [[null]], true, true],
    ['arrays in documents in an array', { a: [{ b: [1, 2] }, { b: 3 }] }, ['a.b'], [[1], [2], [3]], true, false],
    ['arrays directly in an array', { a: [[{ b: 1 }]] }, ['a.b'], [[null]], true, true],
    ['an index in the path', { a: [[7], 8] }, ['a.1'], [[8]], false, false],
    ['an index in the path, of an array', { a: [[7, 9], 8] }, ['a.0'], [[[7, 9]]], false, false],
    ['an index and on', { a: [{ b: 1 }, { b: 2 }] }, ['a.1.b'], [[2]], false, false],
    ['an index beyond the end', { a: [{ b: 1 }] }, ['a.5'], [[null]], true, true],
    ['two fields', { a: 1, b: 2 }, ['a', 'b'], [[1, 2]], false, false],
    ['one field missing of two', { a: 1 }, ['a', 'b'], [[1, null]], false, false],
    [
      'an array and a scalar',
      { a: [1, 2], b: 3 },
      ['b', 'a'],
      [
        [3, 1],
        [3, 2],
      ],
      true,
      false,
    ],
    [
      'one array by two paths',
      { a: [{ b: 1, c: 2 }, { b: 3 }] },
      ['a.b', 'a.c'],
      [
        [1, 2],
        [3, null],
      ],
      true,
      false,
    ],
    ['an empty array beside a scalar', { a: [], b: 1 }, ['a', 'b'], [[undefined, 1]], true, false],
    ['an array as a whole and into it', { a: [{ b: 1 }] }, ['a', 'a.b'], [[{ b: 1 }, 1]], true, false],
    ['a name of Object.prototype', { a: 1 }, ['constructor', '__proto__'], [[null, null]], false, true],
  ])('%s', (_name, document, paths, keys, multikey, missing) => {
    expect(extractIndexKeys(document, fields(...paths))).toEqual({ keys, multikey, missing });
  });

  test('reads an own field called __proto__', () => {
    expect(extractIndexKeys(JSON.parse('{"__proto__": {"x": 1}}'), fields('__proto__.x')).keys).toEqual([[1]]);
  });

  test('omits keys without any field from a sparse index', () => {
    expect(extractIndexKeys({}, fields('a'), true)).toEqual({ keys: [], multikey: false, missing: true });
    expect(extractIndexKeys({ a: [{ b: 1 }, {}] }, fields('a.b'), true).keys).toEqual([[1]]);
    expect(extractIndexKeys({ a: null }, fields('a'), true).keys).toEqual([[null]]);
    expect(extractIndexKeys({ a: [] }, fields('a'), true).keys).toEqual([[undefined]]);
    expect(extractIndexKeys({ b: 1 }, fields('a', 'b'), true).keys).toEqual([[null, 1]]);
  });

  test('rejects parallel arrays', () => {
    expect(() => extractIndexKeys({ a: [1], b: [2] }, fields('a', 'b'))).toThrow(
      expect.objectContaining({ code: 171, message: 'cannot index parallel arrays [b] [a]' }),
    );
    expect(() => extractIndexKeys({ a: [{ b: [1], c: [2] }] }, fields('a.b', 'a.c'))).toThrow(
      expect.objectContaining({ code: 171 }),
    );
  });

  test('rejects a number that could be an element or a field', () => {
    expect(() => extractIndexKeys({ a: [{ 0: 1 }] }, fields('a.0'))).toThrow(expect.objectContaining({ code: 16746 }));
  });
});
