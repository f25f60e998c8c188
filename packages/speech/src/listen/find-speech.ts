import { bytesOf } from '../pcm.ts';
import { FRAME_MS, loadVoiceActivity } from './voice-activity.ts';

/** So likely somebody speaks, in so many frames that follow each other, where there is speech: less sure than for a turn, since nobody interrupts here. */
const THRESHOLD = 0.35;
const FRAMES = 3;

/** So much sound is looked at in one go, in milliseconds: others get their turn in between. */
const STEP_MS = 2_000;

/**
 * The part of a sound from its first speech to its last, with a margin on both sides; null: nobody speaks in it.
 *
 * @throws the signal's reason
 */
export async function findSpeech(
  pcm: Uint8Array,
  { marginMs, signal }: { marginMs: number; signal: AbortSignal },
): Promise<Uint8Array | null> {
  const activity = (await loadVoiceActivity()).open({ hurried: true });
  let first: number | null = null;
  let last = 0;
  let row = 0;
  let frame = 0;
  for (let at = 0; at < pcm.byteLength; at += bytesOf(STEP_MS)) {
    signal.throwIfAborted();
    for (const probability of await activity.push(pcm.subarray(at, at + bytesOf(STEP_MS)))) {
      frame += 1;
      row = probability >= THRESHOLD ? row + 1 : 0;
      if (row < FRAMES) continue;
      first ??= frame - row;
      last = frame;
    }
  }
  if (first === null) return null;
  const start = bytesOf(Math.max(0, first * FRAME_MS - marginMs));
  return pcm.subarray(start, bytesOf(last * FRAME_MS + marginMs));
}
