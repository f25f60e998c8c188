import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ChorusError, newId } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { CLIP_MP4, CLIP_WEBM } from '@chorus/testing';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assetFactsOf } from './assets.ts';
import { createAssets } from './create-assets.ts';
import { freshOwner, startTestAssets, type TestAssets } from './test-assets.ts';

let tried: TestAssets;
beforeAll(async () => {
  tried = await startTestAssets();
});
afterAll(() => tried.stop());

const noise = { type: 'gaussian', mean: 128, sigma: 50 } as const;
const picture = (width = 40, height = 30) =>
  sharp({ create: { width, height, channels: 3, background: 'red', noise } })
    .png()
    .toBuffer();

/** Splits bytes into odd pieces, as a network does. */
const inPieces = (bytes: Uint8Array, size = 7_001) =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    })(),
  );

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    ({ code, message }) => code ?? message,
  );

/** Returns the keys that are stored during the work. */
async function keysAfter(work: () => Promise<unknown>): Promise<string[]> {
  const before = new Set(await tried.keys());
  await work();
  return (await tried.keys()).filter((key) => !before.has(key));
}

test.each([
  ['short', 300, 200],
  ['long', 900, 600],
])('a damaged file is not returned as if it were whole: %s', async (_name, width, height) => {
  const { assets, blobs } = tried;
  const owner = freshOwner();
  const bytes = await picture(width, height);
  let record: AssetRecord | undefined;
  const [key = ''] = await keysAfter(async () => {
    record = await assets.create({ owner, body: inPieces(bytes), filename: null });
  });
  if (record === undefined) throw new Error('not stored');
  const damaged = Buffer.from(bytes);
  damaged[bytes.length - 100] = (damaged[bytes.length - 100] as number) ^ 1;
  await blobs.put(key, damaged);
  const other = tried.with({ uploadBytes: 10_000_000 }); // of another process
  expect(await codeOf(buffer(await other.read(record)))).toBe('internal_error');
  await blobs.put(key, bytes);
  expect(await buffer(await other.read(record))).toEqual(bytes);
});

