import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { TestRedis, TestStore } from '@chorus/testing';
import { connect } from '@lancedb/lancedb';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';

export async function dumpRedis({ socketPath }: TestRedis): Promise<string> {
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
      if (type === 'none') continue; // has expired
      const value = read[type];
      if (value === undefined) throw new Error(`cannot read Redis type ${type}`);
      all.push([key, await value(key)]);
    }
    return JSON.stringify(all);
  } finally {
    redis.disconnect();
  }
}

export async function dumpStore({ uri }: TestStore): Promise<string> {
  const client = new MongoClient(uri);
  try {
    const collections = await client.db().listCollections().toArray();
    const all = collections.map(async ({ name }) => [name, await client.db().collection(name).find({}).toArray()]);
    return JSON.stringify(await Promise.all(all));
  } finally {
    await client.close();
  }
}

/** Returns encodings of a text: plain, UTF-16, hexadecimal, and base64 at each of its three offsets. */
function encodingsOf(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const base64 = [0, 1, 2].map((shift) => {
    // Without the first and last characters, which depend on neighboring bytes.
    const coded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    return Buffer.from(coded.slice(shift === 0 ? 0 : 4, -4));
  });
  return [bytes, Buffer.from(text, 'utf16le'), Buffer.from(bytes.toString('hex')), ...base64];
}

const COMPRESSED: [start: Buffer, unpack: (bytes: Buffer) => Buffer][] = [
  [Buffer.from([0x1f, 0x8b, 8]), (bytes) => gunzipSync(bytes)],
  [Buffer.from([0x78, 0x9c]), (bytes) => inflateSync(bytes)],
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), (bytes) => zstdDecompressSync(bytes)],
];

function unpack(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (const [start, unpack] of COMPRESSED) {
    for (let at = bytes.indexOf(start); at >= 0; at = bytes.indexOf(start, at + 1)) {
      try {
        found.push(unpack(bytes.subarray(at)));
      } catch {
        // Random bytes that look like a compressed part.
      }
    }
  }
  return found;
}

/** Returns the relative paths of files that contain one of these texts in any encoding. */
export async function filesWith(folder: string, texts: readonly string[]): Promise<string[]> {
  const forms = texts.flatMap(encodingsOf);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path).catch(() => Buffer.alloc(0)); // deleted meanwhile
    if ([bytes, ...unpack(bytes)].some((part) => forms.some((form) => part.includes(form))))
      found.push(relative(folder, path));
  }
  return found.sort();
}

/** Returns the search index tables with one of these texts in any version, because files may be compressed. */
export async function tablesWith(location: string, texts: readonly string[]): Promise<string[]> {
  const connection = await connect(location);
  const found = new Set<string>();
  for (const name of await connection.tableNames()) {
    const table = await connection.openTable(name);
    for (const { version } of await table.listVersions()) {
      await table.checkout(version);
      const rows = JSON.stringify(await table.query().toArray(), (_, value) =>
        typeof value === 'bigint' ? String(value) : value,
      );
      if (texts.some((text) => rows.includes(text))) found.add(name);
    }
  }
  connection.close();
  return [...found];
}
