import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { packageFile } from '../weights/package-file.ts';
import { CROSSFADE_SAMPLES, crossfade } from './crossfade.ts';
import { FRAME_SAMPLES, KOKORO_FOLDER, KokoroModel, type Reading } from './kokoro-model.ts';
import { CONTEXT_FRAMES, nextPieceLength } from './next-piece-length.ts';
import { RunningMeans } from './running-means.ts';

// Kokoro-82M (text to speech by hexgrad, 8-bit weights) generates samples from phonemes and a voice vector.

/** The model's limit. */
const MAX_PHONEMES = 509;
const STYLE_LENGTH = 256;
/** The token before and after the phonemes. */
const EDGE = 0n;

/** Frames kept of the silence at each end of a phrase. */
const EDGE_FRAMES = 3;
const PAUSES = [...'.,!?…;:—'];

/** Initial estimate per frame, and the weight of each new measurement. */
const INITIAL_MS_PER_FRAME = 15;
const NEWEST_WEIGHT = 0.5;

export interface Kokoro {
  /**
   * @param phonemes in the model's alphabet. Others are skipped.
   * @param speed 1 is normal
   * @returns mono samples at 24 kHz, piece by piece, or none if there is nothing to say
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
  let msPerFrame = INITIAL_MS_PER_FRAME;

  async function* soundOf(reading: Reading, from: number, to: number, means: RunningMeans) {
    let before = new Float32Array();
    let began = 0;
    for (let at = from; at < to; ) {
      const now = performance.now();
      if (at === from) began = now;
      const isKnown = means.knownFor(1) !== null;
      const aheadMs = at === from ? 0 : Math.max(0, ((at - from) * FRAME_SAMPLES) / 24 - (now - began));
      const length = isKnown ? nextPieceLength(to - at, aheadMs, msPerFrame) : to - at;
      const first = Math.max(from, at - CONTEXT_FRAMES);
      const last = Math.min(to, at + length + CONTEXT_FRAMES);
      // A whole phrase uses its own means.
      const known = length === to - from ? null : means.knownFor(last - first);
      const made = await model.sound(reading, first, last, known);
      means.learn(made.means, last - first);
      const ended = performance.now();
      msPerFrame += NEWEST_WEIGHT * ((ended - now) / (last - first) - msPerFrame);
      if (at === from) began = ended;
      const piece = crossfade(before, made.samples.slice((at - first) * FRAME_SAMPLES));
      at += length;
      const samples = at < to ? length * FRAME_SAMPLES : piece.length;
      yield piece.subarray(0, samples);
      before = piece.slice(samples, samples + CROSSFADE_SAMPLES);
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
