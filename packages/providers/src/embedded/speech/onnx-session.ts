import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pipeline } from 'node:stream/promises';
import { InferenceSession } from 'onnxruntime-node';

/** A file of weights inside a package, and what is known of it. */
export interface Weights {
  /** As a module is named: the package and the path within. */
  file: string;
  sha256: string;
}

/**
 * One thread: more cost other work more than they gain. The runtime's own arena of memory stays on: without it, speaking a long phrase takes five times
 * as much.
 */
const OPTIONS: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
};

/** @throws Error where the weights are missing, or others than those that were tried */
export async function openSession({ file, sha256 }: Weights): Promise<InferenceSession> {
  const path = packageFile(file);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  if (hash.digest('hex') !== sha256) throw new Error(`${file} is not the file that it should be`);
  return InferenceSession.create(path, OPTIONS);
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
