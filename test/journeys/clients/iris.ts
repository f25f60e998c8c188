import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Payload } from '../event-stream.ts';
import type { Platform } from '../platform.ts';

let platform: Platform;

const asset = (execution: Payload, at = 0): Payload => execution.output[at].asset;
const fetchBytes = async (url: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(new URL(url, platform.apis[0]?.url), { headers });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
};
const run = async (path: string, body: Payload) => {
  const answer = await platform.client.post(path, body);
  expect([answer.status, answer.body.status, answer.body.error]).toEqual([200, 'succeeded', null]);
  return answer.body;
};

async function send(path: string, file: Uint8Array, fields: Record<string, string> = {}): Promise<Payload> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(file)]), 'file');
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const answer = await fetch(`${platform.apis[0]?.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${platform.client.token}`, 'x-scope-type': 'personal' },
    body: form,
  });
  return (await answer.json()) as Payload;
}

const verdictOf = (execution: Payload) => execution.output[0].verdict;

export function irisJourneys(getPlatform: () => Platform): void {
  beforeAll(() => {
    platform = getPlatform();
  });

  describe('image creation', () => {
    let execution: Payload;
    let content: Buffer;

    beforeAll(async () => {
      const body = { prompt: 'A sign that says "HARBOUR" over a calm sea', size: '512x384', seed: 5 };
      execution = await run('/iris/generate', body);
      content = (await fetchBytes(asset(execution).url)).bytes;
    });

    it('creates an image of the requested size with a thumbnail, stream parts, and a tag', async () => {
      expect(asset(execution)).toMatchObject({ kind: 'image', mime_type: 'image/png', width: 512, height: 384 });
      expect(await sharp(content).metadata()).toMatchObject({ format: 'png', width: 512, height: 384 });
      const part = await fetchBytes(asset(execution).url, { range: 'bytes=0-7' });
      expect([part.status, part.bytes.length]).toEqual([206, 8]);
      const tag = part.headers.get('etag') as string;
      expect((await fetchBytes(asset(execution).url, { 'if-none-match': tag })).status).toBe(304);
      const small = await fetchBytes(asset(execution).thumbnail_url);
      expect((await sharp(small.bytes).metadata()).format).toBe('webp');
    });

    it('repeats an image with the same seed, and varies it with another', async () => {
      const body = { prompt: 'A sign that says "HARBOUR" over a calm sea', size: '512x384', n: 2, seed: 5 };
      const again = await run('/iris/generate', body);
      const [same, other] = await Promise.all([0, 1].map((at) => fetchBytes(asset(again, at).url)));
      const pixels = (bytes: Buffer) => sharp(bytes).raw().toBuffer();
      expect(await pixels(same!.bytes)).toEqual(await pixels(content));
      expect(await pixels(other!.bytes)).not.toEqual(await pixels(content));
    });

    it('verifies an image and a changed copy as made here, and no other image', async () => {
      expect(verdictOf(await run('/iris/verify', { asset_id: asset(execution).id }))).toBe('made_here');
      const jpeg = await sharp(content).jpeg({ quality: 60 }).toBuffer();
      const changed = await send('/iris/verify', jpeg, { expected_text: 'HARBOUR' });
      expect(changed.output[0]).toMatchObject({ verdict: 'made_here_altered', claim: 'supported' });
      const noise = { width: 300, height: 200, channels: 3 as const, background: '#808080' };
      const other = await sharp({ create: { ...noise, noise: { type: 'gaussian', mean: 120, sigma: 60 } } })
        .png()
        .toBuffer();
      expect(verdictOf(await send('/iris/verify', other))).toBe('not_found');
    });

    it('reads text from an image', async () => {
      const read = await run('/iris/ocr', { asset_id: asset(execution).id });
      expect(read.output[0].text).toContain('HARBOUR');
      const [page] = read.output[1].pages;
      const word = page.lines
        .flatMap(({ words }: Payload) => words)
        .find(({ text }: Payload) => text.includes('HARBOUR'));
      expect(word.box.x).toBeGreaterThan(0);
      expect(word.box.x + word.box.width).toBeLessThanOrEqual(page.width);
    });
  });

  it('streams several images as they are finished', async () => {
    const body = { prompts: ['a red sun', 'a blue moon'], n: 2, size: '128x128' };
    const stream = await platform.client.open('POST', '/iris/generate', { body: { ...body, stream: true } });
    const events = (await stream.frames()).map(({ data }) => data).filter((data) => data !== null);
    const items = events.filter(({ type }: Payload) => type === 'output.item');
    expect(items.map(({ index }: Payload) => index).sort()).toEqual([0, 1, 2, 3]);
    for (const { item } of items) expect((await fetchBytes(item.asset.url)).status).toBe(200);
    const last = events.at(-1) as Payload;
    expect(last).toMatchObject({ type: 'execution.succeeded', execution: { progress: { completed: 4, total: 4 } } });
  });

  it('creates only missing images after a worker was killed', async () => {
    const body = { prompts: ['a harbour', 'a forest', 'a desert', 'a city'], n: 3, size: '512x512' };
    const stream = await platform.client.open('POST', '/iris/generate', { body: { ...body, stream: true } });
    const first: Payload[] = [];
    let execution: Payload = null;
    for await (const { data } of stream) {
      if (data?.type === 'output.item' && first.push(data) === 1) {
        await platform.background[0]?.end('SIGKILL');
        await platform.background[0]?.start();
      }
      if (data?.execution) execution = data.execution;
    }
    expect(execution).toMatchObject({ attempt: 2, progress: { completed: 12, total: 12 } });
    const ids = execution.output.map(({ asset: { id } }: Payload) => id);
    expect(new Set(ids).size).toBe(12);
    for (const { item, index } of first) expect(ids[index]).toBe(item.asset.id);
    const listed = await platform.client.get(`/assets?execution_id=${execution.id}&limit=100`);
    expect(listed.body.data.map(({ id }: Payload) => id).sort()).toEqual([...ids].sort());
  });
}
