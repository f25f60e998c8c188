import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { type BlobsConfig, createBlobs } from '@chorus/blobs';
import { createLogger } from '@chorus/runtime/log';

/** Input of a child process of `blobs.ts`, which measures memory without interference. */
export interface StreamTask {
  way: 'put' | 'read' | 'bare' | 'bare-hashed';
  config: BlobsConfig;
  file: string;
  key: string;
}

export interface StreamFigures {
  seconds: number;
  /** Growth of resident memory after the first 100 MB. */
  growthMb: number;
  /** Hash of the bytes stored or read; null if not computed. */
  sha256: string | null;
}

const WARM_UP_BYTES = 100_000_000;
const PART_BYTES = 8 * 1024 * 1024;

const task = JSON.parse(process.argv[2] ?? '') as StreamTask;
const log = createLogger({ name: 'bench', level: 'warn' });
const rssMb = () => process.memoryUsage.rss() / 1e6;

let passed = 0;
let settledMb = 0;
let highestMb = 0;

async function* watched(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  for await (const chunk of source) {
    passed += chunk.length;
    if (passed < WARM_UP_BYTES) settledMb = rssMb();
    highestMb = Math.max(highestMb, rssMb());
    yield chunk;
  }
}

async function run(): Promise<string | null> {
  if (task.way === 'bare' || task.way === 'bare-hashed') return bare();
  const blobs = createBlobs(task.config, log);
  try {
    if (task.way === 'put') return (await blobs.put(task.key, watched(createReadStream(task.file)))).sha256;
    const hash = createHash('sha256');
    for await (const chunk of watched(await blobs.open(task.key))) hash.update(chunk);
    return hash.digest('hex');
  } finally {
    blobs.close();
  }
}

/** Baseline: copies the file by streams, or uploads it with the SDK; `hashed` also computes its hash. */
async function bare(): Promise<string | null> {
  const { config, file, key, way } = task;
  const hash = createHash('sha256');
  const source = createReadStream(file);
  if (way === 'bare-hashed') source.on('data', (chunk) => hash.update(chunk));
  if (config.kind === 'files') {
    await pipeline(source, createWriteStream(`${config.folder}-copy`, { flush: true }));
    return way === 'bare' ? null : hash.digest('hex');
  }
  const { accessKeyId, secretAccessKey } = config;
  const client = new S3Client({
    region: config.region,
    forcePathStyle: config.forcePathStyle,
    credentials: { accessKeyId, secretAccessKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(config.endpoint && { endpoint: config.endpoint }),
  });
  const params = { Bucket: config.bucket, Key: `${key}-bare`, Body: source };
  await new Upload({ client, params, partSize: PART_BYTES, queueSize: 2 }).done();
  client.destroy();
  return way === 'bare' ? null : hash.digest('hex');
}

const startedAt = performance.now();
const sha256 = await run();
const seconds = (performance.now() - startedAt) / 1_000;
console.log(JSON.stringify({ seconds, growthMb: highestMb - settledMb, sha256 } satisfies StreamFigures));
