import { once } from 'node:events';
import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { spawnStore, temporaryDirectory } from './test-store.ts';

const WRITERS = 8;
const ROUNDS = 3;
const BEFORE_KILL = 400;

interface Acknowledged {
  _id: string;
  step: number;
}

/** Inserts and updates until the server is gone; notes each write once it is acknowledged. */
async function write(
  client: MongoClient,
  writer: string,
  acknowledged: Map<string, number>,
  wrote: () => void,
): Promise<void> {
  const collection = client.db('kept').collection<Acknowledged & { writer: string; key: string }>('writes');
  for (let number = 0; ; number++) {
    const _id = `${writer}-${number}`;
    try {
      await collection.insertOne({ _id, writer, key: `key-${_id}`, step: 0 });
      acknowledged.set(_id, 0);
      wrote();
      await collection.updateOne({ _id }, { $inc: { step: 1 } });
      acknowledged.set(_id, 1);
      wrote();
    } catch {
      return;
    }
  }
}

test('keeps every acknowledged write, and its index entries, through kill -9', async () => {
  const directory = await temporaryDirectory();
  const acknowledged = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const { uri, child } = await spawnStore(directory);
    const clients = await Promise.all(
      Array.from({ length: 2 }, () => new MongoClient(uri, { serverSelectionTimeoutMS: 300 }).connect()),
    );
    await clients[0]
      ?.db('kept')
      .collection('writes')
      .createIndexes([{ key: { key: 1 }, unique: true }, { key: { writer: 1, step: -1 } }]);
    let writes = 0;
    const wrote = () => {
      writes += 1;
      if (writes === BEFORE_KILL) child.kill('SIGKILL');
    };
    const exited = once(child, 'exit');
    await Promise.all(
      Array.from({ length: WRITERS }, (_, at) =>
        write(clients[at % 2] as MongoClient, `${round}.${at}`, acknowledged, wrote),
      ),
    );
    await exited;
    await Promise.all(clients.map((client) => client.close()));
  }

  const { uri, child } = await spawnStore(directory);
  const client = await new MongoClient(uri).connect();
  const collection = client.db('kept').collection<Acknowledged>('writes');
  expect(acknowledged.size).toBeGreaterThan((ROUNDS * BEFORE_KILL) / 3);
  for (const [_id, step] of acknowledged) {
    const stored = await collection.findOne({ _id });
    expect(stored?.step, _id).toBeGreaterThanOrEqual(step);
    expect(await collection.findOne({ key: `key-${_id}` }), _id).toEqual(stored);
  }
  const byIndex = await collection
    .find({ writer: { $gte: '' } })
    .hint('writer_1_step_-1')
    .toArray();
  expect(byIndex.length).toBe(await collection.countDocuments({}));
  await client.close();
  child.kill('SIGTERM');
  await once(child, 'exit');
});
