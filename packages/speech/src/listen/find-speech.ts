import { bytesOf } from '../pcm.ts';
import { FRAME_MS, loadVoiceActivity, type VoiceActivityModel } from './voice-activity.ts';

/**
 * Probability and number of consecutive frames that count as speech: less strict than for turns, since false
 * alarms are harmless here.
 */
const THRESHOLD = 0.35;
const FRAMES = 3;

/** Frames to check at once; those between the first and last speech are skipped. */
const STEP = 32;

/** Frames that the model hears before the relevant ones when it starts within a sound. */
const LEAD = 32;

const FRAME_BYTES = bytesOf(FRAME_MS);

/**
 * Returns the part of a sound from the first speech to the last, with a margin; null without speech.
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

/** Returns the frame after the last speech, at `least` or later, searching from the end. */
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
