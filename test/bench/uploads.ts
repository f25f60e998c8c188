import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { startS3, TINY_PNG } from '@chorus/testing';
import { heading, rate, report } from './figures.ts';
import { type BenchPlatform, startPlatform } from './platform.ts';

const BYTES = 1_000_000_000;
/** What the first of them warm up is not counted. */
const WARM_UP_BYTES = 100_000_000;
const CHUNK_BYTES = 65_536;
const LOOK_EVERY_MS = 100;

const TINY = 4_000;
const CALLERS = 32;

interface Uploaded {
  seconds: number;
  /** How far the API's resident memory rose above what it was after the first 100 MB, in megabytes. */
  growthMb: number;
}

/** A file of 1 GB through the API to each store, and thousands of tiny ones: how fast, and what the API's memory does meanwhile. */
export async function uploads(): Promise<void> {
  await withPlatform('files', {}, async (platform) => {
    await large(platform);
    await tiny(platform);
  });
  const s3 = await startS3();
  try {
    await withPlatform('S3 (OpenStack Swift)', s3.newBucket().env, large);
  } finally {
    await s3.stop();
  }
}

async function large(platform: BenchPlatform): Promise<void> {
  const { seconds, growthMb } = await upload(platform);
  report(`${BYTES / 1e9} GB at once, MB/s`, (BYTES / 1e6 / seconds).toFixed(0));
  report('memory of the API that grows meanwhile (MB)', growthMb.toFixed(0), 'aim under 64');
}

/** Pictures of 100 bytes, each of which is decoded; the first of them warm the process up. */
async function tiny(platform: BenchPlatform): Promise<void> {
  const { 'content-type': _, ...headers } = platform.headers;
  const one = async () => {
    const form = new FormData();
    form.append('file', new Blob([TINY_PNG]), 'tiny.png');
    const answer = await fetch(`${platform.api}/assets`, { method: 'POST', headers, body: form });
    if (answer.status !== 200) throw new Error(`upload: ${answer.status}`);
    await answer.arrayBuffer();
  };
  await rate(one, TINY / 4, CALLERS);
  const before = apiMemory(platform);
  report(`tiny images, uploads/s, ${CALLERS} callers`, (await rate(one, TINY, CALLERS)).toFixed(0));
  report(`memory of the API after ${TINY.toLocaleString('en')} more (MB)`, (apiMemory(platform) - before).toFixed(0));
}

const apiMemory = (platform: BenchPlatform) =>
  platform.memory().find(({ name }) => name === 'apps/api')?.megabytes ?? Number.NaN;

async function withPlatform(
  name: string,
  env: Record<string, string>,
  work: (platform: BenchPlatform) => Promise<void>,
): Promise<void> {
  heading(`Uploads through the API: ${name}`);
  const platform = await startPlatform(env);
  try {
    await work(platform);
  } finally {
    await platform.stop();
  }
}

async function upload(platform: BenchPlatform): Promise<Uploaded> {
  const hash = createHash('sha256');
  let sent = 0;
  let settledMb = 0;
  let highestMb = 0;
  const look = setInterval(() => {
    highestMb = Math.max(highestMb, apiMemory(platform));
    if (sent < WARM_UP_BYTES) settledMb = highestMb;
  }, LOOK_EVERY_MS);
  const began = performance.now();
  try {
    const asset = await post(platform, async function* () {
      const noise = randomBytes(CHUNK_BYTES);
      for (; sent < BYTES; sent += CHUNK_BYTES) {
        const chunk = noise.subarray(0, Math.min(CHUNK_BYTES, BYTES - sent));
        hash.update(chunk);
        yield chunk;
      }
    });
    if (asset.sha256 !== hash.digest('hex')) throw new Error('what was stored is not what was sent');
    return { seconds: (performance.now() - began) / 1_000, growthMb: highestMb - settledMb };
  } finally {
    clearInterval(look);
  }
}

async function post(platform: BenchPlatform, bytes: () => AsyncGenerator<Buffer>): Promise<{ sha256: string }> {
  const outgoing = request(`${platform.api}/assets`, {
    method: 'POST',
    headers: { ...platform.headers, 'content-type': 'multipart/form-data; boundary=edge' },
  });
  const answered = new Promise<{ sha256: string }>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      json(response).then((body) => {
        if (response.statusCode === 200) resolve(body as { sha256: string });
        else reject(new Error(`upload: ${response.statusCode} ${JSON.stringify(body)}`));
      }, reject);
    });
  });
  outgoing.write('--edge\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n');
  for await (const chunk of bytes())
    if (!outgoing.write(chunk)) await new Promise((resolve) => outgoing.once('drain', resolve));
  outgoing.end('\r\n--edge--\r\n');
  return answered;
}
