import mongoose, { type Connection, Schema } from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shareTestStore } from '../test-store.ts';

const shared = shareTestStore();
let connection: Connection;
let made = 0;

beforeAll(async () => {
  connection = await mongoose.createConnection(`${shared.store.uri}/mongoose`).asPromise();
});

afterAll(() => connection.close());

function modelOf<Fields>(schema: Schema<Fields>) {
  made += 1;
  return connection.model<Fields>(`M${made}`, schema);
}

describe('saving', () => {
  test('writes only changes, and increments the version when an array was rewritten', async () => {
    const Post = modelOf(new Schema({ title: String, tags: [String], notes: [{ text: String }], meta: {} }));
    const post = await Post.create({ title: 'a', tags: ['x', 'y'], notes: [{ text: '1' }, { text: '2' }] });
    expect(post.__v).toBe(0);
    post.tags.push('z');
    post.notes[1]?.set('text', 'two');
    await post.save();
    expect(post.__v).toBe(1);
    post.tags.pull('x');
    post.set('meta', { deep: { er: [1] } });
    await post.save();
    post.notes.pull(post.notes[0]);
    post.set('title', undefined);
    await post.save();
    const stored = await Post.findById(post._id).lean().orFail();
    expect(stored).toMatchObject({ tags: ['y', 'z'], notes: [{ text: 'two' }], meta: { deep: { er: [1] } }, __v: 3 });
    expect(stored).not.toHaveProperty('title');
  });

  test('lets the first of two writers to an array position win', async () => {
    const Post = modelOf(new Schema({ numbers: [Number] }));
    const { _id } = await Post.create({ numbers: [3, 4, 5] });
    const [one, other] = [await Post.findById(_id).orFail(), await Post.findById(_id).orFail()];
    one.numbers.pull(3);
    other.set('numbers.2', 100);
    await one.save();
    await expect(other.save()).rejects.toThrow(mongoose.Error.VersionError);
    const [third, fourth] = [await Post.findById(_id).orFail(), await Post.findById(_id).orFail()];
    third.numbers.push(6);
    fourth.numbers.push(7);
    await Promise.all([third.save(), fourth.save()]);
    expect((await Post.findById(_id).orFail()).numbers.toSorted()).toEqual([4, 5, 6, 7]);
  });

  test('uses another version key, or none', async () => {
    const Named = modelOf(new Schema({ list: [String] }, { versionKey: 'version', optimisticConcurrency: true }));
    const named = await Named.create({ list: ['a'] });
    named.list.set(0, 'b');
    await named.save();
    expect(await Named.findOne().lean()).toMatchObject({ list: ['b'], version: 1 });
    const Without = modelOf(new Schema({ list: [String] }, { versionKey: false }));
    const without = await Without.create({ list: ['a'] });
    without.list.pull('a');
    await without.save();
    expect(await Without.findOne().lean()).toEqual({ _id: without._id, list: [] });
  });

  test('reports a missing document', async () => {
    const Thing = modelOf(new Schema({ n: Number }));
    const thing = await Thing.create({ n: 1 });
    await Thing.deleteOne({ _id: thing._id });
    thing.n = 2;
    await expect(thing.save()).rejects.toThrow(mongoose.Error.DocumentNotFoundError);
  });

  test('saves in bulk', async () => {
    const Thing = modelOf(new Schema({ n: { type: Number, unique: true } }, { timestamps: true }));
    await Thing.init();
    const [first, second] = await Thing.create([{ n: 1 }, { n: 2 }]);
    first?.set('n', 10);
    const third = new Thing({ n: 3 });
    expect(await Thing.bulkSave([first, second, third] as never)).toMatchObject({ insertedCount: 1, modifiedCount: 1 });
    second?.set('n', 10);
    await expect(Thing.bulkSave([second] as never)).rejects.toMatchObject({ code: 11000 });
    expect((await Thing.find().sort({ n: 1 }).lean()).map(({ n }) => n)).toEqual([2, 3, 10]);
  });

  test('sets timestamps, including those of subdocuments', async () => {
    const Thing = modelOf(
      new Schema({ name: String, parts: [new Schema({ name: String }, { timestamps: true })] }, { timestamps: true }),
    );
    const { _id, createdAt } = await Thing.create({ name: 'a', parts: [{ name: 'p' }] });
    await Thing.updateOne({ _id, 'parts.name': 'p' }, { $set: { 'parts.$.name': 'q' } });
    const thing = await Thing.findById(_id).orFail();
    expect(thing.createdAt).toEqual(createdAt);
    expect(thing.updatedAt.getTime()).toBeGreaterThanOrEqual(createdAt.getTime());
    expect(thing.parts[0]).toMatchObject({ name: 'q', updatedAt: thing.updatedAt });
    await Thing.updateOne({ _id: new mongoose.Types.ObjectId() }, { name: 'b' }, { upsert: true });
    expect(await Thing.findOne({ name: 'b' }).lean()).toMatchObject({ createdAt: expect.any(Date), parts: [] });
  });
});

