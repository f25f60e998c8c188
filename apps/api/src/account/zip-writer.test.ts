import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { readZip } from './test-zip.ts';
import { ZipWriter } from './zip-writer.ts';

async function* pieces(...all: Uint8Array[]) {
  yield* all;
}

test('writes entries of several pieces that a reader finds, compressed or not', async () => {
  const zip = new ZipWriter();
  const noise = randomBytes(300_000);
  const written: Uint8Array[] = [];
  const modified = new Date('2026-02-03T04:05:06Z');
  for await (const piece of zip.entry('ä/words.txt', pieces(Buffer.from('a'.repeat(9_000)), Buffer.from('b')), {
    modified,
  }))
    written.push(piece);
  for await (const piece of zip.entry('noise', pieces(noise.subarray(0, 7), noise.subarray(7)), {
    modified,
    compress: false,
  }))
    written.push(piece);
  for await (const piece of zip.entry('empty', pieces(), { modified })) written.push(piece);
  written.push(...zip.end());
  const file = Buffer.concat(written);
  expect(file.length).toBeLessThan(301_000);
  const found = readZip(file);
  expect([...found.keys()]).toEqual(['ä/words.txt', 'noise', 'empty']);
  expect(found.get('ä/words.txt')?.toString()).toBe(`${'a'.repeat(9_000)}b`);
  expect(found.get('noise')?.equals(noise)).toBe(true);
});

test('an entry that fails ends the file with its error', async () => {
  const broken = async function* () {
    yield Buffer.from('some');
    throw new Error('the store is away');
  };
  for (const compress of [true, false]) {
    const zip = new ZipWriter();
    await expect(Array.fromAsync(zip.entry('x', broken(), { modified: new Date(), compress }))).rejects.toThrow('away');
  }
});
