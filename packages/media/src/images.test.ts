import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashDistance } from './hash-distance.ts';
import { makeThumbnail } from './make-thumbnail.ts';
import { perceptualHash, probeImage } from './perceptual-hash.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chorus-media-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Draws a scene with three shapes. */
function scene(width: number, height: number, shapes = '') {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 200" width="${width}" height="${height}">
    <rect width="300" height="200" fill="#9cf"/><rect y="140" width="300" height="60" fill="#263"/>
    <circle cx="230" cy="50" r="28" fill="#fd3"/><polygon points="40,140 110,40 180,140" fill="#654"/>${shapes}</svg>`;
  return sharp(Buffer.from(svg)).resize(width, height, { fit: 'fill' });
}

/** Builds a 1-bit PNG with a thousand times as many pixels as bytes. */
function blackPng(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const rows = deflateSync(Buffer.alloc((width / 8 + 1) * height));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}

const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    ({ problem }) => problem,
  );

describe('measures', () => {
  test.each(['png', 'jpeg', 'webp', 'gif', 'tiff', 'avif'] as const)('%s', async (format) => {
    const content = await scene(120, 80).toFormat(format).toBuffer();
    expect(await probeImage(content)).toEqual({
      width: 120,
      height: 80,
      perceptual_hash: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
  });

  test('measures the image as displayed', async () => {
    const turned = await scene(120, 80).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    expect(await probeImage(turned)).toMatchObject({ width: 80, height: 120 });
    expect(await sharp(await makeThumbnail(turned)).metadata()).toMatchObject({
      width: 80,
      height: 120,
      format: 'webp',
    });
  });

  test('measures one frame of an animation', async () => {
    const frames = Array.from({ length: 3 }, (_, index) =>
      scene(60, 40, `<circle cx="${index * 90}" cy="9" r="9"/>`)
        .png()
        .toBuffer(),
    );
    const moving = await sharp(await Promise.all(frames), { join: { animated: true } })
      .gif()
      .toBuffer();
    expect((await sharp(moving).metadata()).pages).toBe(3);
    expect(await probeImage(moving)).toMatchObject({ width: 60, height: 40 });
  });
});

describe('hostile images', () => {
  test('rejects a truncated image', async () => {
    for (const format of ['png', 'jpeg', 'webp'] as const) {
      const content = await scene(400, 300).toFormat(format).toBuffer();
      expect([format, await problemOf(probeImage(content.subarray(0, content.length / 2)))]).toEqual([
        format,
        'damaged',
      ]);
    }
  });

  test('rejects damaged and truncated images', async () => {
    const content = await scene(400, 300).png().toBuffer();
    content.fill(0x55, content.length / 2, content.length / 2 + 500);
    expect(await problemOf(probeImage(content))).toBe('damaged');
    expect(await problemOf(probeImage(Buffer.from('GIF89a<script>alert(1)</script>')))).toBe('damaged');
    expect(await problemOf(probeImage(new Uint8Array(0)))).toBe('damaged');
  });

  test('rejects an image with far more pixels than bytes by its header, with its size', async () => {
    const bomb = blackPng(12_000, 10_000);
    const path = join(folder, 'bomb.png');
    await writeFile(path, bomb);
    expect(bomb.length).toBeLessThan(1_000_000);
    const started = performance.now();
    for (const input of [bomb, path]) {
      await expect(probeImage(input)).rejects.toMatchObject({
        problem: 'too_many_pixels',
        message: 'The image has 12000 x 10000 pixels; the limit is 100 megapixels.',
      });
    }
    expect(await problemOf(makeThumbnail(path, { maxPixels: 10_000 }))).toBe('too_many_pixels');
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test('rejects files that can be rendered but are not images', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script><rect width="9" height="9"/></svg>';
    expect(await problemOf(makeThumbnail(Buffer.from(svg)))).toBe('damaged');
  });
});

describe('perceptual hash', () => {
  const hash = async (image: Sharp) => {
    const found = await perceptualHash(await image.toBuffer());
    if (found === null) throw new Error('the image has no hash');
    return found;
  };

  test('is similar for copies and different for other images', async () => {
    const original = await hash(scene(600, 400).png());
    expect(hashDistance(original, await hash(scene(600, 400).jpeg({ quality: 40 })))).toBeLessThanOrEqual(4);
    expect(hashDistance(original, await hash(scene(150, 100).webp()))).toBeLessThanOrEqual(4);
    const other = sharp({
      create: {
        width: 300,
        height: 200,
        channels: 3,
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
        background: 'red',
      },
    });
    expect(hashDistance(original, await hash(other.png()))).toBeGreaterThan(14);
    expect(hashDistance('00000000000000ff', 'ff00000000000000')).toBe(16);
  });

  test('ignores an alpha channel', async () => {
    const original = await hash(scene(600, 400).removeAlpha().png());
    expect(hashDistance(original, await hash(scene(600, 400).ensureAlpha().png()))).toBe(0);
  });

  test('is null for a plain color', async () => {
    const plain = (background: string) =>
      sharp({ create: { width: 90, height: 90, channels: 3, background } })
        .png()
        .toBuffer();
    expect(await perceptualHash(await plain('white'))).toBeNull();
    expect(await perceptualHash(await plain('#123'))).toBeNull();
  });
});

test('creates a small thumbnail with the same proportions and no metadata', async () => {
  const photo = await scene(2_000, 1_000)
    .withExif({ IFD0: { Copyright: 'somebody', Artist: 'a secret name' } })
    .jpeg()
    .toBuffer();
  expect(photo.includes('a secret name')).toBe(true);
  const thumbnail = await makeThumbnail(photo);
  const { width, height, exif } = await sharp(thumbnail).metadata();
  expect({ width, height, exif }).toEqual({ width: 384, height: 192, exif: undefined });
  expect(thumbnail.includes('a secret name')).toBe(false);
  expect(await sharp(await makeThumbnail(await scene(60, 30).png().toBuffer())).metadata()).toMatchObject({
    width: 60,
    height: 30,
  });
});
