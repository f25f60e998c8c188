import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Payload } from './event-stream.ts';
import { type Platform, startPlatform } from './platform.ts';
import type { PlatformProcess } from './platform-process.ts';
import { poll } from './poll.ts';

const ITEMS = 60;

let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform({ apis: 1, textWorkers: 1, maintenance: 1, env: { TEXT_CONCURRENCY: '8' } });
});
afterAll(() => platform?.stop());
beforeEach(() => platform.showLogsOnFailure());

const batch = async (id: string): Promise<Payload> => (await platform.client.get(`/batches/${id}`)).body;
const jobs = async (id: string): Promise<Payload[]> =>
  (await platform.client.get(`/jobs?batch_id=${id}&limit=100`)).body.data;

it('expires each item that has not started, once, while feeders are killed', { timeout: 240_000 }, async () => {
  const [feeder] = platform.maintenance as [PlatformProcess];
  const expires_at = new Date(Date.now() + 5_000).toISOString();
  const body = { messages: [{ role: 'user', content: 'Hello' }] };
  const { body: made } = await platform.client.post('/batches', {
    kind: 'chat.completion',
    defaults: { model: 'compatible/hang' },
    expires_at,
    items: Array.from({ length: ITEMS }, () => ({ body })),
  });
  const { id } = made;
  await poll('some have started', async () => (await batch(id)).counts.running > 0);
  await feeder.end('SIGKILL');
  const second = await platform.startMaintenance();
  await poll('some have expired', async () => (await batch(id)).counts.expired > 0);
  await second.end('SIGKILL');
  await platform.startMaintenance();
  const { counts } = await poll('only running ones are left', async () => {
    const now = await batch(id);
    return now.counts.waiting + now.counts.queued === 0 && now;
  });
  expect(counts.running).toBeGreaterThan(0);
  expect(counts.running + counts.expired).toBe(ITEMS);

  const running = (await jobs(id)).filter(({ status }) => status === 'running');
  for (const job of running) await platform.client.post(`/jobs/${job.id}/cancel`);
  const ended = await poll('it ends', async () => {
    const now = await batch(id);
    return now.status === 'completed' && now;
  });
  expect(ended).toMatchObject({ expires_at, counts: { expired: counts.expired, cancelled: counts.running } });
  const codes = (await jobs(id)).map(({ status, error }) => `${status} ${error?.code ?? 'by a user'}`);
  expect(new Set(codes)).toEqual(new Set(['cancelled expired', 'cancelled by a user']));
  const results: string = (await platform.client.get(`/batches/${id}/results`)).body;
  const lines = results.trimEnd().split('\n');
  expect(new Set(lines.map((line) => JSON.parse(line).index)).size).toBe(ITEMS);
  expect(lines).toHaveLength(ITEMS);
});
