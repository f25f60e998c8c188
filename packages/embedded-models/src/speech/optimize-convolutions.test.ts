import { expect, test } from 'vitest';
import { OnnxModel } from '../onnx/onnx-model.ts';
import { type OnnxNode, type OnnxTensor, writeOnnx } from '../onnx/write-onnx.ts';
import { InferenceSession, Tensor } from '../onnx-runtime/index.ts';
import { optimizeConvolutions } from './optimize-convolutions.ts';

// A model with one quantized convolution, with or without a bias.

const CHANNELS = 4;
const SAMPLES = 40;
const KERNEL = 5;
const LISTS = { kernel_shape: [KERNEL], dilations: [2], strides: [1], pads: [4, 4] };

function quantized(filters: number, isBiased: boolean): Buffer {
  const integers: OnnxNode[] = [
    { type: 'DynamicQuantizeLinear', inputs: ['sound'], outputs: ['q', 'q_scale', 'q_zero'] },
    { type: 'ConvInteger', inputs: ['q', 'w', 'q_zero', 'w_zero'], outputs: ['y'], attributes: { ...LISTS, group: 1 } },
    { type: 'Mul', inputs: ['q_scale', 'w_scale'], outputs: ['scales'] },
  ];
  const cast = (from: string, to: string, type: number) => ({
    type: 'Cast',
    inputs: [from],
    outputs: [to],
    attributes: { to: type },
  });
  const bias: OnnxNode[] = [
    { type: 'Div', inputs: ['bias', 'scales'], outputs: ['bias_divided'] },
    { type: 'Floor', inputs: ['bias_divided'], outputs: ['bias_floor'] },
    cast('bias_floor', 'bias_whole', 6),
    { type: 'Reshape', inputs: ['bias_whole', 'bias_shape'], outputs: ['bias_shaped'] },
    { type: 'Add', inputs: ['y', 'bias_shaped'], outputs: ['y_biased'] },
  ];
  const end = [
    cast(isBiased ? 'y_biased' : 'y', 'y_float', 1),
    { type: 'Mul', inputs: ['y_float', 'scales'], outputs: ['made'] },
  ];
  const constants: [string, OnnxTensor][] = [
    ['w', { shape: [filters, CHANNELS, KERNEL], values: weights(filters) }],
    ['w_zero', { shape: [], values: Uint8Array.of(120) }],
    ['w_scale', { shape: [], values: Float32Array.of(0.01) }],
    ['bias', { shape: [filters], values: Float32Array.from({ length: filters }, (_, at) => at / 10 - 1) }],
    ['bias_shape', { shape: [3], values: BigInt64Array.of(1n, -1n, 1n) }],
  ];
  return writeOnnx({
    nodes: [...integers, ...(isBiased ? bias : []), ...end],
    constants: new Map(constants),
    inputs: { sound: { type: 'float', shape: [1, CHANNELS, 'N'] } },
    outputs: { made: [1, filters, 'M'] },
  });
}

const weights = (filters: number) =>
  Uint8Array.from({ length: filters * CHANNELS * KERNEL }, (_, at) => (at * 7_919) % 256);
const sound = Float32Array.from({ length: CHANNELS * SAMPLES }, (_, at) => Math.sin(at * 1.7));

async function run(file: Buffer): Promise<{ values: number[]; shape: readonly number[] }> {
  const session = await InferenceSession.create(file, { logSeverityLevel: 3 });
  const { made } = await session.run({ sound: new Tensor('float32', sound, [1, CHANNELS, SAMPLES]) });
  await session.release();
  return { values: Array.from(made!.data as Float32Array), shape: made!.dims };
}

const typesOf = (file: Buffer) => new OnnxModel(file).nodes.map(({ type }) => type);

test.each([[true], [false]])('converts a small convolution to floating point (with bias: %s)', async (isBiased) => {
  const file = quantized(8, isBiased);
  const quick = optimizeConvolutions(file);
  expect(typesOf(quick)).toEqual(['Unsqueeze', 'Conv', 'Squeeze']);
  const [before, after] = [await run(file), await run(quick)];
  expect(after.shape).toEqual(before.shape);
  // They differ by the quantization error.
  for (const [at, value] of after.values.entries()) expect(Math.abs(value - before.values[at]!)).toBeLessThan(0.05);
});

test('keeps a convolution with many filters in integers, with the same result', async () => {
  const file = quantized(300, true);
  const quick = optimizeConvolutions(file);
  expect(typesOf(quick)).toContain('ConvInteger');
  expect(await run(quick)).toEqual(await run(file));
});

test('rejects a model that is quantized differently', () => {
  const file = writeOnnx({
    nodes: [{ type: 'ConvInteger', inputs: ['sound', 'w', 'zero', 'zero'], outputs: ['made'], attributes: LISTS }],
    constants: new Map([
      ['w', { shape: [8, CHANNELS, KERNEL], values: weights(8) }],
      ['zero', { shape: [], values: Uint8Array.of(0) }],
    ]),
    inputs: { sound: { type: 'float', shape: [1, CHANNELS, 'N'] } },
    outputs: { made: [1, 8, 'M'] },
  });
  expect(() => optimizeConvolutions(file)).toThrow('unknown way');
  expect(() => optimizeConvolutions(file.subarray(0, file.length - 3))).toThrow('truncated');
});
