import mongoose, { type Connection, Schema, type Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SharedStore, shareTestStore } from '../test-store.ts';

const shared: SharedStore = shareTestStore();
let connection: Connection;

beforeAll(async () => {
  connection = await mongoose.createConnection(`${shared.store.uri}/models`).asPromise();
});
afterAll(() => connection.close());

let made = 0;
// biome-ignore lint/suspicious/noExplicitAny: models of a dozen shapes, which the tests look into freely
type Loose = any;

/** Defines a model for one test. */
function model(schema: Loose, name = 'M'): mongoose.Model<Loose> {
  made += 1;
  return connection.model(`${name}${made}`, schema) as Loose;
}

describe('queries', () => {
  test('are built step by step', async () => {
    const Person = model(new Schema({ name: String, age: Number, tags: [String], born: Date, home: { city: String } }));
    await Person.create([
      { name: 'Ada', age: 36, tags: ['x', 'y'], born: new Date('1815-12-10'), home: { city: 'London' } },
      { name: 'Bea', age: 20, tags: ['y'], home: { city: 'Rome' } },
      { name: 'Cy', age: 50, tags: [] },
    ]);
    const names = async (query: mongoose.Query<Loose, Loose>) =>
      (await query.sort('name')).map(({ name }: Loose) => name);
    expect(await names(Person.where('age').gt(18).lte(36))).toEqual(['Ada', 'Bea']);
    expect(await names(Person.find().where('tags').in(['x']))).toEqual(['Ada']);
    expect(await names(Person.find().where('tags').all(['x', 'y']))).toEqual(['Ada']);
    expect(await names(Person.find().where('tags').size(0))).toEqual(['Cy']);
    expect(await names(Person.find().where('born').exists(true))).toEqual(['Ada']);
    expect(await names(Person.find({ age: { $mod: [10, 0] } }))).toEqual(['Bea', 'Cy']);
    expect(
      await names(
        Person.find()
          .or([{ age: 50 }, { name: /^a/i }])
          .nor([{ name: 'Cy' }]),
      ),
    ).toEqual(['Ada']);
    expect(await names(Person.find({ age: '36', born: { $lt: '1900-01-01' } }))).toEqual(['Ada']);
    expect(await names(Person.find({ name: { $not: /^A/ } }))).toEqual(['Bea', 'Cy']);
    expect(await names(Person.find({ 'home.city': { $ne: 'Rome' } }))).toEqual(['Ada', 'Cy']);
    expect(await Person.findOne().sort({ age: -1 }).select('name -_id').lean()).toEqual({ name: 'Cy' });
    expect(
      await Person.find()
        .sort('-age')
        .skip(1)
        .limit(1)
        .select({ tags: { $slice: 1 }, name: 1, _id: 0 })
        .lean(),
    ).toEqual([{ name: 'Ada', tags: ['x'] }]);
    expect(await Person.findOne({ tags: 'y' }, { 'tags.$': 1 }).sort('name').lean()).toMatchObject({ tags: ['y'] });
    expect((await Person.distinct('tags')).sort()).toEqual(['x', 'y']);
    expect(await Person.countDocuments({ age: { $gte: 36 } })).toBe(2);
    expect(await Person.estimatedDocumentCount()).toBe(3);
    expect(await Person.exists({ name: 'Ada' })).toMatchObject({ _id: expect.anything() });
    expect(await Person.find().hint({ _id: 1 }).comment('why').maxTimeMS(5000).batchSize(1).lean()).toHaveLength(3);
    expect(await Person.find({ age: 36 }).explain('queryPlanner')).toMatchObject({ queryPlanner: { winningPlan: {} } });
    await expect(Person.findOne({ name: 'nobody' }).orFail()).rejects.toThrow(mongoose.Error.DocumentNotFoundError);
    await expect(Person.find({ age: 'old' })).rejects.toThrow(mongoose.Error.CastError);
  });

  test('keep decimals, buffers, maps, longs, UUIDs, and mixed values', async () => {
    const schema = new Schema(
      {
        price: Schema.Types.Decimal128,
        data: Buffer,
        counts: { type: Map, of: Number },
        big: BigInt,
        uuid: Schema.Types.UUID,
        any: Schema.Types.Mixed,
        ratio: Schema.Types.Double,
        whole: Schema.Types.Int32,
      },
      { minimize: false },
    );
    const Thing = model(schema);
    const uuid = '09190f70-3d30-11e5-8814-0f4df9a59c41';
    const any = { deep: [{ list: [1, 'two', null] }], empty: {} };
    await Thing.create({
      price: '1.10',
      data: Buffer.from('ab'),
      counts: { a: 1 },
      big: 2n ** 60n,
      uuid,
      any,
      ratio: 1,
      whole: 7,
    });
    const found = await Thing.findOne({
      price: { $lt: '2' },
      big: 2n ** 60n,
      uuid,
      'counts.a': 1,
      data: Buffer.from('ab'),
    }).orFail();
    expect(String(found.price)).toBe('1.10');
    expect(found.big).toBe(2n ** 60n);
    expect(found.uuid.toString()).toBe(uuid);
    expect(found.any).toEqual(any);
    expect(await Thing.countDocuments({ ratio: { $type: 'double' }, whole: { $type: 'int' } })).toBe(1);
  });

  test('arrive through cursors', async () => {
    const Number_ = model(new Schema({ n: Number }));
    await Number_.insertMany(Array.from({ length: 250 }, (_, n) => ({ n })));
    let sum = 0;
    await Number_.find()
      .sort('n')
      .cursor({ batchSize: 20 })
      .eachAsync(
        ({ n }: { n: number }) => {
          sum += n;
        },
        { parallel: 5 },
      );
    expect(sum).toBe((249 * 250) / 2);
    const batches: number[] = [];
    await Number_.find()
      .cursor()
      .eachAsync((batch: unknown[]) => void batches.push(batch.length), { batchSize: 100 });
    expect(batches).toEqual([100, 100, 50]);
    const cursor = Number_.find().sort({ n: -1 }).lean().cursor();
    expect(await cursor.next()).toMatchObject({ n: 249 });
    await cursor.close();
    const seen: number[] = [];
    for await (const { n } of Number_.find({ n: { $lt: 3 } }).sort('n')) seen.push(n);
    expect(seen).toEqual([0, 1, 2]);
  });
});

