import { open, readFile, stat } from 'node:fs/promises';
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
    const bytes = await readTogether(paths.map((part) => join(dirname(path), part)));
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

/** Reads files one after the other into one buffer, where numbers are aligned, without copying. */
async function readTogether(paths: readonly string[]): Promise<ArrayBuffer> {
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  const bytes = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const [index, path] of paths.entries()) {
    const file = await open(path);
    try {
      for (const end = at + sizes[index]!; at < end; ) {
        const { bytesRead } = await file.read(bytes, at, end - at);
        if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`);
        at += bytesRead;
      }
    } finally {
      await file.close();
    }
  }
  return bytes.buffer;
}
