import { readFileSync } from 'node:fs';
import { resample } from '../../../packages/embedded-models/src/speech/resample.ts';

/** Returns the samples (−1 to 1) of a mono 16-bit WAV file, resampled. */
export function readWav(path: string, rate: number): Float32Array {
  const file = readFileSync(path);
  const [format, data] = [chunkOf(file, 'fmt '), chunkOf(file, 'data')];
  if (format.readUInt16LE(0) !== 1 || format.readUInt16LE(2) !== 1 || format.readUInt16LE(14) !== 16)
    throw new Error(`${path} is not a mono 16-bit WAV file`);
  const samples = Float32Array.from({ length: data.length >> 1 }, (_, at) => data.readInt16LE(at * 2) / 32_768);
  return resample(samples, format.readUInt32LE(4), rate);
}

function chunkOf(file: Buffer, name: string): Buffer {
  for (let at = 12; at + 8 <= file.length; ) {
    const length = file.readUInt32LE(at + 4);
    if (file.toString('latin1', at, at + 4) === name) return file.subarray(at + 8, at + 8 + length);
    at += 8 + length + (length % 2);
  }
  throw new Error(`the WAV file has no ${name} chunk`);
}