describe('stored files', () => {
  test('are detected by their bytes and returned unchanged, whole and in part', async () => {
    const { assets } = tried;
    const owner = freshOwner();
    const bytes = await picture(300, 200);
    const record = await assets.create({ owner, body: inPieces(bytes), filename: '../my photo.txt' });
    expect(record).toEqual({
      id: expect.stringMatching(/^ast_/),
      owner,
      kind: 'image',
      mime_type: 'image/png',
      size_bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      filename: 'my photo.txt',
      width: 300,
      height: 200,
      duration_ms: null,
      perceptual_hash: expect.stringMatching(/^[0-9a-f]{16}$/),
      thumbnail: 'possible',
      execution_id: null,
      batch_id: null,
      output_index: null,
      file: null,
      created_at: expect.any(Date),
    });
    expect(await assets.get(owner, record.id)).toEqual(record);
    expect(await assets.get(freshOwner(), record.id)).toBeNull();
    expect(await buffer(await assets.read(record))).toEqual(bytes);
    expect(await buffer(await assets.read(record, { start: 3, end: 9 }))).toEqual(bytes.subarray(3, 10));
    const {
      created_at,
      owner: _,
      ...shown
    } = assetFactsOf(record) as ReturnType<typeof assetFactsOf> & { owner?: never };
    expect(record).toMatchObject(shown);
    expect(new Date(created_at)).toEqual(record.created_at);
  });

  test.each([
    [
      'a video',
      CLIP_MP4,
      { kind: 'video', mime_type: 'video/mp4', width: 64, height: 96, duration_ms: 1_000, thumbnail: 'possible' },
    ],
    [
      'a text',
      Buffer.from('Just words.'),
      { kind: 'document', mime_type: 'text/plain', width: null, thumbnail: 'none' },
    ],
    [
      'a drawing with a script',
      Buffer.from('<svg><script>alert(1)</script></svg>'),
      { kind: 'document', mime_type: 'image/svg+xml', thumbnail: 'none' },
    ],
    ['a broken video', CLIP_MP4.subarray(0, 300), { kind: 'video', width: null, duration_ms: null, thumbnail: 'none' }],
    [
      'an archive bomb',
      Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(100)]),
      { kind: 'other', mime_type: 'application/zip' },
    ],
  ])('%s', async (_, bytes, facts) => {
    expect(await tried.assets.create({ owner: freshOwner(), body: bytes, filename: null })).toMatchObject(facts);
  });

  test('can be written to a new file, never over an existing one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chorus-download-'));
    const path = join(folder, 'copy');
    try {
      const record = await tried.assets.create({
        owner: freshOwner(),
        body: Buffer.from('some words'),
        filename: null,
      });
      await tried.assets.download(record, path);
      expect(await readFile(path, 'utf8')).toBe('some words');
      expect(await codeOf(tried.assets.download(record, path))).toBe('EEXIST');
      expect(await readFile(path, 'utf8')).toBe('some words');
      const gone = join(folder, 'gone');
      expect(await codeOf(tried.assets.download(record, gone, AbortSignal.abort()))).toBe('ABORT_ERR');
      expect(await codeOf(readFile(gone))).toBe('ENOENT');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('a refused file leaves nothing', () => {
  const refused = async (body: Readable | Uint8Array, expected: string) => {
    const create = () => tried.assets.create({ owner: freshOwner(), body, filename: null });
    expect(await keysAfter(async () => expect(await codeOf(create())).toBe(expected))).toEqual([]);
  };

  test('an empty file, a truncated picture, a failing body', async () => {
    await refused(Buffer.alloc(0), 'invalid_request');
    await refused((await picture(300, 300)).subarray(0, 5_000), 'invalid_request');
    const breaking = Readable.from(
      (async function* () {
        yield Buffer.alloc(100_000, 1);
        throw new Error('the client is gone');
      })(),
    );
    await refused(breaking, 'the client is gone');
  });

  test('a file too large for its kind, which is not read to the end', async () => {
    const limits = { uploadBytes: 10_000_000, bytes: { image: 100_000, video: 5_000_000 } };
    const small = tried.with(limits);
    const bytes = Buffer.concat([await picture(), Buffer.alloc(9_000_000)]);
    const body = inPieces(bytes, 50_000);
    let pieces = 0;
    body.on('data', () => {
      pieces += 1;
    });
    body.pause();
    const attempt = small.create({ owner: freshOwner(), body, filename: null });
    await expect(attempt).rejects.toMatchObject({
      code: 'payload_too_large',
      message: 'A file of the kind image may have up to 100000 bytes.',
      details: [{ path: 'body.file' }],
    });
    expect(pieces).toBeLessThan(10);
    expect(body.destroyed).toBe(true);
    // Results of executions have only their own limit.
    const made = { owner: freshOwner(), filename: null, executionId: newId('job'), outputIndex: 0 };
    const wide = await picture(300, 300);
    expect(wide.length).toBeGreaterThan(100_000);
    expect(await small.create({ ...made, body: wide })).toMatchObject({ kind: 'image' });
    expect(await codeOf(small.create({ ...made, outputIndex: 1, body: wide, maxBytes: 1_000 }))).toBe(
      'payload_too_large',
    );
  });

  test('an image with too many pixels', async () => {
    const narrow = tried.with({ uploadBytes: 10_000_000, imagePixels: 1_000 });
    const create = async () => narrow.create({ owner: freshOwner(), body: await picture(), filename: null });
    expect(await keysAfter(async () => expect(await codeOf(create())).toBe('invalid_request'))).toEqual([]);
  });
});

describe('a result of an execution', () => {
  test('exists once at its index, even if it is created repeatedly and concurrently', async () => {
    const { assets } = tried;
    const owner = freshOwner();
    const executionId = newId('job');
    const make = (outputIndex: number, text: string) =>
      assets.create({ owner, body: inPieces(Buffer.from(text)), filename: null, executionId, outputIndex });
    const keys = await keysAfter(async () => {
      const [first, ...others] = await Promise.all(['a', 'b', 'c', 'd'].map((text) => make(1, text)));
      expect(new Set(others.map(({ id }) => id))).toEqual(new Set([first?.id]));
      expect(await make(1, 'later')).toEqual(first);
      const zero = await make(0, 'zero');
      expect((await assets.ofExecution(owner, executionId)).map(({ id }) => id)).toEqual([zero.id, first?.id]);
      expect(await assets.ofExecution(freshOwner(), executionId)).toEqual([]);
      const content = await buffer(await assets.read(first as NonNullable<typeof first>));
      expect(createHash('sha256').update(content).digest('hex')).toBe(first?.sha256);
    });
    expect(keys).toHaveLength(2);
  });

  test('of a batch also exists once, is listed as a file, and is only limited by the quota', async () => {
    const small = tried.with({ uploadBytes: 1_000 });
    const owner = freshOwner();
    const file = { purpose: 'batch_output', expires_at: null };
    const batchId = newId('batch');
    const make = (text: string, outputIndex = 0) =>
      small.create({ owner, body: inPieces(Buffer.from(text)), filename: 'out.jsonl', batchId, outputIndex, file });
    const [first, ...others] = await Promise.all(['a', 'b', 'c'].map((text) => make(text.repeat(2_000))));
    expect(new Set(others.map(({ id }) => id))).toEqual(new Set([first?.id]));
    expect(first).toMatchObject({ batch_id: batchId, execution_id: null, output_index: 0, file, size_bytes: 2_000 });
    const second = await make('d', 1);
    const { data } = await tried.database.assets.listFiles(owner, { limit: 9, order: 'desc', purpose: 'batch_output' });
    expect(data).toEqual([second, first].toSorted((one, other) => (one && other && one.id < other.id ? 1 : -1)));
  });

  test('is found again when the store inserted its record but the reply was lost', async () => {
    const { blobs, database } = tried;
    const silent = {
      ...database.assets,
      insert: async (record: AssetRecord) => {
        await database.assets.insert(record);
        throw new ChorusError('store_unavailable', 'The answer was lost.');
      },
    };
    const log = createLogger({ name: 'test', level: 'silent' });
    const unsure = createAssets({ database: { ...database, assets: silent }, blobs, log });
    const made = { owner: freshOwner(), filename: null, executionId: newId('job'), outputIndex: 0 };
    expect(await codeOf(unsure.create({ ...made, body: Buffer.from('once') }))).toBe('store_unavailable');
    const found = await tried.assets.create({ ...made, body: Buffer.from('twice') });
    expect(String(await buffer(await tried.assets.read(found)))).toBe('once');
  });

  test('keeps the given facts of a video, and its poster', async () => {
    const owner = freshOwner();
    const made = { owner, body: CLIP_WEBM, filename: 'film.webm', executionId: newId('job'), outputIndex: 0 };
    const record = await tried.assets.create({
      ...made,
      facts: { width: 96, height: 64, duration_ms: 1_234 },
      poster: await picture(1_024, 700),
    });
    expect(record).toMatchObject({ width: 96, height: 64, duration_ms: 1_234, thumbnail: 'stored' });
    const thumbnail = await tried.assets.thumbnail(record);
    expect(await sharp(thumbnail ?? undefined).metadata()).toMatchObject({ format: 'webp', width: 384, height: 263 });
  });
});

test('is shown to models as a small JPEG if it is an image', async () => {
  const { assets } = tried;
  const owner = freshOwner();
  const large = await assets.create({ owner, body: await picture(2_000, 1_000), filename: null });
  const view = await assets.view(large);
  expect(await sharp(view ?? undefined).metadata()).toMatchObject({ format: 'jpeg', width: 1_280, height: 640 });
  const text = await assets.create({ owner, body: Buffer.from('words'), filename: null });
  expect(await assets.view(text)).toBeNull();
});

describe('thumbnails', () => {
  test('are created once, on first use, and are stored', async () => {
    const { assets } = tried;
    const owner = freshOwner();
    for (const [body, width] of [
      [await picture(800, 600), 384],
      [CLIP_MP4, 64],
    ] as const) {
      const record = await assets.create({ owner, body, filename: null });
      const keys = await keysAfter(async () => {
        const [one, two] = await Promise.all([1, 2].map(() => assets.thumbnail(record)));
        expect(await sharp(one ?? undefined).metadata()).toMatchObject({ format: 'webp', width });
        expect(two).toBe(one);
      });
      expect(keys).toEqual([expect.stringMatching(`/${record.id}/thumbnail$`)]);
      const stored = await assets.get(owner, record.id);
      expect(stored?.thumbnail).toBe('stored');
      const again = await assets.thumbnail(stored ?? record);
      expect(await sharp(again ?? undefined).metadata()).toMatchObject({ format: 'webp', width });
    }
  });

  test('are null if none can be created', async () => {
    const { assets } = tried;
    const owner = freshOwner();
    const text = await assets.create({ owner, body: Buffer.from('words'), filename: null });
    expect(await assets.thumbnail(text)).toBeNull();
    const broken = Buffer.from(CLIP_MP4).fill(0xff, 60, 500);
    const film = await assets.create({
      owner,
      body: broken,
      filename: null,
      executionId: newId('job'),
      facts: { width: 9, height: 9, duration_ms: 9 },
    });
    expect(film.thumbnail).toBe('possible');
    expect(await assets.thumbnail(film)).toBeNull();
    expect((await assets.get(owner, film.id))?.thumbnail).toBe('none');
  });
});

describe('a deleted asset', () => {
  test('loses its bytes', async () => {
    const { assets } = tried;
    const owner = freshOwner();
    const keys = await keysAfter(async () => {
      const record = await assets.create({ owner, body: await picture(), filename: null });
      await assets.thumbnail(record);
      expect(await assets.remove(freshOwner(), record.id)).toBe(false);
      expect(await assets.remove(owner, record.id)).toBe(true);
      expect(await assets.remove(owner, record.id)).toBe(false);
      expect(await assets.get(owner, record.id)).toBeNull();
      expect(await codeOf(assets.read(record))).toBe('not_found');
    });
    expect(keys).toEqual([]);
  });

  test('a record without its bytes throws not_found', async () => {
    const { assets } = tried;
    const record = await assets.create({ owner: freshOwner(), body: await picture(), filename: null });
    await assets.removeBytes([record.id]);
    expect(await codeOf(assets.read(record))).toBe('not_found');
    expect(await codeOf(assets.thumbnail(record))).toBe('not_found');
  });
});

describe('the sweep', () => {
  test('removes old bytes without a record, and nothing else', async () => {
    const { assets, blobs } = tried;
    const owner = freshOwner();
    await assets.sweep(new Date(Date.now() + 1_000));
    const kept = await assets.create({ owner, body: await picture(), filename: null });
    await assets.thumbnail(kept);
    const staged = await assets.stage({ owner, body: Buffer.from('never kept'), filename: null });
    expect(await assets.get(owner, staged.id)).toBeNull();
    await blobs.put(`assets/another-platform/${newId('asset')}/content`, Buffer.from('not ours'));
    await blobs.put('ledger/x', Buffer.from('not an asset'));

    const before = await tried.keys();
    expect(await assets.sweep(new Date(Date.now() - 60_000))).toBe(0);
    expect(await tried.keys()).toEqual(before);
    expect(await assets.sweep(new Date(Date.now() + 1_000))).toBe(1);
    expect(await tried.keys()).toEqual(before.filter((key) => !key.includes(staged.id)));
  });

  test('is not needed for a discarded file', async () => {
    const { assets } = tried;
    const keys = await keysAfter(async () => {
      await assets.discard(await assets.stage({ owner: freshOwner(), body: await picture(), filename: null }));
    });
    expect(keys).toEqual([]);
  });
});

test('discards an asset that a late worker creates for a deleted execution', async () => {
  const owner = freshOwner();
  const gone = newId('job');
  const executions = { isDeleted: async (id: string) => id === gone };
  const { assets: records, secrets, storage } = tried.database;
  const database = { assets: records, secrets, storage, executions };
  const assets = createAssets({ database, blobs: tried.blobs, log: createLogger({ name: 'test', level: 'silent' }) });
  const left = await keysAfter(async () => {
    const late = assets.create({
      owner,
      body: await picture(),
      filename: 'late.png',
      executionId: gone,
      outputIndex: 0,
    });
    expect(await codeOf(late)).toBe('cancelled');
  });
  expect(left).toEqual([]);
  expect(await assets.ofExecution(owner, gone)).toEqual([]);
  const kept = await assets.create({ owner, body: await picture(), filename: null, executionId: newId('job') });
  expect(await assets.get(owner, kept.id)).not.toBeNull();
});
