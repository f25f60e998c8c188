import { ChorusError, type OcrPage } from '@chorus/contract';
import type { PageText } from '@chorus/documents';
import type { Ocr } from '@chorus/ocr';
import { expect, test } from 'vitest';
import { readPicturesOf } from './read-pictures.ts';

const { signal } = new AbortController();
const place = { isWanted: async () => false, giveBack: () => expect.unreachable() };
const pictures = ['Sharp', 'blurred', '7', 'broken', 'Last'].map((text) => ({
  mimeType: 'image/png',
  bytes: Buffer.from(text),
}));

const pageOf = (text: string): OcrPage => ({
  number: 1,
  width: 600,
  height: 800,
  rotation: 0,
  source: 'image',
  text,
  markdown: text,
  confidence: text === 'blurred' ? 0.3 : 0.9,
  lines: null,
});

function newOcr() {
  const asked: string[] = [];
  const ocr: Pick<Ocr, 'read'> = {
    async *read(source) {
      const text = source.toString();
      asked.push(text);
      if (text === 'broken') throw new ChorusError('invalid_request', 'The PNG is broken.');
      yield pageOf(text);
    },
  };
  return { ocr, asked };
}

function newFiles() {
  const kept: PageText[] = [{ number: 1, text: 'A page' }];
  return {
    kept,
    pages: async () => [...kept],
    putPages: async (pages: readonly PageText[]) => void kept.push(...pages),
  };
}

test('returns what OCR is sure of, an empty text for others, and reports failures', async () => {
  const { ocr } = newOcr();
  const failures: [number, string][] = [];
  const done: number[] = [];
  const read = await readPicturesOf(
    ocr,
    newFiles(),
    place,
  )(pictures, {
    signal,
    onPage: (count) => done.push(count),
    onFailure: (...failure) => failures.push(failure),
  });
  expect(read).toEqual([
    { number: 1, text: 'Sharp' },
    { number: 2, text: '' },
    { number: 3, text: '' },
    { number: 5, text: 'Last' },
  ]);
  expect(failures).toEqual([[4, 'The PNG is broken.']]);
  expect(done).toEqual([1, 2, 3, 4, 5]);
});

test('keeps what was read when its place is wanted, and continues there', async () => {
  const files = newFiles();
  const first = newOcr();
  const yielding = {
    isWanted: async () => true,
    giveBack: () => {
      throw new Error('yielded');
    },
  };
  await expect(readPicturesOf(first.ocr, files, yielding)(pictures, { signal })).rejects.toThrow('yielded');
  expect(first.asked).toEqual(['Sharp', 'blurred']);
  const second = newOcr();
  const read = await readPicturesOf(second.ocr, files, place)(pictures, { signal });
  expect(second.asked).toEqual(['7', 'broken', 'Last']);
  expect(read.map(({ text }) => text)).toEqual(['Sharp', '', '', 'Last']);
});
