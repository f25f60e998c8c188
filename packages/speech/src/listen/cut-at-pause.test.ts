import { fakeVoice } from '@chorus/testing';
import { expect, test } from 'vitest';
import { bytesOf, durationMs } from '../pcm.ts';
import { cutAtPause } from './cut-at-pause.ts';

const voice = fakeVoice(2);
const cutMs = (pcm: Uint8Array, fromMs: number) => durationMs({ byteLength: cutAtPause(pcm, bytesOf(fromMs)) });

test('cuts in the pause', () => {
  const pcm = Buffer.concat([voice, Buffer.alloc(bytesOf(400)), voice]);
  const at = cutMs(pcm, 1_500);
  expect(at).toBeGreaterThan(2_000);
  expect(at).toBeLessThan(2_400);
});

test('ignores a pause before the start, and always cuts whole samples', () => {
  const pcm = Buffer.concat([Buffer.alloc(bytesOf(400)), voice, voice]);
  expect(cutMs(pcm, 1_000)).toBeGreaterThanOrEqual(1_000);
  expect(cutAtPause(pcm, bytesOf(1_001)) % 2).toBe(0);
  expect(cutAtPause(pcm.subarray(0, bytesOf(1_050)), bytesOf(1_000))).toBe(bytesOf(1_040));
});
