import { connectRedis } from '@chorus/events';
import { expectedText } from '@chorus/testing';
import { beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../api-client.ts';
import type { Platform } from '../platform.ts';
import { poll } from '../poll.ts';
import { Transcript } from '../transcript.ts';

export function shutdownJourneys(here: () => Platform): void {
  let platform: Platform;
  let client: ApiClient;

  beforeAll(() => {
    platform = here();
    client = platform.client;
  });

  it('an API that is told to stop ends its streams in order, and their clients go on at another', async () => {
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
    // Who waited is told how it stands, and goes on elsewhere.
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(body.status).toMatch(/^(queued|running)$/);

    for await (const frame of await client.events(transcript.executionId ?? '', transcript.last)) transcript.add(frame);
    expect(transcript.text).toBe(expectedText('words-100'));
    expect((await client.post(`/jobs/${body.id}/cancel`)).body.status).toBe('cancelling');
    await client.jobWith(body.id, ['cancelled']);
  });

  it('a cancel reaches a silent turn also when its message was lost', async () => {
    const model = 'compatible/hang@silent';
    const { id } = await client.begin({ message: 'Go.', model });
    await poll('the provider is asked', () => platform.fake.requests.some((request) => model.endsWith(request.model)));
    const redis = connectRedis({ url: platform.redis.url, cluster: false }, 'request');
    // Whoever is cut off takes 50 ms to come back; the cancel is quicker.
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    const { body } = await client.post(`/jobs/${id}/cancel`);
    redis.disconnect();
    expect(body.status).toBe('cancelling');
    const job = await client.jobWith(id, ['cancelled'], 30_000);
    expect(job.error).toBeNull();
  });
}
