import { expect, test } from 'vitest';
import { splitLines } from './split-lines.ts';

async function* chunksOf(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function linesOf(text: string, size = 65_536) {
  const lines: [string, number][] = [];
  for await (const { bytes, number } of splitLines(chunksOf(text, size), 1_000)) lines.push([bytes.toString(), number]);
  return lines;
}

test.each([1, 3, 100])('numbers lines and skips blank ones, in chunks of %i bytes', async (size) => {
  expect(await linesOf('\uFEFFone\r\n\n \t\r\ntwo\n\nthree', size)).toEqual([
    ['one\r', 1],
    ['two', 4],
    ['three', 6],
  ]);
});

test('refuses long lines and too many blank ones', async () => {
  await expect(linesOf('x'.repeat(1_001))).rejects.toMatchObject({ code: 'payload_too_large' });
  expect(await linesOf(`${'\n'.repeat(100_000)}x`)).toEqual([['x', 100_001]]);
  for (const blank of ['\n', '\r\n', ' \n']) {
    let read = 0;
    const endless = async function* () {
      for (;;) {
        read += 1;
        yield Buffer.from(blank.repeat(10_000));
      }
    };
    const reading = async () => {
      for await (const line of splitLines(endless(), 1_000)) expect.fail(String(line.number));
    };
    await expect(reading()).rejects.toMatchObject({
      code: 'payload_too_large',
      message: 'The text has more than 100000 blank lines.',
    });
    expect(read).toBe(11);
  }
});
