import { expect, test } from 'vitest';
import { BESIDE, nextPiece } from './next-piece.ts';

const FRAME_MS = 25;

/** When each piece of a phrase is there and when it should be, in milliseconds after the first. */
function piecesOf(frames: number, msPerFrame: number) {
  const pieces: { length: number; lateMs: number }[] = [];
  let [made, now] = [0, 0];
  while (made < frames) {
    const length = nextPiece(frames - made, made * FRAME_MS - now, msPerFrame);
    if (made > 0) now += (length + 2 * BESIDE) * msPerFrame;
    pieces.push({ length, lateMs: now - made * FRAME_MS });
    made += length;
  }
  return pieces;
}

test('a quick machine begins with a third of a second, and no piece comes later than it is heard', () => {
  for (const msPerFrame of [5, 8, 12, 15]) {
    const pieces = piecesOf(200, msPerFrame);
    expect(pieces[0]?.length).toBeLessThanOrEqual(14);
    expect(pieces.length).toBeGreaterThan(2);
    for (const { lateMs } of pieces.slice(1)) expect(lateMs).toBeLessThanOrEqual(0);
  }
});

test('the slower a machine, the longer the first piece; one that is too slow makes the phrase whole', () => {
  const [quick, slow] = [piecesOf(200, 10), piecesOf(200, 20)];
  expect(slow[0]!.length).toBeGreaterThan(quick[0]!.length);
  for (const { lateMs } of slow.slice(1)) expect(lateMs).toBeLessThanOrEqual(0);
  expect(piecesOf(200, 25)).toHaveLength(1);
});

test('no piece is so short that it is hardly worth it', () => {
  for (let frames = 1; frames < 120; frames += 1)
    for (const { length } of piecesOf(frames, 10).slice(1)) expect(length).toBeGreaterThanOrEqual(14);
});