describe('populate', () => {
  test('single references, lists, nested paths, matches, and limits', async () => {
    const Author = model(
      new Schema({ name: String, age: Number, city: { type: Schema.Types.ObjectId, ref: () => City } }),
      'Author',
    );
    const City = model(new Schema({ name: String }), 'City');
    const Book = model(
      new Schema({
        title: String,
        author: { type: Schema.Types.ObjectId, ref: Author.modelName },
        readers: [{ type: Schema.Types.ObjectId, ref: Author.modelName }],
        reviews: [{ stars: Number, by: { type: Schema.Types.ObjectId, ref: Author.modelName } }],
      }),
      'Book',
    );
    const city = await City.create({ name: 'Rome' });
    const [a, b, c] = await Author.create([
      { name: 'a', age: 1, city },
      { name: 'b', age: 2 },
      { name: 'c', age: 3 },
    ]);
    await Book.create([
      {
        title: 't1',
        author: a,
        readers: [c, b, a],
        reviews: [
          { stars: 5, by: b },
          { stars: 1, by: c },
        ],
      },
      { title: 't2', author: b, readers: [b, c] },
    ]);
    const [first, second] = await Book.find()
      .sort('title')
      .populate({ path: 'author', populate: { path: 'city', select: 'name -_id' } })
      .populate('readers', 'name')
      .populate('reviews.by');
    expect(first.author.city.toObject()).toEqual({ name: 'Rome' });
    expect(first.readers.map(({ name }: Loose) => name)).toEqual(['c', 'b', 'a']);
    expect(first.reviews.map(({ by }: Loose) => by.name)).toEqual(['b', 'c']);
    expect(second.author.name).toBe('b');
    const [matched] = await Book.find({ title: 't1' })
      .populate({ path: 'readers', match: { age: { $gte: 2 } }, options: { sort: { age: -1 } }, select: 'name -_id' })
      .lean();
    expect(matched.readers).toEqual([{ name: 'c' }, { name: 'b' }]);
    const limited = await Book.find()
      .sort('title')
      .populate({ path: 'readers', perDocumentLimit: 1, options: { sort: { age: 1 } } });
    expect(limited.map(({ readers }: Loose) => readers.map(({ name }: Loose) => name))).toEqual([['a'], ['b']]);
    const [unmatched] = await Book.find({ title: 't1' }).populate({ path: 'author', match: { age: 99 } });
    expect(unmatched.author).toBeNull();
    const loaded = await Book.findOne({ title: 't2' });
    await loaded.populate(['author', { path: 'readers', select: 'age' }]);
    expect(loaded.readers[1].age).toBe(3);
    expect(loaded.populated('author')).toEqual(b._id);
  });

  test('virtuals, counts, references by path, and dangling references', async () => {
    const Band = model(new Schema({ name: String }, { toObject: { virtuals: true } }), 'Band');
    const Member = model(
      new Schema({ name: String, band: String, age: Number, on: Schema.Types.ObjectId, kind: String }),
      'Member',
    );
    Band.schema.virtual('members', {
      ref: Member.modelName,
      localField: 'name',
      foreignField: 'band',
      options: { sort: { name: -1 } },
    });
    Band.schema.virtual('size', { ref: Member.modelName, localField: 'name', foreignField: 'band', count: true });
    Band.schema.virtual('oldest', {
      ref: Member.modelName,
      localField: 'name',
      foreignField: 'band',
      justOne: true,
      options: { sort: { age: -1 } },
    });
    connection.deleteModel(Band.modelName);
    const Bands = connection.model(Band.modelName, Band.schema) as Loose;
    const [one] = await Bands.create([{ name: 'one' }, { name: 'two' }]);
    await Member.create([
      { name: 'x', band: 'one', age: 9 },
      { name: 'y', band: 'one', age: 7 },
      { name: 'z', band: 'two', age: 1 },
    ]);
    const [found] = await Bands.find({ name: 'one' }).populate('members size oldest');
    expect(found.members.map(({ name }: Loose) => name)).toEqual(['y', 'x']);
    expect([found.size, found.oldest.name]).toEqual([2, 'x']);
    const Note = model(
      new Schema({
        on: { type: Schema.Types.ObjectId, refPath: 'kind' },
        kind: { type: String, enum: [Bands.modelName, Member.modelName] },
      }),
    );
    const member = await Member.findOne({ name: 'z' });
    await Note.create([
      { on: one, kind: Bands.modelName },
      { on: member, kind: Member.modelName },
    ]);
    expect((await Note.find().sort('_id').populate('on')).map(({ on }: Loose) => on.name)).toEqual(['one', 'z']);
  });
});

