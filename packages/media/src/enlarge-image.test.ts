import sharp from 'sharp';
import { expect, test } from 'vitest';
import { enlargeImage } from './images.ts';

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'teal' } });
const call = { owner: 'owner' };

test.each(['png', 'jpeg', 'webp', 'gif', 'tiff', 'avif'] as const)('keeps the format of a %s image', async (format) => {
  const source = await picture(30, 20).toFormat(format).toBuffer();
  const enlarged = await sharp(await enlargeImage(source, 3, call)).metadata();
  expect([enlarged.format, enlarged.width, enlarged.height]).toEqual([format === 'avif' ? 'heif' : format, 90, 60]);
});

test('enlarges a rotated photo upright, without its metadata', async () => {
  const source = await picture(40, 20).withMetadata({ orientation: 6 }).jpeg().toBuffer();
  const { width, height, exif } = await sharp(await enlargeImage(source, 2, call)).metadata();
  expect([width, height, exif]).toEqual([40, 80, undefined]);
});

test('refuses a result above 50 megapixels before decoding', async () => {
  const source = await picture(4_000, 4_000).png().toBuffer();
  await expect(enlargeImage(source, 2, call)).rejects.toMatchObject({
    problem: 'too_many_pixels',
    message: 'The enlarged image would measure 8000 x 8000 pixels; up to 50 megapixels are allowed.',
  });
});
