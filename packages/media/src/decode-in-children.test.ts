import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { largePng, TINY_PNG } from '@chorus/testing';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ImageSource, inspectImage, makeThumbnail, makeView, perceptualHash, probeImage } from './images.ts';

const call = { owner: 'personal:a' };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chorus-media-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const noise = (side: number) =>
  sharp({
    create: {
      width: side,
      height: side,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 30 },
    },
  });

/** Wraps bytes as a stored asset. */
const stored = (bytes: Buffer) => ({
  sizeBytes: bytes.length,
  open: async ({ start, end } = { start: 0, end: bytes.length - 1 }) => Readable.from([bytes.subarray(start, end + 1)]),
});

const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    ({ problem }) => problem,
  );

test('decodes bytes, files, and stored assets alike, small or large', async () => {
  for (const bytes of [await noise(90).png().toBuffer(), await noise(1_400).png({ compressionLevel: 0 }).toBuffer()]) {
    const path = join(folder, String(bytes.length));
    await writeFile(path, bytes);
    const sources: ImageSource[] = [bytes, path, stored(bytes)];
    const [first, ...others] = await Promise.all(sources.map((source) => makeThumbnail(source, call)));
    for (const other of others) expect(Buffer.compare(other, first as Uint8Array)).toBe(0);
    expect((await sharp(await makeView(path, call)).metadata()).format).toBe('jpeg');
    const { perceptual_hash } = await probeImage(path, call);
    expect(await perceptualHash(bytes, call)).toBe(perceptual_hash);
  }
});

test('decodes a small image during inspection to find damage, and only measures a large one', async () => {
  const small = await noise(300).png().toBuffer();
  expect(await inspectImage(small, call)).toMatchObject({ width: 300, perceptual_hash: expect.any(String) });
  expect(await problemOf(inspectImage(small.subarray(0, small.length / 2), call))).toBe('damaged');
  const large = await largePng(4_000, 3_000);
  expect(await inspectImage(large, call)).toEqual({ width: 4_000, height: 3_000, perceptual_hash: null });
  expect(await problemOf(inspectImage(large, { ...call, maxPixels: 1_000_000 }))).toBe('too_many_pixels');
  expect(await problemOf(makeThumbnail(large.subarray(0, large.length / 2), call))).toBe('damaged');
});

/** Returns the child that is decoding; null if none is, or if the system does not say. */
function busyChild(): number | null {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const isOurs = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('image-main');
      const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
      if (isOurs && Number(parent) === process.pid && state === 'R') return Number(pid);
    } catch {} // has just ended
  return null;
}

/** Returns the child that is decoding before `work` is done. Null if it was not found. */
async function busyChildDuring(work: Promise<unknown>): Promise<number | null> {
  let isDone = false;
  void work.finally(() => {
    isDone = true;
  });
  let pid: number | null = null;
  while (pid === null && !isDone) {
    pid = busyChild();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return pid;
}

test.skipIf(process.platform !== 'linux')('decodes an image again when the child is killed', async () => {
  const large = await noise(2_000).jpeg({ progressive: true }).toBuffer();
  await makeThumbnail(TINY_PNG, call);
  let thumbnail = makeThumbnail(large, call);
  let pid = await busyChildDuring(thumbnail);
  for (; pid === null; pid = await busyChildDuring(thumbnail)) thumbnail = makeThumbnail(large, call);
  process.kill(pid, 'SIGKILL');
  expect((await sharp(await thumbnail).metadata()).format).toBe('webp');
});

test('finds a header at the end of a large file', async () => {
  const tiff = await noise(1_300).tiff({ compression: 'none' }).toBuffer();
  expect(tiff.length).toBeGreaterThan(4_000_000);
  expect(tiff.readUInt32LE(4)).toBeGreaterThan(4_000_000);
  expect(await inspectImage(stored(tiff), call)).toMatchObject({ width: 1_300, height: 1_300 });
});

test('does not open files that can be rendered but are not images', async () => {
  const svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
  );
  expect(await problemOf(makeThumbnail(svg, call))).toBe('damaged');
});

test('does not let a small image wait for large ones of another owner', async () => {
  const large = await largePng(9_000, 9_000);
  const ended: string[] = [];
  const many = Array.from({ length: 4 }, () => makeThumbnail(large, call).then(() => ended.push('large')));
  await makeThumbnail(TINY_PNG, { owner: 'personal:b' });
  ended.push('small');
  await Promise.all(many);
  expect(ended.indexOf('small')).toBeLessThan(3);
}, 120_000);

test('reports errors of the source and decodes the next image', async () => {
  const source = { sizeBytes: 100, open: () => Promise.reject(new Error('the store is down')) };
  await expect(inspectImage(source, call)).rejects.toThrow('the store is down');
  expect(await inspectImage(TINY_PNG, call)).toMatchObject({ width: expect.any(Number) });
});
