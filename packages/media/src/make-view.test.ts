import sharp from 'sharp';
import { expect, test } from 'vitest';
import { makeView } from './make-view.ts';

test('converts a large transparent image to a bounded JPEG on white, without metadata', async () => {
  const clear = { r: 0, g: 0, b: 0, alpha: 0 };
  const large = await sharp({ create: { width: 2_600, height: 1_300, channels: 4, background: clear } })
    .withExif({ IFD0: { Copyright: 'somebody' } })
    .png()
    .toBuffer();
  const view = await makeView(large);
  const { format, width, height, exif } = await sharp(view).metadata();
  expect({ format, width, height, exif }).toEqual({ format: 'jpeg', width: 1_280, height: 640, exif: undefined });
  expect((await sharp(view).stats()).channels[0]?.min).toBe(255);
});
