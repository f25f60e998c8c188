import mongoose, { Schema } from 'mongoose';
import { expect, onTestFinished, test } from 'vitest';
import { openTestStore } from './test-store.ts';

async function connection(): Promise<mongoose.Connection> {
  const { store } = await openTestStore();
  const connection = await mongoose.createConnection(`${store.uri}/app`).asPromise();
  onTestFinished(() => connection.close());
  return connection;
}

test('serves a model: create, save with versions, find, claim, delete', async () => {
  const database = await connection();
  const schema = new Schema(
    { email: { type: String, unique: true, lowercase: true }, visits: { type: Number, default: 0 }, tags: [String] },
    { timestamps: true, optimisticConcurrency: true },
  );
  schema.index({ visits: -1, email: 1 });
  const User = database.model('User', schema);
  await User.init();
  const user = await User.create({ email: 'Ada@Example.org' });
  await expect(User.create({ email: 'ada@example.org' })).rejects.toMatchObject({ code: 11000 });
  const copy = await User.findById(user._id).orFail();
  user.visits = 1;
  user.tags.push('first');
  await user.save();
  copy.visits = 5;
  await expect(copy.save()).rejects.toThrow(mongoose.Error.VersionError);
  expect(await User.findOne({ tags: 'first' }).lean()).toMatchObject({ visits: 1, __v: 1 });
  expect(
    await User.findOneAndUpdate({ email: 'ada@example.org' }, { $inc: { visits: 1 } }, { returnDocument: 'after' }),
  ).toMatchObject({ visits: 2 });
  expect(await User.countDocuments({ visits: { $gt: 1 } })).toBe(1);
  expect(await User.exists({ email: 'nobody' })).toBeNull();
  await User.bulkWrite([
    { insertOne: { document: { email: 'b@example.org' } } },
    { updateOne: { filter: { email: 'b@example.org' }, update: { $set: { visits: 9 } } } },
    { deleteOne: { filter: { email: 'ada@example.org' } } },
  ]);
  expect(await User.find().sort({ visits: -1 }).lean()).toMatchObject([{ email: 'b@example.org', visits: 9 }]);
});

test('populates, iterates by cursor, and synchronizes indexes with the schema', async () => {
  const database = await connection();
  const Author = database.model('Author', new Schema({ name: String }));
  const Book = database.model(
    'Book',
    new Schema({ title: String, author: { type: Schema.Types.ObjectId, ref: 'Author' } }),
  );
  const authors = await Author.insertMany([{ name: 'A' }, { name: 'B' }]);
  await Book.insertMany(Array.from({ length: 300 }, (_, n) => ({ title: `t${n}`, author: authors[n % 2]?._id })));
  const [book] = await Book.find({ title: 't3' }).populate('author');
  expect(book?.author).toMatchObject({ name: 'B' });
  let seen = 0;
  for await (const { title } of Book.find().batchSize(50).cursor()) if (title) seen += 1;
  expect(seen).toBe(300);
  await Book.collection.createIndex({ old: 1 });
  Book.schema.index({ title: 1 });
  expect(await Book.syncIndexes()).toEqual(['old_1']);
  expect((await Book.listIndexes()).map(({ name }) => name)).toEqual(['_id_', 'title_1']);
});
