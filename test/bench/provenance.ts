import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { hashDistance, imageSimilarity, makeThumbnail, perceptualHash } from '@chorus/media';
import { type Generated, openProvenance, type Provenance, SIMILAR_RADIUS } from '@chorus/provenance';
import { createLogger } from '@chorus/runtime/log';
import { CLIP_MP4, startStore, TEST_SECRET_KEY } from '@chorus/testing';
import mongoose from 'mongoose';
import sharp from 'sharp';
import { drawScene } from '../../workers/vision/src/test-pictures.ts';
import { heading, median, percentile, report } from './report.ts';

const log = createLogger({ name: 'bench', level: 'silent' });
const SCOPE = { owner: 'bench' };
const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };

/** `LEDGER_ENTRIES=1000000` takes a few minutes. */
const ENTRIES = Number(process.env.LEDGER_ENTRIES ?? 100_000);
const TIMES = 10;
const VIDEO_BYTES = 50_000_000;

/** Measures signing, verifying, and similarity search, and how reliably copies are found. */
export async function provenance(): Promise<void> {
  const [store, folder] = await Promise.all([startStore(), mkdtemp(join(tmpdir(), 'chorus-bench-'))]);
  const database = await connectDatabase({ uri: store.uri, secretKey: TEST_SECRET_KEY, log });
  const own = await openProvenance({ c2pa: null }, { database, log });
  try {
    await signing(own, folder);
    await copies();
    await ledger(own, database, store.uri);
  } finally {
    own.close();
    await database.close();
    await Promise.all([store.stop(), rm(folder, { recursive: true, force: true })]);
  }
}

async function signing(own: Provenance, folder: string): Promise<void> {
  heading('Provenance: signing and reading (ms, median)');
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  const picture = sharp({ create: { width: 1_024, height: 1_024, channels: 3, background: '#888', noise } });
  const files: [string, string, Buffer][] = [
    ['PNG, 1,024 x 1,024', 'image/png', await picture.png().toBuffer()],
    ['JPEG, 1,024 x 1,024', 'image/jpeg', await picture.jpeg().toBuffer()],
    ['WebP, 1,024 x 1,024', 'image/webp', await picture.webp().toBuffer()],
    ['MP4', 'video/mp4', largeVideo()],
  ];
  for (const [name, mime, bytes] of files) {
    const [signed, read]: [number[], number[]] = [[], []];
    const path = join(folder, 'made');
    const making = { mime, executionId: newId('job'), model: 'embedded/canvas', procedural: true };
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    for (let time = 0; time < TIMES; time++) {
      await writeFile(path, bytes);
      const startedAt = performance.now();
      const { body } = await own.sign({ path }, making);
      signed.push(performance.now() - startedAt);
      const between = performance.now();
      const reading = await own.read({ path: body.path, mime });
      read.push(performance.now() - between);
      if (reading.found !== 'claims' || reading.claims.state !== 'intact') throw new Error(`${name}: not signed`);
    }
    delay.disable();
    const { size } = await stat(path);
    const loop = `longest event loop delay ${(delay.max / 1e6).toFixed(0)}`;
    report(
      `${name}, ${(size / 1e6).toFixed(1)} MB: sign; read`,
      `${median(signed).toFixed(0)}; ${median(read).toFixed(0)}`,
      loop,
    );
  }
}

/** Returns a one-second video with a lot of data that players ignore. */
function largeVideo(): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(VIDEO_BYTES);
  header.write('mdat', 4, 'latin1');
  return Buffer.concat([CLIP_MP4, header, randomBytes(VIDEO_BYTES - 8)]);
}

const PICTURES = 60;
const OTHERS = 120;
const SAME = 0.9;

const CHANGES: Record<string, (picture: Buffer) => Promise<Buffer>> = {
  'JPEG at quality 40': (picture) => sharp(picture).jpeg({ quality: 40 }).toBuffer(),
  'WebP at quality 50': (picture) => sharp(picture).webp({ quality: 50 }).toBuffer(),
  'half the size': (picture) => sharp(picture).resize({ width: 256 }).png().toBuffer(),
  'cropped by 3% on each side': (picture) =>
    sharp(picture).extract({ left: 15, top: 15, width: 482, height: 482 }).png().toBuffer(),
  grey: (picture) => sharp(picture).greyscale().png().toBuffer(),
  'a fifth brighter': (picture) => sharp(picture).modulate({ brightness: 1.2 }).png().toBuffer(),
  'a line of text on top': (picture) =>
    sharp(picture)
      .composite([{ input: CAPTION, gravity: 'south' }])
      .png()
      .toBuffer(),
};
const CAPTION = Buffer.from(
  '<svg width="512" height="40"><rect width="512" height="40" fill="white"/><text x="10" y="30" font-size="28">A line of text</text></svg>',
);