describe('insertMany', () => {
  const schema = new Schema({ name: { type: String, required: true, unique: true } });

  test('ordered, stops at the first error', async () => {
    const Thing = modelOf(schema);
    await Thing.init();
    await expect(Thing.insertMany([{ name: 'a' }, { name: 'a' }, { name: 'b' }])).rejects.toMatchObject({
      code: 11000,
      insertedDocs: [{ name: 'a' }],
    });
    expect(await Thing.countDocuments()).toBe(1);
  });

  test('unordered, skips invalid and duplicate documents', async () => {
    const Thing = modelOf(schema);
    await Thing.init();
    const failure = await Thing.insertMany([{ name: 'a' }, {}, { name: 'a' }, { name: 'b' }], { ordered: false }).catch(
      (error) => error,
    );
    expect(failure).toMatchObject({ code: 11000, insertedDocs: [{ name: 'a' }, { name: 'b' }] });
    const result = await Thing.insertMany([{ name: 'c' }, { name: 'a' }], {
      ordered: false,
      rawResult: true,
      throwOnValidationError: false,
    }).catch((error) => error.result);
    expect(result.insertedCount).toBe(1);
    expect((await Thing.find().sort({ name: 1 }).lean()).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });
});

describe('updating', () => {
  const schema = new Schema(
    {
      name: String,
      size: { type: Number, default: 1 },
      list: [Number],
      parts: [{ k: String, n: Number }],
      of: { type: Map, of: Number },
      price: Schema.Types.Decimal128,
      total: Schema.Types.BigInt,
      bytes: Buffer,
    },
    { minimize: false },
  );

  test('inserts with the defaults of the schema', async () => {
    const Thing = modelOf(schema);
    const thing = await Thing.findOneAndUpdate(
      { name: 'a' },
      { $inc: { total: 5n } },
      { upsert: true, returnDocument: 'after' },
    );
    expect(thing).toMatchObject({ name: 'a', size: 1, total: 5n, __v: 0 });
    const bare = await Thing.updateOne({ name: 'b' }, { size: 7 }, { upsert: true, setDefaultsOnInsert: false });
    expect(bare).toMatchObject({ upsertedCount: 1, matchedCount: 0, acknowledged: true });
    expect(await Thing.collection.findOne({ name: 'b' })).not.toHaveProperty('list');
  });

  test('supports every operator', async () => {
    const Thing = modelOf(schema);
    const { _id } = await Thing.create({
      name: 'a',
      list: [5, 1, 3],
      parts: [
        { k: 'x', n: 1 },
        { k: 'y', n: 2 },
      ],
      of: { one: 1 },
      price: '1.10',
    });
    const steps: [mongoose.UpdateQuery<unknown>, object?][] = [
      [{ $push: { list: { $each: [4, 2], $sort: 1, $slice: -4 } } }],
      [{ $pull: { parts: { n: { $gt: 1 } } } }],
      [{ $addToSet: { list: [2, 9] } }],
      [{ $push: { parts: { $each: [{ k: 'a' }], $position: 0 } } }],
      [{ $set: { 'parts.$[part].n': 7 } }, { arrayFilters: [{ 'part.k': 'x' }] }],
      [{ $inc: { 'list.$[]': 10, 'of.one': 1 }, $mul: { size: 3 } }],
      [{ $set: { 'of.two': 2, price: '2.20', total: 9007199254740993n } }],
      [{ $pullAll: { list: [12] }, $unset: { 'parts.0.k': 1 } }],
      [{ $min: { size: 2 }, $rename: { name: 'title' } }, { strict: false }],
      [{ $bit: { size: { or: 4 } }, bytes: Buffer.from('b') }],
      [{ $pop: { list: 1 } }],
    ];
    for (const [update, options] of steps) {
      expect(await Thing.updateOne({ _id }, update, options)).toMatchObject({ matchedCount: 1, modifiedCount: 1 });
    }
    expect(await Thing.findById(_id).lean()).toMatchObject({
      size: 6,
      title: 'a',
      list: [13, 14, 15],
      parts: [{}, { k: 'x', n: 7 }],
      of: { one: 2, two: 2 },
      price: mongoose.Types.Decimal128.fromString('2.20'),
      total: mongoose.mongo.Long.fromBigInt(9007199254740993n),
    });
  });

  test('accepts pipelines', async () => {
    const Thing = modelOf(schema);
    await Thing.create({ name: 'a', list: [1, 2] });
    await Thing.updateOne({ name: 'a' }, [{ $set: { size: { $size: '$list' } } }], { updatePipeline: true });
    const thing = await Thing.findOneAndUpdate({ size: 2 }, [{ $set: { name: { $concat: ['$name', 'b'] } } }], {
      updatePipeline: true,
      returnDocument: 'after',
    });
    expect(thing).toMatchObject({ name: 'ab', size: 2 });
  });

  test('replaces whole documents', async () => {
    const Thing = modelOf(schema);
    const { _id } = await Thing.create({ name: 'a', list: [1] });
    await Thing.replaceOne({ _id }, { name: 'b', bytes: Buffer.alloc(3) });
    const replaced = await Thing.findOneAndReplace({ _id }, { name: 'c' }, { returnDocument: 'after' });
    expect(replaced).toMatchObject({ name: 'c', size: 1 });
    const fresh = await Thing.findOneAndReplace(
      { name: 'x' },
      { name: 'd' },
      { upsert: true, returnDocument: 'after' },
    );
    expect(await Thing.findById(fresh?._id).lean()).toMatchObject({ name: 'd' });
  });

  test('finds one document and reports what it did', async () => {
    const Thing = modelOf(schema);
    await Thing.create([
      { name: 'a', size: 1 },
      { name: 'b', size: 2 },
    ]);
    const options = { sort: { size: -1 }, projection: { name: 1, _id: 0 }, includeResultMetadata: true } as const;
    const found = await Thing.findOneAndUpdate({}, { $set: { size: 0 } }, { ...options, returnDocument: 'after' });
    expect(found).toMatchObject({ lastErrorObject: { n: 1, updatedExisting: true }, value: { name: 'b' }, ok: 1 });
    expect(await Thing.findOneAndUpdate({ name: 'z' }, { size: 1 }, { includeResultMetadata: true })).toMatchObject({
      lastErrorObject: { n: 0, updatedExisting: false },
      value: null,
    });
    expect(await Thing.findOneAndDelete({}, { sort: { size: 1 } })).toMatchObject({ name: 'b' });
    expect(await Thing.findByIdAndDelete(new mongoose.Types.ObjectId())).toBeNull();
    await expect(Thing.findOneAndUpdate({ name: 'z' }, { size: 1 }).orFail()).rejects.toThrow(
      mongoose.Error.DocumentNotFoundError,
    );
  });

  test('writes in bulk', async () => {
    const Thing = modelOf(schema);
    const result = await Thing.bulkWrite(
      [
        { insertOne: { document: { name: 'a', list: [1, 2] } } },
        { updateOne: { filter: { name: 'a' }, update: { $set: { 'list.$[i]': 0 } }, arrayFilters: [{ i: 2 }] } },
        { updateOne: { filter: { name: 'b' }, update: { size: 5 }, upsert: true } },
        { updateMany: { filter: {}, update: { $inc: { size: 1 } } } },
        { replaceOne: { filter: { name: 'b' }, replacement: { name: 'c', list: [] } } },
        { updateOne: { filter: { size: 'no number' } as never, update: { size: 1 } } },
        { deleteOne: { filter: { name: 'c' } } },
        { deleteMany: { filter: { name: 'nobody' } } },
      ],
      { ordered: false },
    );
    expect(result).toMatchObject({ insertedCount: 1, upsertedCount: 1, modifiedCount: 4, deletedCount: 1 });
    expect(result.mongoose?.validationErrors).toHaveLength(1);
    expect(await Thing.find().lean()).toMatchObject([{ name: 'a', list: [1, 0], size: 2 }]);
  });

  test("distinguishes casting errors from the server's", async () => {
    const Thing = modelOf(schema);
    const { _id } = await Thing.create({ name: 'a' });
    await expect(Thing.updateOne({ _id }, { $inc: { size: 'x' } } as never)).rejects.toThrow(mongoose.Error.CastError);
    await expect(Thing.updateOne({ _id }, { $inc: { name: 1 } }, { strict: false })).rejects.toMatchObject({
      code: 14,
    });
    await expect(Thing.updateOne({ _id }, { $set: { size: 1 }, $inc: { size: 1 } })).rejects.toMatchObject({
      code: 40,
    });
    await expect(Thing.updateOne({ _id }, { $set: { _id: new mongoose.Types.ObjectId() } })).rejects.toMatchObject({
      code: 66,
    });
  });

  test('deletes', async () => {
    const Thing = modelOf(schema);
    const [one] = await Thing.create([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
    expect(await one?.deleteOne()).toMatchObject({ deletedCount: 1 });
    expect(await Thing.deleteOne({ name: 'b' })).toMatchObject({ deletedCount: 1 });
    expect(await Thing.deleteMany()).toMatchObject({ deletedCount: 1 });
  });
});
