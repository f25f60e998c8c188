import { expect, test } from 'vitest';
import { CONTEXT_FRAMES, nextPieceLength } from './next-piece-length.ts';

const FRAME_MS = 25;

/** Returns when each piece is ready and when it is due, relative to the first, in milliseconds. */
function piecesOf(frames: number, msPerFrame: number) {
  const pieces: { length: number; lateMs: number }[] = [];
  let [made, now] = [0, 0];
  while (made < frames) {
    const length = nextPieceLength(frames - made, made * FRAME_MS - now, msPerFrame);
    if (made > 0) now += (length + 2 * CONTEXT_FRAMES) * msPerFrame;
    pieces.push({ length, lateMs: now - made * FRAME_MS });
    made += length;
  }
  return pieces;
}

test('starts with a third of a second on a fast machine, and never comes late', () => {
  for (const msPerFrame of [5, 8, 12, 15]) {
    const pieces = piecesOf(200, msPerFrame);
    expect(pieces[0]?.length).toBeLessThanOrEqual(14);
    expect(pieces.length).toBeGreaterThan(2);
    for (const { lateMs } of pieces.slice(1)) expect(lateMs).toBeLessThanOrEqual(0);
  }
});

test('makes the first piece longer on slow machines, and a whole phrase on the slowest', () => {
  const [quick, slow] = [piecesOf(200, 10), piecesOf(200, 20)];
  expect(slow[0]!.length).toBeGreaterThan(quick[0]!.length);
  for (const { lateMs } of slow.slice(1)) expect(lateMs).toBeLessThanOrEqual(0);
  expect(piecesOf(200, 25)).toHaveLength(1);
});

test('never makes a piece too short', () => {
  for (let frames = 1; frames < 120; frames += 1)
    for (const { length } of piecesOf(frames, 10).slice(1)) expect(length).toBeGreaterThanOrEqual(14);
});