async function copies(): Promise<void> {
  heading(
    `Copies of ${PICTURES} pictures: found by hash within ${SIMILAR_RADIUS} of 64 bits, then by comparing thumbnails`,
  );
  const pictures = await Promise.all(Array.from({ length: OTHERS }, (_, seed) => drawScene(seed).png().toBuffer()));
  const hashes = await Promise.all(pictures.map(async (picture) => (await perceptualHash(picture, SCOPE)) ?? ''));
  for (const [name, change] of Object.entries(CHANGES)) {
    let [near, same] = [0, 0];
    const distances: number[] = [];
    for (const [at, picture] of pictures.slice(0, PICTURES).entries()) {
      const copy = await change(picture);
      const distance = hashDistance(hashes[at] as string, (await perceptualHash(copy, SCOPE)) ?? '');
      distances.push(distance);
      if (distance > SIMILAR_RADIUS) continue;
      near += 1;
      if ((await imageSimilarity(await makeThumbnail(copy, SCOPE), await makeThumbnail(picture, SCOPE), SCOPE)) >= SAME)
        same += 1;
    }
    const share = (count: number) => `${((count / PICTURES) * 100).toFixed(0)}%`;
    report(
      name,
      `${share(near)}; ${share(same)}`,
      `bits: median ${median(distances)}, 90% within ${percentile(distances, 0.9)}`,
    );
  }
  const pairs = pictures.flatMap((_, one) =>
    pictures.slice(one + 1).map((_, after) => [one, one + 1 + after] as const),
  );
  const apart = pairs.map(([one, other]) => ({
    one,
    other,
    bits: hashDistance(hashes[one] as string, hashes[other] as string),
  }));
  const nearest = apart.sort((one, other) => one.bits - other.bits).slice(0, 100);
  const thumbnails = await Promise.all(pictures.map((picture) => makeThumbnail(picture, SCOPE)));
  const similarity: number[] = [];
  for (const { one, other } of nearest)
    similarity.push(await imageSimilarity(thumbnails[one] as Uint8Array, thumbnails[other] as Uint8Array, SCOPE));
  const within = apart.filter(({ bits }) => bits <= SIMILAR_RADIUS).length;
  report(
    `false matches among ${pairs.length.toLocaleString('en')} pairs within ${SIMILAR_RADIUS} bits`,
    String(within),
    `the closest pair differs in ${nearest[0]?.bits}`,
  );
  report('highest similarity among the 100 closest pairs', Math.max(...similarity).toFixed(2), `a copy from ${SAME}`);
}

async function ledger(own: Provenance, database: Database, uri: string): Promise<void> {
  heading(`The ledger: similarity search among ${ENTRIES.toLocaleString('en')} entries of one scope (ms)`);
  const connection = await mongoose.createConnection(uri).asPromise();
  const collection = connection.getClient().db().collection<{ _id: string }>('provenance_ledger');
  const sample = await recordOf(own, database, collection);
  const hashes: string[] = [];
  const startedAt = performance.now();
  for (let at = 0; at < ENTRIES; at += 1_000) {
    const batch = Array.from({ length: Math.min(1_000, ENTRIES - at) }, () => {
      const hash = randomBytes(8).toString('hex');
      hashes.push(hash);
      return { ...sample, _id: newId('asset'), sha256: [hash], perceptual_hash: hash, bands: bandsOf(hash) };
    });
    await collection.insertMany(batch);
  }
  report('filled, seconds', ((performance.now() - startedAt) / 1_000).toFixed(0));
  const times: number[] = [];
  let missed = 0;
  for (let time = 0; time < 50; time++) {
    const hash = hashes[Math.floor(Math.random() * hashes.length)] as string;
    const asked = flipped(hash, SIMILAR_RADIUS);
    const before = performance.now();
    const found = await own.findSimilar(owner, asked);
    times.push(performance.now() - before);
    if (!found.some(({ record }) => record.perceptual_hash === hash)) missed += 1;
  }
  report(
    `an image that differs in ${SIMILAR_RADIUS} bits: median; p99`,
    `${median(times).toFixed(1)}; ${percentile(times, 0.99).toFixed(1)}`,
    `missed: ${missed}`,
  );
  await connection.close();
}

/** Returns a stored record that the ledger itself has written. */
async function recordOf(own: Provenance, database: Database, collection: mongoose.mongo.Collection<{ _id: string }>) {
  const id = newId('asset');
  const asset: Generated['asset'] = {
    id,
    owner,
    sha256: 'x',
    kind: 'image',
    perceptual_hash: null,
    created_at: new Date(),
  };
  await own.recordGenerated({ asset, executionId: newId('job'), model: 'embedded/canvas', unsignedSha256: 'y' });
  const stored = await collection.findOne({ _id: id });
  if (stored === null || (await database.provenance.getMany(owner, [id])).length !== 1) throw new Error('not recorded');
  return stored;
}

/** Splits hashes as the ledger does. */
const bandsOf = (hash: string) =>
  [0, 1, 2, 3].map((at) => at * 65_536 + Number.parseInt(hash.slice(at * 4, at * 4 + 4), 16));

function flipped(hash: string, bits: number): string {
  let value = BigInt(`0x${hash}`);
  const places = new Set<number>();
  while (places.size < bits) places.add(Math.floor(Math.random() * 64));
  for (const place of places) value ^= 1n << BigInt(place);
  return value.toString(16).padStart(16, '0');
}
