import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { largePng, startS3, TINY_PNG } from '@chorus/testing';
import { type BenchPlatform, startPlatform } from './platform.ts';
import { residentOf } from './process-family.ts';
import { heading, median, rate, report } from './report.ts';

const BYTES = 1_000_000_000;
/** Excluded from the measurement. */
const WARM_UP_BYTES = 100_000_000;
const CHUNK_BYTES = 65_536;
const LOOK_EVERY_MS = 100;

const TINY = 4_000;
const CALLERS = 32;

interface Uploaded {
  seconds: number;
  /** Growth of the API's resident memory after the first 100 MB. */
  growthMb: number;
}

/** Uploads 1 GB to each store, thousands of tiny files, and small images alongside another scope's large ones. */
export async function uploads(): Promise<void> {
  await withPlatform('files', {}, async (platform) => {
    await large(platform);
    await tiny(platform);
    await besideLarge(platform);
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
  report(`one ${BYTES / 1e9} GB file, MB/s`, (BYTES / 1e6 / seconds).toFixed(0));
  report('memory growth of the API meanwhile (MB)', growthMb.toFixed(0), 'aim under 64');
}

/** Uploads images of 100 bytes, each of which is decoded. */
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
  report(`API memory after ${TINY.toLocaleString('en')} more (MB)`, (apiMemory(platform) - before).toFixed(0));
}

/** Measures small uploads while another scope's 99.8-megapixel images get their thumbnails. */
async function besideLarge(platform: BenchPlatform): Promise<void> {
  const { 'content-type': _, ...headers } = platform.headers;
  const made = await fetch(`${platform.api}/workspaces`, {
    method: 'POST',
    headers: platform.headers,
    body: JSON.stringify({ name: 'Another scope' }),
  });
  const { id } = (await made.json()) as { id: string };
  const another = { ...headers, 'x-scope-type': 'workspace', 'x-workspace-id': id };
  const send = async (bytes: Uint8Array, as: Record<string, string>) => {
    const form = new FormData();
    form.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), 'image.png');
    const startedAt = performance.now();
    const answer = await fetch(`${platform.api}/assets`, { method: 'POST', headers: as, body: form });
    if (answer.status !== 200) throw new Error(`upload: ${answer.status} ${await answer.text()}`);
    const asset = (await answer.json()) as { thumbnail_url: string };
    return { ms: performance.now() - startedAt, asset };
  };
  const large = await largePng(9_990, 9_990);
  const startedAt = performance.now();
  const sent = await Promise.all(Array.from({ length: 8 }, () => send(large, headers)));
  report(
    '8 simultaneous images of 99.8 megapixels, slowest upload (ms)',
    Math.max(...sent.map(({ ms }) => ms)).toFixed(0),
  );
  let left = sent.length;
  const thumbnails = sent.map(({ asset }) =>
    fetch(new URL(asset.thumbnail_url, platform.api)).then(async (answer) => {
      await answer.arrayBuffer();
      left -= 1;
    }),
  );
  const waits: number[] = [];
  while (left > 0) waits.push((await send(TINY_PNG, another)).ms);
  await Promise.all(thumbnails);
  report('their thumbnails (ms)', (performance.now() - startedAt).toFixed(0));
  const figures = `${median(waits).toFixed(0)}; ${Math.max(...waits).toFixed(0)}`;
  report(`${waits.length} small images of another scope meanwhile (ms): median; slowest`, figures, 'aim under 500');
}

const apiMemory = (platform: BenchPlatform) => residentOf(platform.pid, 'apps/api');

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
  const startedAt = performance.now();
  try {
    const asset = await post(platform, async function* () {
      const noise = randomBytes(CHUNK_BYTES);
      for (; sent < BYTES; sent += CHUNK_BYTES) {
        const chunk = noise.subarray(0, Math.min(CHUNK_BYTES, BYTES - sent));
        hash.update(chunk);
        yield chunk;
      }
    });
    if (asset.sha256 !== hash.digest('hex')) throw new Error('the stored bytes differ from the bytes sent');
    return { seconds: (performance.now() - startedAt) / 1_000, growthMb: highestMb - settledMb };
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
