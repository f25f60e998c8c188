import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecentSound } from './recent-sound.ts';

test('returns what was received at a position, however much is forgotten', () => {
  const step = fc.record({ bytes: fc.nat(60_000), kept: fc.nat(120_000) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const sound = new RecentSound();
      const all: number[] = [];
      for (const { bytes, kept } of steps) {
        const piece = Uint8Array.from({ length: bytes }, (_, at) => (all.length + at) % 251);
        sound.append(piece);
        for (const byte of piece) all.push(byte);
        sound.forget(all.length - kept);
        expect(sound.from).toBeGreaterThanOrEqual(all.length - kept);
        const heard = sound.read(sound.from, all.length);
        expect(Buffer.compare(heard, Uint8Array.from(all.slice(sound.from)))).toBe(0);
      }
    }),
    { numRuns: 30 },
  );
});

test('returns stable copies and no old audio after a restart', () => {
  const sound = new RecentSound();
  sound.append(Uint8Array.of(1, 2, 3, 4));
  const heard = sound.read(1, 3);
  sound.restart(100);
  sound.append(Uint8Array.of(5, 6));
  expect([...heard]).toEqual([2, 3]);
  expect([...sound.read(100, 104)]).toEqual([5, 6]);
});
