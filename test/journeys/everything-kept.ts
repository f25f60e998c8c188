import type { TestRedis, TestStore } from '@chorus/testing';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';

/** All that a Redis holds, as text: keys and values of every type. */
export async function everythingInRedis({ socketPath }: TestRedis): Promise<string> {
  const redis = new Redis({ path: socketPath });
  const read: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => redis.get(key),
    hash: (key) => redis.hgetall(key),
    list: (key) => redis.lrange(key, 0, -1),
    set: (key) => redis.smembers(key),
    zset: (key) => redis.zrange(key, 0, '-1'),
    stream: (key) => redis.xrange(key, '-', '+'),
  };
  try {
    const all: unknown[] = [];
    for (const key of await redis.keys('*')) {
      const type = await redis.type(key);
      if (type === 'none') continue; // it ran out meanwhile
      const value = read[type];
      if (value === undefined) throw new Error(`no way to read a ${type} of Redis`);
      all.push([key, await value(key)]);
    }
    return JSON.stringify(all);
  } finally {
    redis.disconnect();
  }
}

/** All documents of the store as text. */
export async function everythingStored({ uri }: TestStore): Promise<string> {
  const client = new MongoClient(uri);
  try {
    const collections = await client.db().listCollections().toArray();
    const all = collections.map(async ({ name }) => [name, await client.db().collection(name).find({}).toArray()]);
    return JSON.stringify(await Promise.all(all));
  } finally {
    await client.close();
  }
}
