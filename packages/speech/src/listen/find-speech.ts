import { bytesOf } from '../pcm.ts';
import { FRAME_MS, loadVoiceActivity, type VoiceActivityModel } from './voice-activity.ts';

/** So likely somebody speaks, in so many frames that follow each other, where there is speech: less sure than for a turn, since nobody interrupts here. */
const THRESHOLD = 0.35;
const FRAMES = 3;

/** So many frames are looked at in one go; what lies between the first speech and the last is not looked at. */
const STEP = 32;

/** The model hears so many frames before those that count, where it begins in the midst of a sound. */
const LEAD = 32;

const FRAME_BYTES = bytesOf(FRAME_MS);

/**
 * The part of a sound from its first speech to its last, with a margin on both sides; null: nobody speaks in it.
 *
 * @throws the signal's reason
 */
export async function findSpeech(
  pcm: Uint8Array,
  { marginMs, signal }: { marginMs: number; signal: AbortSignal },
): Promise<Uint8Array | null> {
  const model = await loadVoiceActivity();
  const first = await firstSpeech(model, pcm, signal);
  if (first === null) return null;
  const last = await lastSpeech(model, pcm, first + FRAMES, signal);
  const start = bytesOf(Math.max(0, first * FRAME_MS - marginMs));
  return pcm.subarray(start, bytesOf(last * FRAME_MS + marginMs));
}

/** The frame with which speech begins. */
async function firstSpeech(model: VoiceActivityModel, pcm: Uint8Array, signal: AbortSignal): Promise<number | null> {
  const activity = model.open({ hurried: true });
  let frame = 0;
  let row = 0;
  for (let at = 0; at < pcm.byteLength; at += STEP * FRAME_BYTES) {
    signal.throwIfAborted();
    for (const probability of await activity.push(pcm.subarray(at, at + STEP * FRAME_BYTES))) {
      frame += 1;
      row = probability >= THRESHOLD ? row + 1 : 0;
      if (row === FRAMES) return frame - FRAMES;
    }
  }
  return null;
}

/** The frame behind the last speech, which lies at `least` or later: looked for from the end. */
async function lastSpeech(
  model: VoiceActivityModel,
  pcm: Uint8Array,
  least: number,
  signal: AbortSignal,
): Promise<number> {
  const frames = Math.ceil(pcm.byteLength / FRAME_BYTES);
  for (let end = frames; end > least; end -= STEP) {
    signal.throwIfAborted();
    const start = Math.max(0, end - STEP);
    const lead = Math.max(0, start - LEAD);
    const heard = await model.open({ hurried: true }).push(pcm.subarray(lead * FRAME_BYTES, end * FRAME_BYTES));
    let row = 0;
    let last: number | null = null;
    for (const [index, probability] of heard.entries()) {
      row = probability >= THRESHOLD ? row + 1 : 0;
      if (row >= FRAMES && lead + index >= start) last = lead + index + 1;
    }
    if (last !== null) return Math.max(least, last);
  }
  return least;
}
