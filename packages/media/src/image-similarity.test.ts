import sharp from 'sharp';
import { expect, test } from 'vitest';
import { imageSimilarity } from './image-similarity.ts';

/** Draws a background and shapes that follow from the seed. */
function draw(seed: number) {
  const at = (step: number) => (seed * step * 7_919 + step * 104_729) % 400;
  const shapes = [1, 2, 3, 4, 5, 6, 7].map(
    (step) =>
      `<circle cx="${at(step)}" cy="${at(step + 10)}" r="${30 + (at(step + 20) % 60)}" fill="hsl(${at(step)} 60% ${at(step + 5) % 100}%)"/>`,
  );
  return sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"><rect width="400" height="400" fill="hsl(${seed * 40} 50% 50%)"/>${shapes.join('')}</svg>`,
    ),
  );
}

const cropped = { left: 12, top: 12, width: 376, height: 376 };

test('finds copies similar and other images different', async () => {
  const picture = await draw(1).png().toBuffer();
  const copies = {
    itself: picture,
    'encoded anew': await draw(1).jpeg({ quality: 40 }).toBuffer(),
    smaller: await draw(1).resize(100).webp().toBuffer(),
    grey: await draw(1).greyscale().png().toBuffer(),
    cropped: await sharp(picture).extract(cropped).png().toBuffer(),
    'cropped at one side': await sharp(picture).extract({ left: 40, top: 0, width: 360, height: 400 }).png().toBuffer(),
  };
  for (const [name, copy] of Object.entries(copies)) {
    expect([name, await imageSimilarity(picture, copy)]).toEqual([name, expect.closeTo(1, 1)]);
    expect([name, await imageSimilarity(copy, picture)]).toEqual([name, expect.closeTo(1, 1)]);
  }
  for (const seed of [2, 3, 4])
    expect(await imageSimilarity(picture, await draw(seed).png().toBuffer())).toBeLessThan(0.8);
});

test('finds nothing similar to a plain color', async () => {
  const plain = await sharp({ create: { width: 50, height: 50, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  expect(await imageSimilarity(plain, await draw(1).png().toBuffer())).toBe(0);
});

test('rejects files that are not images', async () => {
  await expect(imageSimilarity(Buffer.from('text'), Buffer.from('text'))).rejects.toMatchObject({ problem: 'damaged' });
});
