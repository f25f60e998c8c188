import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { InferenceSession } from '@chorus/onnx-runtime';

/** A file of weights inside a package, and what is known of it. */
export interface Weights {
  /** As a module is named: the package and the path within. */
  file: string;
  sha256: string;
}

/** The runtime's own arena of memory stays on: without it, speaking a long phrase takes five times as much. */
const OPTIONS: InferenceSession.SessionOptions = {
  interOpNumThreads: 1,
  executionMode: 'sequential',
  // A thread that waits for its part does not keep a core busy with that.
  extra: { session: { intra_op: { allow_spinning: '0' } } },
};

export interface SessionOptions {
  /** How many compute one step together, where the machine has so many cores. Usually one: more cost other work more than they gain. */
  threads?: number;
}

/** @throws Error where the weights are missing, or others than those that were tried */
export async function openSession({ file, sha256 }: Weights, options: SessionOptions = {}): Promise<InferenceSession> {
  const path = packageFile(file);
  await check(createReadStream(path, { highWaterMark: 1 << 20 }), file, sha256);
  return InferenceSession.create(path, optionsOf(options));
}

/** The weights as a file, which can be changed before it is run. @throws Error as `openSession` */
export async function readWeights({ file, sha256 }: Weights): Promise<Buffer> {
  const bytes = await readFile(packageFile(file));
  await check([bytes], file, sha256);
  return bytes;
}

/** A model that was changed. */
export function openChanged(file: Buffer, options: SessionOptions = {}): Promise<InferenceSession> {
  return InferenceSession.create(file, optionsOf(options));
}

function optionsOf({ threads = 1 }: SessionOptions): InferenceSession.SessionOptions {
  return { ...OPTIONS, intraOpNumThreads: Math.min(threads, availableParallelism()) };
}

async function check(pieces: Iterable<Buffer> | AsyncIterable<Buffer>, file: string, sha256: string): Promise<void> {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  if (hash.digest('hex') !== sha256) throw new Error(`${file} is not the file that it should be`);
}

/** Where a file inside a package lies. Its package may export nothing but code, so the folder is looked for. */
export function packageFile(file: string): string {
  const require = createRequire(import.meta.url);
  const name = file.split('/', file.startsWith('@') ? 2 : 1).join('/');
  for (const folder of require.resolve.paths(name) ?? []) {
    const path = `${folder}/${file}`;
    if (existsSync(path)) return path;
  }
  throw new Error(`${file} is not installed`);
}
