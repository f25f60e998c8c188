import { readFile } from 'node:fs/promises';
import { createLogger } from '@chorus/runtime/log';
import type { PdfPage } from '@chorus/testing';
import { expect, test } from 'vitest';
import { createOcr } from '../create-ocr.ts';
import { toRaster } from '../image/raster.ts';
import { drawPage } from '../test-pages.ts';
import type { Engine, Segmentation } from './engine-port.ts';
import { findEngine } from './find-engine.ts';
import { readPage } from './read-page.ts';
import { verticalOf } from './scripts.ts';

/** Letters that are closer to those below than to those next to them, as in vertical writing. */
const columns: PdfPage = {
  width: 300,
  height: 300,
  marks: Array.from({ length: 60 }, (_, at) => ({
    text: 'HBEDNR'[at % 6]!,
    x: 250 - Math.floor(at / 12) * 45,
    y: 40 + (at % 12) * 16,
    size: 16,
  })),
};

/** An engine that is confident of lines from top to bottom, or of none. */
function engineOf(isSure: boolean): Engine & { asked: [Segmentation, readonly string[]][] } {
  return {
    asked: [],
    async read({ width, height }, languages, segmentation) {
      this.asked.push([segmentation, languages]);
      const confidence = isSure && segmentation === 'vertical' ? 95 : 40;
      return `5\t1\t1\t1\t1\t1\t0\t0\t${width}\t${height}\t${confidence}\t吾輩は`;
    },
    detectScript: async () => 'Japanese',
  };
}

const raster = await toRaster(await drawPage(columns));
const languages = ['jpn'];

test('reads a page from top to bottom if the engine is confident', async () => {
  const engine = engineOf(true);
  const vertical = verticalOf(languages, ['jpn', 'jpn_vert']);
  expect((await readPage(engine, { languages, vertical }, raster)).isVertical).toBe(true);
  expect(engine.asked).toEqual([['vertical', ['jpn_vert']]]);
  const unsure = engineOf(false);
  expect((await readPage(unsure, { languages, vertical }, raster)).isVertical).toBeUndefined();
  expect(unsure.asked.at(-1)?.[0]).not.toBe('vertical');
});

test('names the script of a vertical page whose data is missing, without reading it in another language', async () => {
  const engine = engineOf(true);
  const vertical = verticalOf(languages, ['eng', 'jpn']);
  expect((await readPage(engine, { languages, vertical }, raster)).script).toBe('vertical Japanese');
  const english = verticalOf(['eng'], ['eng', 'jpn_vert']);
  expect(english).toEqual({ installed: [], missing: null });
  await readPage(engine, { languages: ['eng'], vertical: english }, raster);
  expect(engine.asked.map(([segmentation]) => segmentation)).not.toContain('vertical');
});

const [searchPath, tessdata] = [process.env.PATH ?? '', process.env.TESSDATA_PREFIX ?? null];
const installed = (await findEngine(searchPath, tessdata)).languages;

test.skipIf(!installed.includes('jpn') || !installed.includes('jpn_vert'))(
  'reads vertical Japanese with the installed data',
  async () => {
    const log = createLogger({ name: 'test', level: 'silent' });
    const ocr = createOcr({ processes: 1, log, searchPath, tessdata });
    const png = await readFile(new URL('../test-vertical.png', import.meta.url));
    const [page] = await Array.fromAsync(ocr.read(png, 'image/png', { languages }));
    expect(page?.text.replace(/\s/g, '')).toContain('名前はまだ無い。どこで生れたか');
    expect(page?.lines).toHaveLength(6);
    await ocr.close();
  },
);
