import { connectRedis } from '@chorus/events';
import { expectedText } from '@chorus/testing';
import { beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../api-client.ts';
import type { Platform } from '../platform.ts';
import { poll } from '../poll.ts';
import { Transcript } from '../transcript.ts';

export function shutdownJourneys(getPlatform: () => Platform): void {
  let platform: Platform;
  let client: ApiClient;

  beforeAll(() => {
    platform = getPlatform();
    client = platform.client;
  });

  it('ends the streams of a stopping API, and clients continue at another', async () => {
    const api = await platform.startApi();
    const waiting = client.chat({ message: 'Go.', model: 'compatible/hang@stopped' }, { url: api.url });
    await poll('it waits', () => platform.fake.requests.some(({ model }) => model.includes('@stopped')));
    const stream = await client.stream({ message: 'Go.', model: 'compatible/words-100-delay-10' }, { url: api.url });
    const transcript = new Transcript();
    let stopped: Promise<number | null> | null = null;
    for await (const frame of stream) {
      transcript.add(frame);
      if (transcript.deltas.size === 5) stopped = api.end('SIGTERM');
    }
    expect(await stopped).toBe(0);
    expect(transcript.done).toBe(false);
    // The waiting request gets the current status, and the client continues elsewhere.
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(body.status).toMatch(/^(queued|running)$/);

    for await (const frame of await client.events(transcript.executionId ?? '', transcript.last)) transcript.add(frame);
    expect(transcript.text).toBe(expectedText('words-100'));
    expect((await client.post(`/jobs/${body.id}/cancel`)).body.status).toBe('cancelling');
    await client.waitForJob(body.id, ['cancelled']);
  });

  it('cancels a silent turn even if the cancel message is lost', async () => {
    const model = 'compatible/hang@silent';
    const { id } = await client.start({ message: 'Go.', model });
    await poll('the provider is called', () => platform.fake.requests.some((request) => model.endsWith(request.model)));
    const redis = connectRedis({ url: platform.redis.url, cluster: false }, 'request');
    // Reconnecting takes 50 ms; the cancel is faster.
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    const { body } = await client.post(`/jobs/${id}/cancel`);
    redis.disconnect();
    expect(body.status).toBe('cancelling');
    const job = await client.waitForJob(id, ['cancelled'], 30_000);
    expect(job.error).toBeNull();
  });
}
