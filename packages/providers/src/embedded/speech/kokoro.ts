import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { PASSING, passOver } from './join-sound.ts';
import { FRAME_SAMPLES, KOKORO_FOLDER, KokoroModel, type Reading } from './kokoro-model.ts';
import { BESIDE, nextPiece } from './next-piece.ts';
import { packageFile } from './onnx-session.ts';
import { RunningMeans } from './running-means.ts';

// Kokoro-82M (text to speech, by hexgrad; 8-bit weights): phonemes and the vector of a voice go in, samples come out.

/** It reads so many phonemes at once. */
const MAX_PHONEMES = 509;
const STYLE_LENGTH = 256;
/** Stands before and behind the phonemes. */
const EDGE = 0n;

/** Of the silence before and behind a phrase, a third of a second each, so many frames are made. */
const EDGE_FRAMES = 3;
const PAUSES = [...'.,!?…;:—'];

/** How long a frame takes, in milliseconds, where that is not known yet, and how much the last piece says of it. */
const USUAL_MS = 15;
const NEWEST = 0.5;

export interface Kokoro {
  /**
   * @param phonemes the model's own alphabet; what is not in it is left out
   * @param speed 1: as usual
   * @returns mono samples, 24 kHz, piece by piece as they are made; none where there is nothing to say
   */
  speak(phonemes: string, voice: string, speed: number): AsyncGenerator<Float32Array, void, undefined>;
}

interface Voice {
  styles: Promise<Float32Array>;
  means: RunningMeans;
}

export async function loadKokoro(): Promise<Kokoro> {
  const model = await KokoroModel.load();
  const alphabet = readAlphabet();
  const pauses = new Set(PAUSES.map((sign) => alphabet.get(sign)));
  const voices = new Map<string, Voice>();
  let msPerFrame = USUAL_MS;

  async function* soundOf(reading: Reading, from: number, to: number, means: RunningMeans) {
    let before = new Float32Array();
    let began = 0;
    for (let at = from; at < to; ) {
      const now = performance.now();
      if (at === from) began = now;
      const isKnown = means.knownFor(1) !== null;
      const aheadMs = at === from ? 0 : Math.max(0, ((at - from) * FRAME_SAMPLES) / 24 - (now - began));
      const length = isKnown ? nextPiece(to - at, aheadMs, msPerFrame) : to - at;
      const first = Math.max(from, at - BESIDE);
      const last = Math.min(to, at + length + BESIDE);
      // A whole phrase goes by its own means.
      const known = length === to - from ? null : means.knownFor(last - first);
      const made = await model.sound(reading, first, last, known);
      means.learn(made.means, last - first);
      const ended = performance.now();
      msPerFrame += NEWEST * ((ended - now) / (last - first) - msPerFrame);
      if (at === from) began = ended;
      const piece = passOver(before, made.samples.slice((at - first) * FRAME_SAMPLES));
      at += length;
      const samples = at < to ? length * FRAME_SAMPLES : piece.length;
      yield piece.subarray(0, samples);
      before = piece.slice(samples, samples + PASSING);
    }
  }

  return {
    async *speak(phonemes, name, speed) {
      const tokens = [...phonemes].flatMap((phoneme) => alphabet.get(phoneme) ?? []).slice(0, MAX_PHONEMES);
      if (tokens.length === 0) return;
      const voice = voices.get(name) ?? { styles: readStyles(name), means: new RunningMeans() };
      voices.set(name, voice);
      // A voice has a vector for each number of phonemes.
      const style = (await voice.styles).slice(tokens.length * STYLE_LENGTH, (tokens.length + 1) * STYLE_LENGTH);
      const reading = await model.read(BigInt64Array.of(EDGE, ...tokens, EDGE), style, speed);
      const { durations, frames } = reading;
      const pause = pauses.has(tokens.at(-1)) ? (durations.at(-2) ?? 0) : 0;
      const silentBehind = (durations.at(-1) ?? 0) + pause;
      const from = Math.max(0, (durations[0] ?? 0) - EDGE_FRAMES);
      yield* soundOf(reading, from, frames - Math.max(0, silentBehind - EDGE_FRAMES), voice.means);
    },
  };
}

function readAlphabet(): Map<string, bigint> {
  const { model } = JSON.parse(readFileSync(packageFile(`${KOKORO_FOLDER}/tokenizer.json`), 'utf8')) as {
    model: { vocab: Record<string, number> };
  };
  return new Map(Object.entries(model.vocab).map(([phoneme, id]) => [phoneme, BigInt(id)]));
}

async function readStyles(voice: string): Promise<Float32Array> {
  const bytes = await readFile(packageFile(`${KOKORO_FOLDER}/voices/${voice}.bin`));
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
