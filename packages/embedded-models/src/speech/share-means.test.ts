import { expect, test } from 'vitest';
import { OnnxModel } from '../onnx/onnx-model.ts';
import { writeOnnx } from '../onnx/write-onnx.ts';
import { InferenceSession, Tensor } from '../onnx-runtime/index.ts';
import { MEANS, shareMeans } from './share-means.ts';

// A model with one layer that subtracts the mean of each channel.

const CHANNELS = 128;
const LAYER = '/decoder/decoder/generator/resblocks.3/mean';
const file = writeOnnx({
  nodes: [
    { type: 'ReduceMean', inputs: ['sound'], outputs: [LAYER], attributes: { axes: [2], keepdims: 1 } },
    { type: 'Sub', inputs: ['sound', LAYER], outputs: ['made'] },
  ],
  constants: new Map(),
  inputs: { sound: { type: 'float', shape: [1, CHANNELS, 'N'] } },
  outputs: { made: [1, CHANNELS, 'N'] },
});

test('mixes own and known means by their share, and returns its own', async () => {
  const model = new OnnxModel(file);
  const { ends, count } = shareMeans(model);
  expect(count).toBe(CHANNELS);
  const inputs = { sound: { type: 'float' as const, shape: [1, CHANNELS, 'N'] }, ...ends.inputs };
  model.keepSubgraph({ inputs, outputs: { made: [1, CHANNELS, 'N'], ...ends.outputs } });
  const session = await InferenceSession.create(model.write(), { logSeverityLevel: 3 });
  const run = async (share: number) => {
    const { made, [MEANS.own]: own } = await session.run({
      sound: new Tensor('float32', new Float32Array(CHANNELS * 2).fill(4), [1, CHANNELS, 2]),
      [MEANS.known]: new Tensor('float32', new Float32Array(CHANNELS).fill(2), [1, CHANNELS, 1]),
      [MEANS.share]: new Tensor('float32', Float32Array.of(share), [1]),
    });
    return { made: made!.data[0], own: own!.data[0] };
  };
  expect(await run(0)).toEqual({ made: 0, own: 4 });
  expect(await run(0.5)).toEqual({ made: 1, own: 4 });
  expect(await run(1)).toEqual({ made: 2, own: 4 });
  await session.release();
});
