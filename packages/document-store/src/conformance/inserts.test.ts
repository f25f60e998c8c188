import { Binary, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { type Records, shareWritesFixture, three } from './test-writes.ts';

const { recordsOf, table } = shareWritesFixture();

describe('inserts', () => {
  table([
    ['one', [], (c) => c.insertOne({ _id: 1, x: 1 }), { insertedId: 1 }, [{ _id: 1, x: 1 }]],
    ['many', [], (c) => c.insertMany([{ _id: 2 }, { _id: 1 }]), { insertedCount: 2 }, [{ _id: 2 }, { _id: 1 }]],
    [
      'names with dollar signs and dots, anywhere',
      [],
      (c) => c.insertOne({ _id: 1, $a: 1, 'b.c': { $d: 1, 'e.f': [{ $g: 1 }] }, h: { $db: 'x' } }),
      { acknowledged: true },
      [{ _id: 1, $a: 1, 'b.c': { $d: 1, 'e.f': [{ $g: 1 }] }, h: { $db: 'x' } }],
    ],
    ['an _id with a dot inside', [], (c) => c.insertOne({ _id: { 'a.b': 1 } as never }), {}, [{ _id: { 'a.b': 1 } }]],
    ['an _id with a dollar sign inside', [], (c) => c.insertOne({ _id: { $a: 1 } as never }), 52],
    ['an _id with a dollar sign deep inside', [], (c) => c.insertOne({ _id: { a: [{ $b: 1 }] } as never }), 52],
    ['an array as _id', [], (c) => c.insertOne({ _id: [1] as never }), 53],
    ['a regular expression as _id', [], (c) => c.insertOne({ _id: /a/ as never }), 53],
    [
      'a duplicate _id with a different number type',
      three,
      (c) => c.insertOne({ _id: Long.fromInt(1) as never }),
      11000,
    ],
    [
      'ordered, up to the first error',
      three,
      (c) => c.insertMany([{ _id: 4 }, { _id: 1 }, { _id: 5 }]),
      11000,
      [...three, { _id: 4 }],
    ],
    [
      'unordered, all but the failing ones',
      three,
      (c) => c.insertMany([{ _id: 1 }, { _id: 4 }, { _id: [1] as never }, { _id: 5 }], { ordered: false }),
      11000,
      [...three, { _id: 4 }, { _id: 5 }],
    ],
  ]);

  test.each<[string, unknown]>([
    ['null', null],
    ['int', 1],
    ['double', 1.5],
    ['long', Long.fromString('9007199254740993')],
    ['decimal', Decimal128.fromString('1.5')],
    ['string', 'a'],
    ['object', { a: { b: 1 } }],
    ['binary', new Binary(Buffer.from('a'))],
    ['object id', new ObjectId()],
    ['bool', false],
    ['date', new Date(0)],
    ['timestamp', new Timestamp({ t: 1, i: 2 })],
    ['MinKey', new MinKey()],
    ['MaxKey', new MaxKey()],
  ])('every way to insert accepts an _id that is a %s', async (_type, value) => {
    const _id = value as number;
    const ways: ((c: Records) => Promise<unknown>)[] = [
      (c) => c.insertOne({ _id }, { forceServerObjectId: true }),
      (c) => c.updateOne({ _id }, { $set: { a: 1 } }, { upsert: true }),
      (c) => c.updateOne({}, { $set: { _id } }, { upsert: true }),
      (c) => c.updateOne({}, { $setOnInsert: { _id } }, { upsert: true }),
      (c) => c.replaceOne({ _id }, { a: 1 }, { upsert: true }),
      (c) => c.replaceOne({}, { _id, a: 1 }, { upsert: true }),
      (c) => c.findOneAndUpdate({ _id }, { $set: { a: 1 } }, { upsert: true }),
      (c) => c.updateOne({ _id }, [{ $set: { a: 1 } }], { upsert: true }),
      (c) => c.bulkWrite([{ updateOne: { filter: { _id }, update: { $set: { a: 1 } }, upsert: true } }]),
    ];
    for (const way of ways) {
      const records = await recordsOf([]);
      await way(records);
      expect((await records.find({}, { promoteLongs: false }).toArray()).map((record) => record._id)).toEqual([_id]);
      await expect(records.insertOne({ _id }, { forceServerObjectId: true })).rejects.toMatchObject({
        code: 11000,
        keyPattern: { _id: 1 },
      });
    }
  });
});
