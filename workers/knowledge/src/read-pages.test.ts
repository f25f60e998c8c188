import { ChorusError, type OcrPage } from '@chorus/contract';
import type { ReadPage } from '@chorus/knowledge';
import type { Ocr } from '@chorus/ocr';
import { expect, test } from 'vitest';
import { readPagesOf } from './read-pages.ts';

const pageOf = (number: number): OcrPage => ({
  number,
  width: 600,
  height: 800,
  rotation: 0,
  source: 'image',
  text: `Text ${number}`,
  markdown: `Text ${number}`,
  confidence: null,
  lines: null,
});
const place = { isWanted: async () => false, giveBack: () => expect.unreachable() };
const file = { path: '/scan', mimeType: 'application/pdf' };
const { signal } = new AbortController();

const engine = async () => ({ name: 'tesseract.js' as const, version: '7', languages: ['eng'] });

function filesWith(...kept: ReadPage[]) {
  return {
    kept,
    pages: async () => [...kept],
    putPages: async (pages: readonly ReadPage[]) => void kept.push(...pages),
  };
}

test('keeps the pages that were read when others fail, so that only those are read again', async () => {
  const error = new ChorusError('timeout', 'It took too long.');
  const asked: unknown[] = [];
  const ocr: Pick<Ocr, 'read' | 'engine'> = {
    engine,
    async *read(_source, _type, { pages, onFailure } = {}) {
      asked.push(pages);
      for (const number of String(pages).split(',').map(Number)) {
        const hasTextLayer = number === 4;
        if (number % 2 === 0) onFailure?.({ page: number, error, hasTextLayer });
        if (number % 2 === 1 || hasTextLayer) yield pageOf(number);
      }
    },
  };
  const files = filesWith({ number: 1, text: 'Text 1' });
  const failed: number[] = [];
  const onFailure = (page: number) => void failed.push(page);
  const read = await readPagesOf(ocr, files, place)(file, [1, 2, 3, 4, 5], { signal, onFailure });
  expect(asked).toEqual(['2,3,4,5']);
  expect(read.map(({ number }) => number)).toEqual([1, 3, 5]);
  expect(failed).toEqual([2, 4]);
  expect(files.kept.map(({ number }) => number)).toEqual([1, 3, 5]);
});

test('reads all pages of an image, beyond the limit of one call too', async () => {
  const ocr: Pick<Ocr, 'read' | 'engine'> = {
    engine,
    async *read(_source, _type, { pages, onOpen } = {}) {
      const [first, pagesLeft] = pages === '3-4' ? [3, null] : [1, '3-4'];
      onOpen?.({ pageCount: 4, pages: [first, first + 1], pagesLeft });
      yield pageOf(first);
      yield pageOf(first + 1);
    },
  };
  const read = await readPagesOf(ocr, filesWith(), place)({ ...file, mimeType: 'image/tiff' }, null, { signal });
  expect(read.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
});

test('reports doubts about pages, whichever attempt read them', async () => {
  const ocr: Pick<Ocr, 'read' | 'engine'> = {
    engine,
    async *read() {
      yield { ...pageOf(2), confidence: 0.41 };
      yield { ...pageOf(3), confidence: 0.97 };
      yield { ...pageOf(4), script: 'Cyrillic' };
    },
  };
  const files = filesWith({ number: 1, text: 'T3xl', confidence: 0.5 });
  const warnings: string[] = [];
  const onWarning = (warning: string) => void warnings.push(warning);
  await readPagesOf(ocr, files, place)(file, [1, 2, 3, 4], { signal, onWarning });
  expect(warnings).toEqual([
    'Read with low confidence, so the text may be wrong: page 1 (0.50), 2 (0.41).',
    expect.stringContaining('Page 4: the text seems to be in Cyrillic script, which eng cannot read.'),
  ]);
  const image = { ...file, mimeType: 'image/png' };
  await readPagesOf(ocr, filesWith(), place)(image, null, { signal, onWarning });
  expect(warnings.at(2)).toBe('Read with low confidence, so the text may be wrong: page 2 (0.41).');
});
