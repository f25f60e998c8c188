import { expect, test } from 'vitest';
import { InferenceSession, Tensor } from '../onnx-runtime/index.ts';
import { writeOnnx } from './write-onnx.ts';

test('computes a graph that it wrote', async () => {
  const bytes = writeOnnx({
    nodes: [
      { type: 'Gather', inputs: ['table', 'rows'], outputs: ['picked'] },
      { type: 'Transpose', inputs: ['picked'], outputs: ['turned'], attributes: { perm: [1, 0] } },
      { type: 'LeakyRelu', inputs: ['turned'], outputs: ['leaked'], floats: { alpha: 0.5 } },
      { type: 'Softmax', inputs: ['leaked'], outputs: ['shares'], attributes: { axis: -1 } },
      { type: 'Reshape', inputs: ['shares', 'shape'], outputs: ['flat'] },
    ],
    constants: new Map([
      ['table', { shape: [3, 2], values: Float32Array.of(1, -2, 5, 0, 1, -2) }],
      ['shape', { shape: [1], values: BigInt64Array.of(-1n) }],
    ]),
    inputs: { rows: { type: 'int64', shape: ['N'] } },
    outputs: { flat: ['M'] },
  });
  const session = await InferenceSession.create(bytes);
  const { flat } = await session.run({ rows: new Tensor('int64', BigInt64Array.of(0n, 2n), [2]) });
  expect(Array.from((flat as Tensor).data as Float32Array)).toEqual([0.5, 0.5, 0.5, 0.5]);
});
