import type { PdfPage } from '@chorus/testing';
import { expect, test } from 'vitest';
import { toRaster } from '../image/raster.ts';
import { drawPage } from '../test-pages.ts';
import type { Engine } from './engine-port.ts';
import { readPage } from './read-page.ts';

const page: PdfPage = {
  width: 300,
  height: 140,
  marks: [40, 60, 80, 100].map((y) => ({ text: 'They live in burrows, and come out at dusk', x: 30, y, size: 11 })),
};

const english = { languages: ['eng'], vertical: { installed: [], missing: null } };

/** An engine that reads every picture as one line with one word. */
function engineOf(word: string, confidence: number): Engine & { pictures: number } {
  return {
    pictures: 0,
    async read({ width, height }) {
      this.pictures += 1;
      return `5\t1\t1\t1\t1\t1\t0\t0\t${width}\t${height}\t${confidence}\t${word}`;
    },
    detectScript: async () => 'Greek',
  };
}

test('reads an upright page once', async () => {
  const engine = engineOf('burrows', 90);
  const { prepared, script } = await readPage(engine, english, await toRaster(await drawPage(page)));
  expect([engine.pictures, prepared.turn, script]).toEqual([1, 0, undefined]);
});

test('leaves a page upright that is unreadable in every direction, and names its script', async () => {
  const raster = await toRaster(await drawPage(page));
  const { prepared, script } = await readPage(engineOf('garbage', 52), english, raster);
  expect([prepared.turn, script]).toEqual([0, 'Greek']);
  expect(
    (await readPage(engineOf('garbage', 52), { ...english, languages: ['eng', 'ell'] }, raster)).script,
  ).toBeUndefined();
});
