import { bytesOf } from '../pcm.ts';
import { FRAME_MS, loadVoiceActivity, type VoiceActivityModel } from './voice-activity.ts';

/**
 * Probability and number of consecutive frames that count as speech. Less strict than for turns, since false alarms
 * are harmless here.
 */
const THRESHOLD = 0.35;
const FRAMES = 3;

/** Number of frames to check at once. Those between the first and last speech are skipped. */
const STEP = 32;

/** Number of frames that the model hears before the relevant ones if it starts within a sound. */
const LEAD = 32;

/** Silence before and after a sound. Without it, the model misses a word that fills a recording. */
const EDGE = 10;

/** Quiet audio is amplified to this loudness, up to a limit, so that noise is not. */
const CLEAR_LOUDNESS = 0.15;
const MAX_GAIN = 60;

const FRAME_BYTES = bytesOf(FRAME_MS);

/**
 * Returns the part of a sound from the first speech to the last, with a margin. Null without speech.
 *
 * @throws the signal's reason
 */
export async function findSpeech(
  pcm: Uint8Array,
  { marginMs, signal }: { marginMs: number; signal: AbortSignal },
): Promise<Uint8Array | null> {
  const model = await loadVoiceActivity();
  const sound = { pcm, gain: gainFor(pcm) };
  const first = await firstSpeech(model, sound, signal);
  if (first === null) return null;
  const last = await lastSpeech(model, sound, first + FRAMES, signal);
  const start = bytesOf(Math.max(0, first * FRAME_MS - marginMs));
  return pcm.subarray(start, bytesOf(last * FRAME_MS + marginMs));
}

interface Sound {
  pcm: Uint8Array;
  gain: number;
}

/** Returns the frame of the first speech. −1 if it starts before the sound. */
async function firstSpeech(model: VoiceActivityModel, sound: Sound, signal: AbortSignal): Promise<number | null> {
  const activity = model.open({ hurried: true });
  const frames = framesOf(sound);
  let frame = -EDGE;
  let row = 0;
  for (let at = -EDGE; at < frames + EDGE; at += STEP) {
    signal.throwIfAborted();
    for (const probability of await activity.push(framesBetween(sound, at, at + STEP))) {
      frame += 1;
      row = probability >= THRESHOLD ? row + 1 : 0;
      if (row === FRAMES) return Math.max(0, frame - FRAMES);
    }
  }
  return null;
}

/** Returns the frame after the last speech, at `least` or later, searching from the end. */
async function lastSpeech(
  model: VoiceActivityModel,
  sound: Sound,
  least: number,
  signal: AbortSignal,
): Promise<number> {
  for (let end = framesOf(sound) + EDGE; end > least; end -= STEP) {
    signal.throwIfAborted();
    const start = Math.max(-EDGE, end - STEP);
    const lead = Math.max(-EDGE, start - LEAD);
    const heard = await model.open({ hurried: true }).push(framesBetween(sound, lead, end));
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

const framesOf = ({ pcm }: Sound) => Math.ceil(pcm.byteLength / FRAME_BYTES);

/** Returns amplified frames, and silence where the sound has none. */
function framesBetween({ pcm, gain }: Sound, start: number, end: number): Uint8Array {
  const made = Buffer.alloc((end - start) * FRAME_BYTES);
  const [from, to] = [Math.max(0, start * FRAME_BYTES), Math.min(pcm.byteLength, end * FRAME_BYTES)];
  const view = new DataView(pcm.buffer, pcm.byteOffset);
  for (let at = from; at + 2 <= to; at += 2) {
    const value = Math.round(view.getInt16(at, true) * gain);
    made.writeInt16LE(Math.max(-32_768, Math.min(32_767, value)), at - start * FRAME_BYTES);
  }
  return made;
}

/** Returns the gain that makes the loudest frame clear. */
function gainFor(pcm: Uint8Array): number {
  const view = new DataView(pcm.buffer, pcm.byteOffset);
  let loudest = 0;
  for (let frame = 0; frame < pcm.byteLength; frame += FRAME_BYTES) {
    let sum = 0;
    for (let at = frame; at + 2 <= Math.min(pcm.byteLength, frame + FRAME_BYTES); at += 2)
      sum += (view.getInt16(at, true) / 32_768) ** 2;
    loudest = Math.max(loudest, Math.sqrt((sum * 2) / FRAME_BYTES));
  }
  return Math.max(1, Math.min(MAX_GAIN, CLEAR_LOUDNESS / loudest));
}
