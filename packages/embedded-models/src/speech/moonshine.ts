import llamaTokenizer from 'llama-tokenizer-js';
import { Tensor } from '../onnx-runtime/index.ts';
import { openSession, type Weights } from './onnx-session.ts';

// Moonshine (English speech to text by Useful Sensors): an encoder of raw samples and a token decoder.

/** Samples per second. */
export const MOONSHINE_RATE = 16_000;
const START = 1;
const END = 2;
/** Limits the output. People say less, and a model that says more is repeating itself. */
const TOKENS_PER_S = 7;
const SPARE_TOKENS = 10;
/** Pads shorter sections with silence, which the encoder's first layers need. */
const MIN_SECONDS = 0.5;

/** Two threads take four fifths of the time of one, for a tenth more work. */
const THREADS = 2;

const FOLDER = '@usefulsensors/moonshine-js/dist/model';

interface Size {
  layers: number;
  headSize: number;
  encoder: Weights;
  decoder: Weights;
}

const HEADS = 8;
const SIZES = {
  base: {
    layers: 8,
    headSize: 52,
    encoder: {
      file: `${FOLDER}/base/quantized/encoder_model.onnx`,
      sha256: '1dd9ab0a7f987113d30affcba5a068d11c8f90fa0223caa3e491ade431ad9751',
    },
    decoder: {
      file: `${FOLDER}/base/quantized/decoder_model_merged.onnx`,
      sha256: 'cc9f3cd6698a369c6008b41aa60aa3fb3322e7f03c9bdf19d8e6b7200afca4f3',
    },
  },
  tiny: {
    layers: 6,
    headSize: 36,
    encoder: {
      file: `${FOLDER}/tiny/quantized/encoder_model.onnx`,
      sha256: 'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
    },
    decoder: {
      file: `${FOLDER}/tiny/quantized/decoder_model_merged.onnx`,
      sha256: 'eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367',
    },
  },
} satisfies Record<string, Size>;
export type MoonshineSize = keyof typeof SIZES;

/** Speech as decoded by the model. */
export interface Decoded {
  text: string;
  /** Mean log probability of the tokens. */
  confidence: number;
  /** Whether the model repeated itself until the limit. */
  isLoop: boolean;
}

/** Decodes mono samples (−1 to 1, 16 kHz, at most 30 s) to at least one word. */
export type Moonshine = (samples: Float32Array) => Promise<Decoded>;

/** Loads one of the two models. */
export async function loadMoonshine(size: MoonshineSize): Promise<Moonshine> {
  const { layers, headSize, ...weights } = SIZES[size];
  const open = (part: Weights) => openSession(part, { threads: THREADS });
  const [encoder, decoder] = await Promise.all([open(weights.encoder), open(weights.decoder)]);
  const names = Array.from({ length: layers }, (_, layer) =>
    ['decoder', 'encoder'].flatMap((part) => ['key', 'value'].map((half) => `${layer}.${part}.${half}`)),
  ).flat();

  return async (samples) => {
    const filled = atLeast(samples, MIN_SECONDS * MOONSHINE_RATE);
    const { last_hidden_state: heard } = await encoder.run({
      input_values: new Tensor('float32', filled, [1, filled.length]),
    });
    const past: Record<string, Tensor> = Object.fromEntries(
      names.map((name) => [`past_key_values.${name}`, new Tensor('float32', [], [0, HEADS, 1, headSize])]),
    );
    const limit = Math.ceil((samples.length / MOONSHINE_RATE) * TOKENS_PER_S) + SPARE_TOKENS;
    const tokens: number[] = [];
    let sum = 0;
    let last = START;
    while (last !== END && tokens.length < limit) {
      const first = last === START;
      const output = await decoder.run({
        input_ids: new Tensor('int64', BigInt64Array.of(BigInt(last)), [1, 1]),
        encoder_hidden_states: heard!,
        use_cache_branch: new Tensor('bool', [!first]),
        ...past,
      });
      // Only the first step computes the encoder's part of the cache.
      for (const name of names)
        if (first || name.includes('decoder')) past[`past_key_values.${name}`] = output[`present.${name}`]!;
      const { token, logProbability } = likeliest(output.logits!.data as Float32Array, first ? END : null);
      last = token;
      sum += logProbability;
      if (last !== END) tokens.push(last);
    }
    return {
      text: llamaTokenizer.decode(tokens, false, false).trim(),
      confidence: sum / (tokens.length + 1),
      isLoop: last !== END,
    };
  };
}

function atLeast(samples: Float32Array, length: number): Float32Array {
  if (samples.length >= length) return samples;
  const filled = new Float32Array(length);
  filled.set(samples);
  return filled;
}

/** @param except a token to skip */
function likeliest(logits: Float32Array, except: number | null): { token: number; logProbability: number } {
  let best = 0;
  for (let token = 1; token < logits.length; token += 1)
    if (token !== except && logits[token]! > logits[best]!) best = token;
  const most = logits[best]!;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - most);
  return { token: best, logProbability: -Math.log(sum) };
}
