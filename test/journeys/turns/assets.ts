import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { newId } from '@chorus/contract';
import { TINY_PNG } from '@chorus/testing';
import { beforeAll, expect, it } from 'vitest';
import type { Payload } from '../event-stream.ts';
import type { Platform } from '../platform.ts';

export function assetsJourneys(getPlatform: () => Platform): void {
  let platform: Platform;

  beforeAll(() => {
    platform = getPlatform();
  });

  const urlOf = (n: number) => platform.apis[n]?.url ?? '';
  const credentials = () => ({ authorization: `Bearer ${platform.client.token}`, 'x-scope-type': 'personal' });

  async function upload(n: number, bytes: Uint8Array, headers: Record<string, string> = {}): Promise<Payload> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)]), 'large.bin');
    const answer = await fetch(`${urlOf(n)}/api/v1/assets`, {
      method: 'POST',
      headers: { ...credentials(), ...headers },
      body: form,
    });
    return { status: answer.status, body: (await answer.json()) as Payload };
  }

  it('serves assets of any API process by signed URLs of any other', async () => {
    const bytes = randomBytes(5_000_000);
    const { status, body } = await upload(0, bytes);
    expect([status, body.sha256]).toEqual([200, createHash('sha256').update(bytes).digest('hex')]);
    const read = await fetch(new URL(new URL(body.url).pathname + new URL(body.url).search, urlOf(1)));
    expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true);
    const again = await platform.client.get(`/assets/${body.id}`, { url: urlOf(1) });
    expect((await fetch(again.body.url, { headers: { range: 'bytes=0-9' } })).status).toBe(206);
    expect((await platform.client.call('DELETE', `/assets/${body.id}`, { url: urlOf(1) })).status).toBe(200);
    expect((await fetch(body.url)).status).toBe(404);
  });

  it('discards an upload whose API process is killed, and accepts it again under the same key', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const victim = await platform.startApi();
    const outgoing = request(`${victim.url}/api/v1/assets`, {
      method: 'POST',
      headers: { ...credentials(), ...key, 'content-type': 'multipart/form-data; boundary=edge' },
    });
    const cut = once(outgoing, 'error');
    outgoing.write('--edge\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n');
    const bytes = randomBytes(8_000_000);
    // Larger than all buffers, so the process has started to store it.
    await new Promise((resolve) => outgoing.write(bytes, resolve));
    await victim.end('SIGKILL');
    await cut;
    expect((await platform.client.get('/assets')).body.data).toEqual([]);

    const [one, two] = await Promise.all([upload(0, bytes, key), upload(1, bytes, key)]);
    const made = [one, two].filter(({ status }) => status === 200);
    expect(made.length).toBeGreaterThan(0);
    expect((await upload(1, bytes, key)).body.id).toBe(made[0]?.body.id);
    expect((await platform.client.get('/assets')).body.data).toHaveLength(1);
  });

  it('sends an image to a vision model, and again when the message is regenerated', async () => {
    const { client, fake } = platform;
    const image = (await upload(0, TINY_PNG)).body;
    const text = (await upload(0, Buffer.from('words'))).body;
    const message = 'What is on it?';
    const turn = await client.chat(
      { message, attachments: [image.id], model: 'compatible/echo@image' },
      { url: urlOf(1) },
    );
    expect([turn.status, turn.body.status]).toEqual([200, 'succeeded']);
    const [question] = await client.messages(turn.body.session_id);
    expect(question).toMatchObject({ role: 'user', content: message, attachments: [image.id] });
    const again = await client.chat({ regenerate_from: question.id, model: 'compatible/echo@image' });
    expect(again.body.status).toBe('succeeded');
    const asked = fake.requests.filter(({ model }) => model === 'echo@image');
    expect(asked).toHaveLength(2);
    for (const { body } of asked) {
      const content = (body.messages as Payload[]).at(-1).content;
      expect(content[0]).toEqual({ type: 'text', text: message });
      expect(content[1].image_url.url).toMatch(/^data:image\/jpeg;base64,/);
    }

    for (const [wrong, path] of [
      [{ attachments: [text.id] }, 'body.attachments.0'],
      [{ attachments: [image.id, newId('asset')] }, 'body.attachments.1'],
      [{ attachments: [image.id, image.id] }, 'body.attachments'],
      [{ attachments: ['x'] }, 'body.attachments.0'],
      [{ attachments: [image.id], model: 'embedded/assistant' }, 'body.attachments'],
      [{ attachments: [image.id], message: undefined, messages: [{ role: 'user', content: 'x' }] }, 'body.attachments'],
    ] as const) {
      const refused = await client.chat({ message, model: 'compatible/echo', ...wrong });
      expect([wrong, refused.status, refused.body.error?.details[0].path]).toEqual([wrong, 400, path]);
    }
  });
}
