import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { OnnxTensor } from '../onnx/write-onnx.ts';
import type { Weights } from './encoder-graph.ts';

interface Manifest {
  weightsManifest: { paths: string[]; weights: { name: string; shape: number[]; dtype: string }[] }[];
}

/** Reads the weights of a TensorFlow.js model. @param path of its `model.json` */
export async function readWeights(path: string): Promise<Weights> {
  const { weightsManifest } = JSON.parse(await readFile(path, 'utf8')) as Manifest;
  const tensors = new Map<string, OnnxTensor>();
  for (const { paths, weights } of weightsManifest) {
    const parts = await Promise.all(paths.map((part) => readFile(join(dirname(path), part))));
    // A copy, so that the numbers are aligned.
    const bytes = new Uint8Array(Buffer.concat(parts)).buffer;
    let at = 0;
    for (const { name, shape, dtype } of weights) {
      const length = shape.reduce((product, one) => product * one, 1);
      if (dtype === 'float32') tensors.set(name, { shape, values: new Float32Array(bytes, at, length) });
      at += length * 4;
    }
  }
  return (end) => {
    const found = [...tensors].find(([name]) => name === end || name.endsWith(`/${end}`));
    if (found === undefined) throw new Error(`the model has no weights ${end}`);
    return found[1];
  };
}
