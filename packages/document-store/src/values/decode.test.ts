import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
} from 'bson';
import { describe, expect, test } from 'vitest';
import { compileFilter } from '../query/matcher.ts';
import { compileUpdate } from '../update/update.ts';
import { encode } from './codec.ts';
import { decode, decodeForInsert } from './decode.ts';

const everyType: [string, unknown][] = [
  ['double', new Double(1)],
  ['string', 'text \u{1F600}\0'],
  ['object', { a: { b: [] } }],
  ['array', [new Int32(1), ['x'], { 5: 'a', b: null }]],
  ['binary', new Binary(Buffer.from('abc'), 5)],
  ['id', new ObjectId()],
  ['bool', true],
  ['date', new Date(-5)],
  ['null', null],
  ['regex', new BSONRegExp('a.b', 'ix')],
  ['code', new Code('x')],
  ['scoped', new Code('x', { a: 1 })],
  ['symbol', new BSONSymbol('s')],
  ['int', new Int32(-1)],
  ['timestamp', new Timestamp({ t: 5, i: 6 })],
  ['long', Long.fromString('9007199254740993')],
  ['decimal', Decimal128.fromString('1.50')],
  ['min', new MinKey()],
  ['max', new MaxKey()],
];

describe('decode', () => {
  test.each<[string, Map<string, unknown>]>([
    ['every type', new Map(everyType)],
    ['every type after a numeric name', new Map([['x', 1], ['2', 2], ...everyType] as [string, unknown][])],
    [
      'unordered numeric names',
      new Map<string, unknown>([
        ['_id', 1],
        ['10', 'a'],
        ['9', 'b'],
        [
          'x',
          new Map([
            ['1', 1],
            ['0', 2],
          ]),
        ],
      ]),
    ],
    [
      'numeric names in an element',
      new Map([
        [
          'a',
          [
            new Map([
              ['b', 1],
              ['0', 2],
            ]),
          ],
        ],
      ]),
    ],
    [
      'a _bsontype',
      new Map([
        [
          'a',
          new Map([
            ['_bsontype', 'ObjectId'],
            ['id', 'x'],
          ]),
        ],
      ]),
    ],
    ['__proto__', new Map([['__proto__', new Map([['x', 1]])]])],
    [
      'a reference with more fields',
      new Map([
        [
          'a',
          new Map<string, unknown>([
            ['$ref', 'x'],
            ['more', 1],
            ['$id', 2],
          ]),
        ],
      ]),
    ],
    ['nothing', new Map()],
  ])('encodes to the same bytes: %s', (_name, document) => {
    const bytes = serialize(document);
    expect(Buffer.from(serialize(decode(bytes))).toString('hex')).toBe(Buffer.from(bytes).toString('hex'));
  });

  test('returns plain objects whenever possible', () => {
    expect(decode(serialize({ a: { b: 1 }, c: [{ d: 2 }] }))).toEqual({
      a: { b: new Int32(1) },
      c: [{ d: new Int32(2) }],
    });
  });

  test('reads a part of a larger buffer', () => {
    const bytes = Buffer.from(
      serialize(
        new Map([
          ['b', 1],
          ['0', 2],
        ]),
      ),
    );
    const larger = Buffer.concat([Buffer.alloc(7), bytes, Buffer.alloc(7)]);
    expect([...(decode(larger.subarray(7, 7 + bytes.length)) as unknown as Map<string, unknown>).keys()]).toEqual([
      'b',
      '0',
    ]);
  });

  test('keeps the order of fields that an update does not touch', () => {
    const bytes = serialize(
      new Map<string, unknown>([
        ['_id', 1],
        ['2', 'a'],
        [
          '1',
          new Map([
            ['z', 1],
            ['0', 2],
          ]),
        ],
      ]),
    );
    const { doc } = compileUpdate({ $set: { '1.z': new Int32(5), 0: 'new' } }).apply(decode(bytes), {
      isInsert: false,
    });
    const expected = new Map<string, unknown>([
      ['_id', 1],
      ['2', 'a'],
      [
        '1',
        new Map([
          ['z', 5],
          ['0', 2],
        ]),
      ],
      ['0', 'new'],
    ]);
    expect(Buffer.from(serialize(doc)).toString('hex')).toBe(Buffer.from(serialize(expected)).toString('hex'));
    expect(compileFilter({ '1.0': new Int32(2) })(doc)).toBe(true);
  });

  test('rejects malformed bytes and documents that are nested too deeply', () => {
    const nested = (depth: number): Document => {
      let document: Document = {};
      for (let level = 1; level < depth; level += 1) document = { a: document };
      return document;
    };
    expect(decode(serialize(nested(200)))).toBeDefined();
    expect(() => decode(serialize(nested(201)))).toThrow(expect.objectContaining({ code: 15 }));
    // Deeper than any stack, with eight bytes per level.
    const levels = 200_000;
    const bytes = Buffer.alloc(levels * 8 + 5);
    for (let level = 0; level < levels; level += 1) {
      bytes.writeInt32LE(bytes.length - level * 8, level * 7);
      bytes.write('\x03a\0', level * 7 + 4, 'latin1');
    }
    bytes.writeInt32LE(5 + levels, levels * 7);
    expect(() => decode(bytes)).toThrow();
    expect(() => decode(Buffer.of(9, 0, 0, 0, 99))).toThrow();
  });
});

describe('decodeToStore', () => {
  const fields = (...names: string[]) => new Map(names.map((name, at) => [name, new Int32(at)]));
  test.each([[['_id', 'a', 'b']], [['a', '_id', 'b']], [['a', 'b', '_id']], [['1', '_id', '0']]])(
    'puts _id first: %j',
    (names) => {
      const { document, bytes } = decodeForInsert(encode(fields(...names)));
      expect(document).toEqual(decode(encode(fields(...names))));
      const others = names
        .filter((name) => name !== '_id')
        .map((name) => [name, new Int32(names.indexOf(name))] as const);
      const inOrder = new Map([['_id', new Int32(names.indexOf('_id'))], ...others]);
      expect(Buffer.from(bytes)).toEqual(Buffer.from(encode(inOrder)));
    },
  );

  test('leaves documents without an _id, or with several, unchanged', () => {
    const twice = Buffer.from(encode(fields('xid', 'a', '_id')));
    twice.write('_id', twice.indexOf('xid'));
    for (const bytes of [encode(fields('a', 'b')), encode(new Map([['a', fields('_id')]])), twice]) {
      expect(decodeForInsert(bytes).bytes).toBe(bytes);
    }
  });
});

test('converts a DBPointer to a reference document', () => {
  const id = new ObjectId();
  const pointer = Buffer.concat([Buffer.from('\0\0\0\0\x0cp\0\x02\0\0\0c\0', 'latin1'), id.id, Buffer.of(0)]);
  pointer.writeInt32LE(pointer.length);
  expect(decode(pointer)).toEqual({ p: { $ref: 'c', $id: id } });
});
