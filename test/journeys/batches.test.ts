import { request } from 'node:http';
import { connectDatabase } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { NDJSON, ResultsReader, toJsonLines } from './batch-client.ts';
import type { Payload } from './event-stream.ts';
import { type Platform, startPlatform } from './platform.ts';
import type { PlatformProcess } from './platform-process.ts';
import { poll } from './poll.ts';

const SOAK = process.env.CHORUS_SOAK === '1';
const ITEMS = SOAK ? 2_000 : 60;
/** An embedded model. The other one belongs to a provider that records its requests. */
const MODEL = 'embedded/canvas';
const ASKED = 'openai/gpt-image-1';

let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform({
    apis: 2,
    textWorkers: 0,
    mediaWorkers: 1,
    maintenance: 1,
    models: ['gpt-image-1'],
  });
});
afterAll(() => platform?.stop());
beforeEach(() => platform.showLogsOnFailure());

const head = { kind: 'iris.image', defaults: { model: MODEL, size: '64x64' }, metadata: { journey: 'batches' } };

/** Every tenth item depends on the previous one and uses its result. */
const items = Array.from({ length: ITEMS }, (_, index) =>
  index % 10 === 9
    ? {
        id: `late-${index}`,
        after: [`i-${index - 1}`],
        body: { model: ASKED, prompt: `After {{i-${index - 1}.output.0.asset.id}}` },
      }
    : { id: `i-${index}`, body: { prompt: `Sun number ${index}` } },
);

const batch = async (id: string): Promise<Payload> => (await platform.client.get(`/batches/${id}`)).body;

async function reached(id: string, share: number): Promise<void> {
  await poll(`${share * 100}% have ended`, async () => (await batch(id)).progress.completed >= ITEMS * share, 120_000);
}

it('runs each item exactly once while workers, feeders, and Redis are killed', {
  timeout: SOAK ? 900_000 : 240_000,
}, async () => {
  const [worker] = platform.mediaWorkers as [PlatformProcess];
  const [feeder] = platform.maintenance as [PlatformProcess];
  const startedAt = performance.now();
  const { status, body } = await platform.client.post('/batches', toJsonLines(head, items), NDJSON);
  expect([status, body.counts?.total]).toEqual([200, ITEMS]);
  const { id } = body;
  // Starts with the API that will be killed.
  const results = new ResultsReader(platform.client, [...platform.apis].reverse(), id);
  const reading = results.run();

  await reached(id, 0.1);
  await Promise.all([worker.end('SIGKILL'), feeder.end('SIGKILL'), platform.apis[1]?.end('SIGKILL')]);
  const replacing = Promise.all([platform.startMediaWorker(), platform.startMaintenance()]);
  await reached(id, 0.3);
  await platform.redis.restart();

  const ended = await poll('it ends', async () => (await batch(id)).status === 'completed' && batch(id), 300_000);
  const seconds = (performance.now() - startedAt) / 1_000;
  process.stdout.write(`batches: ${ITEMS} items in ${seconds.toFixed(1)} s, ${results.reconnects} reconnects\n`);
  expect(ended.counts).toEqual({
    total: ITEMS,
    waiting: 0,
    queued: 0,
    running: 0,
    requires_action: 0,
    succeeded: ITEMS,
    failed: 0,
    cancelled: 0,
    skipped: 0,
    expired: 0,
  });
  await reading;
  expect(results.reconnects).toBeGreaterThan(0);
  expect(results.lines.map(({ item_id }) => item_id).sort()).toEqual(items.map((item) => item.id).sort());
  const executions = results.lines.map(({ execution }) => execution);
  expect(new Set(executions.map((execution) => execution.id)).size).toBe(ITEMS);
  const listed = new Set<string>();
  for (let after = ''; ; ) {
    const page = (await platform.client.get(`/jobs?batch_id=${id}&limit=100${after}`)).body;
    for (const job of page.data) listed.add(job.id);
    if (!page.has_more) break;
    after = `&after=${page.next_cursor}`;
  }
  expect(listed).toEqual(new Set(executions.map((execution) => execution.id)));
  for (const { item_id, execution } of results.lines) {
    expect([item_id, execution.status, execution.output.length]).toEqual([item_id, 'succeeded', 1]);
    expect(execution.output[0].asset).toMatchObject({ kind: 'image', execution_id: execution.id });
  }
  // Dependent items received the results they refer to.
  const assetOf = new Map(results.lines.map(({ item_id, execution }) => [item_id, execution.output[0].asset.id]));
  const asked = new Set(platform.fake.requests.map(({ body: sent }) => (sent as Payload)?.prompt));
  for (const { id: item, after } of items)
    if (after) expect([item, asked.has(`After ${assetOf.get(after[0] ?? '')}`)]).toEqual([item, true]);
  const [, feeding] = await replacing;
  await feeding.end('SIGTERM');
});

it('discards a batch whose API is killed while receiving it', {
  timeout: 120_000,
}, async () => {
  const database = await connectDatabase({
    uri: platform.store.uri,
    log: createLogger({ name: 'test', level: 'silent' }),
  });
  onTestFinished(() => database.close());
  const api = await platform.startApi();
  const before = (await platform.client.get('/batches?limit=100')).body.data.length;
  const sending = request(`${api.url}/api/v1/batches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${platform.client.token}`, 'x-scope-type': 'personal', ...NDJSON.headers },
  });
  sending.on('error', () => undefined);
  // More than one storage step.
  for (let number = 0; number < 6; number += 1) sending.write(`${toJsonLines(number === 0 ? head : many[0], many)}\n`);
  await poll('part of it is stored', async () => {
    const [staged] = await database.batches.listAbandoned(new Date(), 9);
    return staged && (await database.batchItems.list(staged, { limit: 1 })).data[0];
  });
  await api.end('SIGKILL');
  await platform.startMaintenance();
  const { body } = await platform.client.post(
    '/batches',
    toJsonLines(head, [{ body: { prompt: 'Seen', model: ASKED } }]),
    NDJSON,
  );
  await poll('another batch is fed', async () => (await batch(body.id)).status === 'completed');
  expect((await platform.client.get('/batches?limit=100')).body.data).toHaveLength(before + 1);
  const asked = platform.fake.requests.map(({ body: sent }) => (sent as Payload)?.prompt);
  expect([asked.includes('Seen'), asked.includes('Never')]).toEqual([true, false]);
});

const many = Array.from({ length: 100 }, () => ({ body: { prompt: 'Never', model: ASKED } }));
