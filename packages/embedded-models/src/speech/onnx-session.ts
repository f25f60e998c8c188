import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { InferenceSession } from '../onnx-runtime/index.ts';
import { packageFile } from '../weights/package-file.ts';

/** A file of weights inside a package. */
export interface Weights {
  /** Package name and path. */
  file: string;
  sha256: string;
}

/** The runtime's memory arena stays on. Without it, a long phrase takes five times as long. */
const OPTIONS: InferenceSession.SessionOptions = {
  interOpNumThreads: 1,
  executionMode: 'sequential',
  // Waiting threads must not keep a core busy.
  extra: { session: { intra_op: { allow_spinning: '0' } } },
};

export interface SessionOptions {
  /** Number of threads for one step, limited by the cores. More than one slows other work down. */
  threads?: number;
}

/** @throws Error if the weights are missing or have changed */
export async function openSession({ file, sha256 }: Weights, options: SessionOptions = {}): Promise<InferenceSession> {
  const path = packageFile(file);
  await check(createReadStream(path, { highWaterMark: 1 << 20 }), file, sha256);
  return InferenceSession.create(path, optionsOf(options));
}

/** Reads the weights, to be changed before use. @throws Error as `openSession` */
export async function readWeights({ file, sha256 }: Weights): Promise<Buffer> {
  const bytes = await readFile(packageFile(file));
  await check([bytes], file, sha256);
  return bytes;
}

/** Opens a changed model. */
export function openChanged(file: Buffer, options: SessionOptions = {}): Promise<InferenceSession> {
  return InferenceSession.create(file, optionsOf(options));
}

function optionsOf({ threads = 1 }: SessionOptions): InferenceSession.SessionOptions {
  return { ...OPTIONS, intraOpNumThreads: Math.min(threads, availableParallelism()) };
}

async function check(pieces: Iterable<Buffer> | AsyncIterable<Buffer>, file: string, sha256: string): Promise<void> {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  if (hash.digest('hex') !== sha256) throw new Error(`${file} has an unexpected checksum`);
}
