import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createBlobs } from '@chorus/blobs';
import { newId } from '@chorus/contract';
import { createLogger } from '@chorus/runtime/log';
import { type Collection, MongoClient } from 'mongodb';
import type { BenchPlatform } from '../platform.ts';

type Stored = Record<string, unknown> & { _id: string };

export interface ManyRecords {
  /** A workspace with few records. */
  small: string;
  /** The user whose personal scope has many records. */
  userId: string;
  sessionId: string;
}

const PICTURES = ['a red fox by the sea', 'a lighthouse at dusk', 'an old tree', 'two sailing boats', 'a castle'];
const AT_ONCE = 1_000;

/** A long answer with all kinds of Markdown. */
const ANSWER = [
  '## What the harbour was like',
  '',
  'Some **words** with `code`, and a [link](https://example.org).',
  '',
  '| ship | masts | left |',
  '| --- | --- | --- |',
  '| Aurora | 3 | 1891 |',
  '| Brise | 2 | 1893 |',
  '',
  '```ts',
  'export function sail(miles: number, knots: number): number {',
  '  return miles / knots;',
  '}',
  '```',
  '',
  'It went on for a long time, and much was said of it later. '.repeat(8),
].join('\n');

/**
 * Copies sessions, images, and messages inside the store of a running platform: many in the user's personal
 * scope, few in a workspace.
 *
 * The originals are created through the API; creating all of them that way would take hours.
 */
export async function seedRecords(
  platform: BenchPlatform,
  many: { sessions: number; images: number; messages: number },
  few: number,
): Promise<ManyRecords> {
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const init = { method, headers: { ...platform.headers, ...headers } };
    const response = await fetch(platform.api + path, { ...init, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const { id: userId = '' } = await call('GET', '/me');
  const { id: small = '' } = await call('POST', '/workspaces', { name: 'Small' });
  await call('POST', '/sessions', { title: 'The first' });
  const { session_id: sessionId = '' } = await call('POST', '/chat/completions', {
    message: 'Hello',
    model: 'embedded/assistant',
  });
  for (const prompt of PICTURES)
    await call('POST', '/iris/generate', { prompt, size: '512x512', model: 'embedded/canvas' });

  const socket = encodeURIComponent(join(platform.dataDir, 'run', 'store.sock'));
  const client = await new MongoClient(`mongodb://${socket}/chorus`).connect();
  try {
    const sessions = client.db().collection<Stored>('sessions');
    const assets = client.db().collection<Stored>('assets');
    await copyMessages(client.db().collection<Stored>('messages'), sessionId, many.messages - 2);
    const inSmall = `workspace:${small}`;
    await copySessions(sessions, many.sessions - 1);
    await copySessions(sessions, few, inSmall);
    const pictures = await filesOfPictures(platform, await assets.find({ kind: 'image' }).toArray());
    await copyPictures(platform, assets, pictures, many.images - pictures.length);
    await copyPictures(platform, assets, pictures, few, inSmall);
  } finally {
    await client.close();
  }
  return { small, userId, sessionId };
}

async function copySessions(collection: Collection<Stored>, count: number, scope?: string): Promise<void> {
  const model = await collection.findOne({ title: 'The first' });
  if (model === null) throw new Error('the created session is missing');
  // Without the mark for pending indexing: title indexing would disturb the measurement.
  const { unindexed, ...fields } = model;
  await insert(collection, count, (at) => ({
    ...fields,
    ...(scope && { scope_key: scope }),
    _id: newId('session'),
    title: `Conversation ${at}: ${'what was said about the harbour, the weather and the ships '.slice(0, 12 + ((at * 7) % 48))}`,
    starred: at % 50 === 0,
    updated_at: new Date(Date.now() - at * 60_000),
  }));
}

async function copyMessages(collection: Collection<Stored>, sessionId: string, count: number): Promise<void> {
  const turn = await collection.find({ session_id: sessionId }).sort({ position: 1 }).toArray();
  await insert(collection, count, (at) => {
    const { unindexed, ...fields } = turn[at % turn.length] as Stored;
    const content = fields.role === 'user' ? `Question ${at}` : ANSWER;
    return { ...fields, _id: newId('message'), position: turn.length + at, content };
  });
}

interface Picture {
  record: Stored;
  blobs: Map<string, Buffer>;
}

async function filesOfPictures(platform: BenchPlatform, records: Stored[]): Promise<Picture[]> {
  // The first request creates the thumbnail.
  for (const { _id } of records) {
    const asset = await fetch(`${platform.api}/assets/${_id}`, { headers: platform.headers });
    const { thumbnail_url } = (await asset.json()) as { thumbnail_url: string };
    await (await fetch(new URL(thumbnail_url, platform.api), { headers: platform.headers })).arrayBuffer();
  }
  const folder = join(platform.dataDir, 'blobs');
  const files = await readdir(folder, { recursive: true });
  return Promise.all(
    records.map(async (record) => {
      const own = files.filter((file) => file.includes(record._id));
      const blobs = own.map(async (file) => {
        const key = String(file.split('/').at(-1)).replaceAll('~', '/');
        return [key, await readFile(join(folder, file))] as const;
      });
      return { record, blobs: new Map(await Promise.all(blobs)) };
    }),
  );
}

async function copyPictures(
  platform: BenchPlatform,
  collection: Collection<Stored>,
  pictures: Picture[],
  count: number,
  scope?: string,
): Promise<void> {
  const log = createLogger({ name: 'bench', level: 'warn' });
  const blobs = createBlobs({ kind: 'files', folder: join(platform.dataDir, 'blobs') }, log);
  const writing: [key: string, bytes: Buffer][] = [];
  await insert(collection, count, (at) => {
    const { record, blobs: files } = pictures[at % pictures.length] as Picture;
    const { execution_id, output_index, made_at, ...fields } = record;
    const id = newId('asset');
    for (const [key, bytes] of files) {
      // The console shows only thumbnails here.
      if (key.endsWith('/thumbnail')) writing.push([key.replace(record._id, id), bytes]);
    }
    return { ...fields, ...(scope && { scope_key: scope }), _id: id, thumbnail: 'stored' };
  });
  for (const [key, bytes] of writing) await blobs.put(key, bytes, { contentType: 'image/webp' });
  blobs.close();
}

async function insert(collection: Collection<Stored>, count: number, make: (at: number) => Stored): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) => make(from + at));
    await collection.insertMany(some);
  }
}