describe('discriminators', () => {
  test('share a collection, and each finds its own documents', async () => {
    const Event = model(new Schema({ at: Date }, { discriminatorKey: 'kind' }), 'Event');
    const Click = Event.discriminator(`Click${made}`, new Schema({ x: Number }));
    const Key = Event.discriminator(`Key${made}`, new Schema({ code: String, parts: [{ v: Number }] }));
    await Click.create({ at: new Date(1), x: 5 });
    await Key.create({ at: new Date(2), code: 'a' });
    expect(await Event.countDocuments()).toBe(2);
    expect(await Click.find().lean()).toMatchObject([{ x: 5, kind: Click.modelName }]);
    expect((await Event.find().sort('-at'))[0]).toBeInstanceOf(Key);
    expect(await Click.findOne({ code: 'a' })).toBeNull();
    await Click.updateMany({}, { x: 6 });
    expect(await Event.find({ x: 6 }).lean()).toHaveLength(1);
    expect(await Click.distinct('x')).toEqual([6]);
  });
});

describe('indexes', () => {
  test('are created, compared, and synchronized', async () => {
    const schema = new Schema({ email: { type: String, unique: true, sparse: true }, a: Number, b: Number, at: Date });
    schema.index({ a: 1, b: -1 });
    schema.index({ b: 1 }, { partialFilterExpression: { a: { $gt: 1 } }, name: 'some_b' });
    schema.index({ at: 1 }, { expires: '1h' });
    const Model = model(schema);
    await Model.init();
    expect((await Model.listIndexes()).map(({ name }) => name)).toEqual([
      '_id_',
      'email_1',
      'a_1_b_-1',
      'some_b',
      'at_1',
    ]);
    expect(await Model.diffIndexes()).toEqual({ toDrop: [], toCreate: [] });
    await Model.collection.createIndex({ old: 1 });
    await Model.collection.dropIndex('a_1_b_-1');
    expect(await Model.diffIndexes()).toEqual({ toDrop: ['old_1'], toCreate: [{ a: 1, b: -1 }] });
    expect(await Model.cleanIndexes()).toEqual(['old_1']);
    await Model.createIndexes();
    await Model.ensureIndexes();
    expect(await Model.diffIndexes()).toEqual({ toDrop: [], toCreate: [] });
    await Model.collection.dropIndex('at_1');
    await Model.collection.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
    expect(await Model.syncIndexes()).toEqual(['at_1']);
    expect((await Model.collection.indexes()).find(({ name }) => name === 'at_1')?.expireAfterSeconds).toBe(3600);
    await expect(Model.create([{ email: 'x' }, { email: 'x' }])).rejects.toMatchObject({ code: 11000 });
    await Model.create([{}, {}]);
  });

  test('report invalid definitions from init', async () => {
    const Model = model(new Schema({ a: Number, place: { type: [Number], index: '2dsphere' } }));
    await expect(Model.init()).rejects.toMatchObject({ code: 67 });
  });
});

test('sessions are accepted; transactions are rejected and change nothing', async () => {
  const Model = model(new Schema({ n: Number }));
  await Model.createCollection();
  await connection.withSession(async (session) => {
    await Model.create([{ n: 1 }], { session });
    expect(await Model.findOne({ n: 1 }).session(session)).toMatchObject({ n: 1 });
  });
  const refused = connection.transaction(async (session) => void (await Model.create([{ n: 2 }], { session })));
  await expect(refused).rejects.toThrow();
  expect(await Model.countDocuments()).toBe(1);
});

test('lean documents and virtual ids match the stored data', async () => {
  const Model = model(new Schema({ list: [{ v: Number }], ref: Schema.Types.ObjectId }, { timestamps: true }));
  const created = await Model.create({ list: [{ v: 1 }] });
  const lean = await Model.findById(created.id).lean<{ _id: Types.ObjectId; createdAt: Date }>();
  expect(lean?._id.equals(created._id)).toBe(true);
  expect(lean?.createdAt).toEqual(created.createdAt);
  expect(await Model.findOne({ 'list._id': created.list[0]._id }).lean()).toMatchObject({ list: [{ v: 1 }] });
});
