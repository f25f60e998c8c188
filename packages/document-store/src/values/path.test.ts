import { type Document, ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { copyFields, fieldNames, getField, isArrayIndex, isFields, removeField, setField } from './fields.ts';
import { compilePath, readPath, visitPath } from './path.ts';

function visited(document: Document, path: string, leafArrays: boolean): [unknown, number | undefined][] {
  const values: [unknown, number | undefined][] = [];
  visitPath(document, compilePath(path), leafArrays, (value, index) => {
    values.push([value, index]);
    return false;
  });
  return values;
}

describe('visitPath', () => {
  test.each<[Document, string, [unknown, number | undefined][]]>([
    [{ a: 5 }, 'a', [[5, undefined]]],
    [{}, 'a', [[undefined, undefined]]],
    [{ a: { b: 5 } }, 'a.b', [[5, undefined]]],
    [{ a: 5 }, 'a.b', [[undefined, undefined]]],
    [
      { a: [5, 7] },
      'a',
      [
        [5, 0],
        [7, 1],
        [[5, 7], undefined],
      ],
    ],
    [{ a: [] }, 'a', [[[], undefined]]],
    [{ a: [] }, 'a.b', []],
    [{ a: [1] }, 'a.b', []],
    [
      { a: [{ b: 5 }, 3, {}] },
      'a.b',
      [
        [5, 0],
        [undefined, 2],
      ],
    ],
    [
      { a: [{ b: [5] }] },
      'a.b',
      [
        [5, 0],
        [[5], 0],
      ],
    ],
    [{ a: [[{ b: 5 }]] }, 'a.b', []],
    [{ a: [[{ b: 5 }]] }, 'a.0.b', [[5, 0]]],
    [{ a: [5, 7, 3] }, 'a.1', [[7, undefined]]],
    [{ a: [5, [2, 4], 3] }, 'a.1', [[[2, 4], undefined]]],
    [
      { a: [5, { 1: 4 }, 3] },
      'a.1',
      [
        [4, 1],
        [{ 1: 4 }, undefined],
      ],
    ],
    [
      { a: [5, { b: 4 }, 3] },
      'a.1.b',
      [
        [undefined, 1],
        [4, undefined],
      ],
    ],
    [{ a: [5] }, 'a.01', []],
  ])('%j at %s', (document, path, expected) => {
    expect(visited(document, path, true)).toEqual(expected);
  });

  test('visits an array at the end only as a whole without leafArrays', () => {
    expect(visited({ a: [5, 7] }, 'a', false)).toEqual([[[5, 7], undefined]]);
    expect(visited({ a: [{ b: [5] }] }, 'a.b', false)).toEqual([[[5], 0]]);
  });

  test('stops at the first true', () => {
    let count = 0;
    const stop = () => {
      count += 1;
      return true;
    };
    expect(visitPath({ a: [1, 2, 3] }, compilePath('a'), true, stop)).toBe(true);
    expect(count).toBe(1);
  });
});

describe('fields', () => {
  test('readPath descends only through documents', () => {
    expect(readPath({ a: { b: 1 } }, compilePath('a.b'))).toBe(1);
    expect(readPath({ a: [{ b: 1 }] }, compilePath('a.b'))).toBeUndefined();
    expect(readPath({}, compilePath('constructor.name'))).toBeUndefined();
  });

  test('distinguishes documents from other values', () => {
    for (const value of [{}, new Map(), Object.create(null)]) {
      expect(isFields(value)).toBe(true);
    }
    for (const value of [null, undefined, [], 'x', 1, new Date(), new ObjectId(), /x/, Buffer.of(1)]) {
      expect(isFields(value)).toBe(false);
    }
  });

  test('sets __proto__ as a field, without touching the prototype', () => {
    const document = setField({}, '__proto__', { admin: true });
    expect(getField(document, '__proto__')).toEqual({ admin: true });
    expect(getField(document, 'admin')).toBeUndefined();
    expect(Object.getPrototypeOf(document)).toBe(Object.prototype);
    const copy = copyFields(document);
    expect(fieldNames(copy)).toEqual(['__proto__']);
    removeField(copy, '__proto__');
    expect(getField(copy, '__proto__')).toBeUndefined();
    expect(getField({}, 'toString')).toBeUndefined();
    expect(getField(setField({}, 'toString', 1), 'toString')).toBe(1);
  });

  test('keeps the order of numeric names, with a Map only if necessary', () => {
    const ascending = setField(setField({}, '1', 'a'), '2', 'b');
    expect(ascending).not.toBeInstanceOf(Map);
    const descending = setField(ascending, '0', 'c');
    expect(fieldNames(descending)).toEqual(['1', '2', '0']);
    expect(fieldNames(setField({ a: 1 }, '0', 2))).toEqual(['a', '0']);
    expect(getField(descending, '0')).toBe('c');
    const copy = copyFields(descending);
    removeField(copy, '1');
    expect(fieldNames(copy)).toEqual(['2', '0']);
    expect(fieldNames(descending)).toEqual(['1', '2', '0']);
  });

  test.each([
    ['0', true],
    ['10', true],
    ['01', false],
    ['', false],
    ['-1', false],
    ['1a', false],
    ['99999999999', false],
  ])('isArrayIndex(%j) is %s', (name, expected) => {
    expect(isArrayIndex(name)).toBe(expected);
  });
});
