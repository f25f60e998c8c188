import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { type BlobsConfig, createBlobs } from '@chorus/blobs';
import { createLogger } from '@chorus/log';

/** What `blobs.ts` asks of this process, whose memory is nobody else's: to send a file somewhere, or to read a blob. */
export interface StreamTask {
  way: 'put' | 'read' | 'bare' | 'bare-hashed';
  config: BlobsConfig;
  /** The file that is sent. */
  file: string;
  key: string;
}

export interface StreamFigures {
  seconds: number;
  /** How far resident memory rose above what it was after the first 100 MB, in megabytes. */
  growthMb: number;
  /** Of what was stored or read; null: nobody looked. */
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

/** Looks at the memory with each chunk that comes by. */
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

/** What there is without us: a copy of the file by streams, or the SDK's own upload; `hashed`, with its hash. */
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

const began = performance.now();
const sha256 = await run();
const seconds = (performance.now() - began) / 1_000;
console.log(JSON.stringify({ seconds, growthMb: highestMb - settledMb, sha256 } satisfies StreamFigures));
