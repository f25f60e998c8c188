import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import { encode } from '../values/codec.ts';
import { decode } from '../values/decode.ts';
import { compileProjection } from './project.ts';

const stored = (document: Document) => decode(encode(document));
/** Compares bytes, since types and field order count. */
const text = (document: Document) => Buffer.from(encode(document)).toString('latin1');

const document = {
  _id: 1,
  a: 1,
  b: { c: 2, d: { e: 3, f: 4 } },
  l: [1, 2, 3, 4],
  m: [{ x: 1, y: 1 }, { x: 2, y: 2 }, 5, [{ x: 3, y: 3 }]],
};

describe('compileProjection', () => {
  test.each<[string, Document, Document]>([
    ['nothing', {}, document],
    ['inclusion', { a: 1 }, { _id: 1, a: 1 }],
    ['inclusion by true and other numbers', { a: true, l: 2.5 }, { _id: 1, a: 1, l: [1, 2, 3, 4] }],
    ['inclusion without _id', { a: 1, _id: 0 }, { a: 1 }],
    ['only _id', { _id: 1 }, { _id: 1 }],
    ['in the order of the document', { l: 1, a: 1 }, { _id: 1, a: 1, l: [1, 2, 3, 4] }],
    ['missing field', { nope: 1, 'a.b': 1 }, { _id: 1 }],
    ['dotted path', { 'b.d.e': 1 }, { _id: 1, b: { d: { e: 3 } } }],
    ['nested document', { b: { c: 1, d: { f: 1 } } }, { _id: 1, b: { c: 2, d: { f: 4 } } }],
    ['path through an array', { 'm.x': 1 }, { _id: 1, m: [{ x: 1 }, { x: 2 }, [{ x: 3 }]] }],
    ['path into documents without it', { 'b.nope': 1 }, { _id: 1, b: {} }],
    ['exclusion', { a: 0, b: 0, m: false }, { _id: 1, l: [1, 2, 3, 4] }],
    ['exclusion of _id', { _id: 0, b: 0, m: 0 }, { a: 1, l: [1, 2, 3, 4] }],
    ['only without _id', { _id: 0 }, { a: document.a, b: document.b, l: document.l, m: document.m }],
    ['exclusion with _id', { _id: 1, b: 0, m: 0, l: 0 }, { _id: 1, a: 1 }],
    ['exclusion of a path', { 'b.d.e': 0, m: 0, l: 0 }, { _id: 1, a: 1, b: { c: 2, d: { f: 4 } } }],
    ['exclusion in an array', { 'm.x': 0, a: 0, b: 0, l: 0 }, { _id: 1, m: [{ y: 1 }, { y: 2 }, 5, [{ y: 3 }]] }],
    ['$slice leaves the rest', { l: { $slice: 2 }, m: 0, b: 0 }, { _id: 1, a: 1, l: [1, 2] }],
    ['$slice alone is an exclusion', { l: { $slice: -1 } }, { ...document, l: [4] }],
    ['$slice with skip', { a: 1, l: { $slice: [1, 2] } }, { _id: 1, a: 1, l: [2, 3] }],
    ['$slice from the end', { _id: 1, l: { $slice: [-3, 2] } }, { _id: 1, l: [2, 3] }],
    ['$slice beyond the start', { a: 1, l: { $slice: [-9, 2] } }, { _id: 1, a: 1, l: [1, 2] }],
    ['$slice of none', { a: 1, l: { $slice: 0 } }, { _id: 1, a: 1, l: [] }],
    ['$slice of a scalar', { a: { $slice: 1 }, b: 0, l: 0, m: 0 }, { _id: 1, a: 1 }],
    ['$elemMatch', { m: { $elemMatch: { x: 2 } } }, { _id: 1, m: [{ x: 2, y: 2 }] }],
    ['$elemMatch of values', { a: 1, l: { $elemMatch: { $gt: 2 } } }, { _id: 1, a: 1, l: [3] }],
    ['$elemMatch without match', { l: { $elemMatch: { $gt: 9 } } }, { _id: 1 }],
    ['$elemMatch of a scalar', { a: { $elemMatch: { $gt: 0 } }, l: 1 }, { _id: 1, l: [1, 2, 3, 4] }],
    ['a constant', { a: 1, z: 'text' }, { _id: 1, a: 1, z: 'text' }],
    ['a value from another field', { a: 1, z: '$b.c' }, { _id: 1, a: 1, z: 2 }],
    ['an expression', { total: { $add: ['$a', '$b.c'] } }, { _id: 1, total: 3 }],
    ['an expression in a branch', { b: { d: 1, z: { $size: '$l' } } }, { _id: 1, b: { d: { e: 3, f: 4 }, z: 4 } }],
    ['a computed branch', { _id: 0, 'n.o': '$a' }, { n: { o: 1 } }],
    ['the expression $slice', { l: { $slice: ['$l', 1, 2] } }, { _id: 1, l: [2, 3] }],
    ['a literal', { _id: 0, z: { $literal: 1 } }, { z: 1 }],
    ['a name of Object.prototype', { constructor: 1, a: 1 }, { _id: 1, a: 1 }],
  ])('%s', (_name, specification, expected) => {
    const before = stored(document);
    const result = compileProjection(stored(specification))(before);
    expect(text(result)).toBe(text(stored(expected)));
    expect(text(before)).toBe(text(stored(document)));
  });

  test.each<[Document, Document, Document]>([
    [{ 'l.$': 1 }, { l: 3 }, { _id: 1, l: [3] }],
    [{ 'l.$': 1, a: 1 }, { l: { $gt: 1 } }, { _id: 1, a: 1, l: [2] }],
    [{ 'm.$': 1 }, { 'm.x': 2 }, { _id: 1, m: [{ x: 2, y: 2 }] }],
    [{ 'm.$': 1 }, { m: { $elemMatch: { y: 2 } } }, { _id: 1, m: [{ x: 2, y: 2 }] }],
    [{ 'm.x.$': 1 }, { 'm.x': 2 }, { _id: 1, m: [{ x: 2 }] }],
    [{ 'l.$': 1, b: 1 }, { $and: [{ l: 4 }] }, { _id: 1, b: document.b, l: [4] }],
  ])('positional %j with %j', (specification, filter, expected) => {
    expect(text(compileProjection(stored(specification), stored(filter))(stored(document)))).toBe(
      text(stored(expected)),
    );
  });

  test('supports own fields called __proto__', () => {
    const odd = JSON.parse('{"__proto__": {"x": 1, "y": 2}, "a": 1}');
    const result = compileProjection(JSON.parse('{"__proto__.x": true}'))(odd);
    expect(JSON.stringify(result)).toBe('{"__proto__":{"x":1}}');
    expect(JSON.stringify(compileProjection(JSON.parse('{"__proto__": false}'))(odd))).toBe('{"a":1}');
  });

  test.each<[Document, number]>([
    [{ a: 1, b: 0 }, 31254],
    [{ a: 0, b: 1 }, 31253],
    [{ a: { b: 1, c: 0 } }, 31254],
    [{ a: 1, 'a.b': 1 }, 31249],
    [{ 'a.b': 1, a: 1 }, 31250],
    [{ a: { $slice: 'x' } }, 31273],
    [{ a: { $slice: [1] } }, 31272],
    [{ a: { $slice: ['x', 1] } }, 31257],
    [{ a: { $slice: [1, 'x'] } }, 31258],
    [{ a: { $slice: [1, 0] } }, 31259],
    [{ a: { $elemMatch: 1 } }, 31274],
    [{ 'a.b': { $elemMatch: { x: 1 } } }, 31275],
    [{ 'a.$': 1 }, 51050],
    [{ a: {} }, 51270],
    [{ '': 1 }, 40352],
    [{ 'a.': 1 }, 40353],
    [{ 'a..b': 1 }, 15998],
    [{ $a: 1 }, 16410],
    [{ a: { $nonsense: 1 } }, 168],
    [{ a: { $meta: 'textScore' } }, 40218],
    [{ a: 0, b: 'text' }, 31310],
  ])('refuses %j with %d', (specification, code) => {
    expect(() => compileProjection(stored(specification))).toThrow(expect.objectContaining({ code }));
  });

  test.each<[Document, Document, number]>([
    [{ 'a.$': 1 }, { b: 1 }, 31277],
    [{ 'a.$': 1, 'b.$': 1 }, { a: 1, b: 1 }, 31276],
    [{ 'a.$': 1, b: { $elemMatch: { x: 1 } } }, { a: 1 }, 31255],
    [{ b: { $elemMatch: { x: 1 } }, 'a.$': 1 }, { a: 1 }, 31256],
    [{ 'a.$.$': 1 }, { a: 1 }, 31287],
    [{ 'a.$': 1, b: 0 }, { a: 1 }, 31254],
  ])('rejects %j with the query %j', (specification, filter, code) => {
    expect(() => compileProjection(stored(specification), stored(filter))).toThrow(expect.objectContaining({ code }));
  });

  test('fails if the positional operator finds no element', () => {
    const project = compileProjection({ 'l.$': true }, stored({ 'l.0': 1 }));
    expect(() => project(stored(document))).toThrow(expect.objectContaining({ code: 51246 }));
  });
});
