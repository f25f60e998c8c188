import { expect, test } from 'vitest';
import { OnnxModel } from '../onnx/onnx-model.ts';
import { writeOnnx } from '../onnx/write-onnx.ts';
import { InferenceSession, Tensor } from '../onnx-runtime/index.ts';
import { optimizeSpectrum } from './optimize-spectrum.ts';

const LENGTH = 20;
const file = writeOnnx({
  nodes: [
    { type: 'STFT', inputs: ['sound', 'step', 'window', 'length'], outputs: ['made'], attributes: { onesided: 1 } },
  ],
  constants: new Map([
    ['step', { shape: [], values: BigInt64Array.of(5n) }],
    [
      'window',
      { shape: [LENGTH], values: Float32Array.from({ length: LENGTH }, (_, at) => Math.sin((at * 3) / LENGTH)) },
    ],
    ['length', { shape: [], values: BigInt64Array.of(BigInt(LENGTH)) }],
  ]),
  inputs: { sound: { type: 'float', shape: [1, 'N'] } },
  outputs: { made: [1, 'F', LENGTH / 2 + 1, 2] },
});

async function run(model: Buffer) {
  const session = await InferenceSession.create(model, { logSeverityLevel: 3 });
  const sound = Float32Array.from({ length: 203 }, (_, at) => Math.sin(at * 1.7) + Math.sin(at * 0.3));
  const { made } = await session.run({ sound: new Tensor('float32', sound, [1, sound.length]) });
  await session.release();
  return { shape: made!.dims, values: [...(made!.data as Float32Array)] };
}

test('computes the same spectra', async () => {
  const model = new OnnxModel(file);
  optimizeSpectrum(model);
  model.prune();
  expect(model.nodes.map(({ type }) => type)).not.toContain('STFT');
  const [slow, quick] = [await run(file), await run(model.write())];
  expect(quick.shape).toEqual(slow.shape);
  for (const [at, value] of quick.values.entries()) expect(value).toBeCloseTo(slow.values[at]!, 4);
});
