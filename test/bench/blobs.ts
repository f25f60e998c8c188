import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BlobsConfig, createBlobs } from '@chorus/blobs';
import { createLogger } from '@chorus/runtime/log';
import { startS3 } from '@chorus/testing';
import type { StreamFigures, StreamTask } from './blob-stream.ts';
import { heading, report } from './report.ts';

const BYTES = 1_000_000_000;
const CHILD = fileURLToPath(new URL('blob-stream.ts', import.meta.url));

/** Writes and reads a 1 GB blob with each store, and compares with a plain copy. Each run has its own process. */
export async function blobs(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'chorus-bench-blobs-'));
  const s3 = await startS3();
  try {
    const file = join(folder, 'source');
    const sha256 = await fill(file);
    const files: BlobsConfig = { kind: 'files', folder: join(folder, 'blobs') };
    await compare('files', 'a plain copy of the file', files, file, sha256);
    const { config } = s3.newBucket();
    const bucket = createBlobs(config, createLogger({ name: 'bench', level: 'warn' }));
    await bucket.check(); // creates the bucket, which the bare upload does not
    bucket.close();
    await compare('S3 (OpenStack Swift)', "the SDK's upload", config, file, sha256);
  } finally {
    await s3.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function compare(name: string, other: string, config: BlobsConfig, file: string, sha256: string): Promise<void> {
  heading(`A ${BYTES / 1e9} GB blob: ${name}`);
  const run = (way: StreamTask['way']) => stream({ way, config, file, key: 'bench/content' });
  const bare = await run('bare');
  const hashed = await run('bare-hashed');
  const put = await run('put');
  const read = await run('read');
  for (const each of [hashed, put, read])
    if (each.sha256 !== sha256) throw new Error(`${name}: the bytes read differ from the bytes written`);
  report(`${other}, MB/s`, rate(bare));
  report(`${other}, hashed, MB/s`, rate(hashed));
  report('put (always hashed), MB/s', rate(put));
  report('ratio to the baseline', (bare.seconds / put.seconds).toFixed(2));
  report('ratio to the hashed baseline', (hashed.seconds / put.seconds).toFixed(2), 'aim 0.8');
  report('read and hashed, MB/s', rate(read));
  report('memory growth while writing (MB)', put.growthMb.toFixed(0), 'aim under 64');
  report('memory growth while reading (MB)', read.growthMb.toFixed(0), 'aim under 64');
}

const rate = ({ seconds }: StreamFigures) => (BYTES / 1e6 / seconds).toFixed(0);

async function stream(task: StreamTask): Promise<StreamFigures> {
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, JSON.stringify(task)]);
  return JSON.parse(stdout) as StreamFigures;
}

async function fill(path: string): Promise<string> {
  const file = await open(path, 'w');
  for (let left = BYTES; left > 0; ) {
    const chunk = randomBytes(Math.min(left, 10_000_000));
    await file.write(chunk);
    left -= chunk.length;
  }
  await file.close();
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
