import { setTimeout as pause } from 'node:timers/promises';
import { AGENT_WORK_DEFAULTS, newId, type Owner } from '@chorus/contract';
import { connectRedis } from '@chorus/events';
import { LaneReader, presentExecution } from '@chorus/executions';
import { createLanes, type Lanes, LaneWait } from '@chorus/lanes';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { JobContext, JobResult } from './handler.ts';
import { startPool } from './start-pool.ts';
import {
  aborted,
  openPlatform,
  personal,
  readUntil,
  silent,
  type TestPlatform,
  typesOf,
  USAGE,
  until,
} from './test-pool.ts';

const DOCUMENTS = 60;
const AWAY_MS = 8_000;
const PLACES = 8;

let platform: TestPlatform;
let lanes: Lanes;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  platform = await openPlatform();
  const connect = () => connectRedis({ url: platform.server.url, cluster: false }, 'worker');
  const [redis, subscriber] = [connect(), connect()];
  lanes = createLanes({ redis, subscriber, limits: () => null, log: silent });
  await lanes.ready();
  closing.push(
    () => lanes.close(),
    () => redis.disconnect(),
    () => subscriber.disconnect(),
  );
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close(0)));
});
afterAll(async () => {
  for (const close of closing) close();
  await platform.close();
});

const pools: Awaited<ReturnType<typeof startPool>>[] = [];

const INPUT = {
  settings: {},
  agent: AGENT_WORK_DEFAULTS,
  source: { type: 'messages' as const, messages: [{ role: 'user' as const, content: 'Hi' }] },
};

type Ingest = JobContext<'knowledge.ingest'>;

/** Calls a provider as adapters do: each failure counts against its lane, and two retries follow. */
async function call(lane: string, { signal, owner }: Ingest, isAway: () => boolean): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const pass = await lanes.enter(lane, { signal, maxWaitMs: 1_000, user: owner.user_id });
    await pause(5);
    if (!isAway()) {
      pass.accepted();
      pass.ended();
      pass.leave();
      return;
    }
    pass.failed();
    pass.leave();
    if (tries === 2) throw new LaneWait(lane, 'away', 0);
    await pause(50);
  }
}

const startDocuments = async (run: (job: Ingest) => Promise<void>) => {
  const pool = await startPool({
    pool: 'knowledge',
    handlers: {
      'knowledge.ingest': {
        run: async (job: Ingest): Promise<JobResult<never>> => {
          await run(job);
          return { output: [], usage: USAGE, model: null, provider: null, finish_reason: null };
        },
      },
    },
    redis: { url: platform.server.url, cluster: false },
    store: platform.database,
    eventLog: platform.eventLog,
    concurrency: PLACES,
    lanes,
    log: silent,
    health: () => ({ models: [], providers: [], default_model: null }),
  });
  pools.push(pool);
};

const ingest = async (owner: Owner, entry: string, follow = false) =>
  platform.dispatcher.dispatch<'knowledge.ingest'>({
    kind: 'knowledge.ingest',
    owner,
    model: null,
    begin: async () => ({ input: { entry_id: entry, revision: 1 } }),
    requestId: 'req',
    follow,
  });

const waitingIn = async (lane: string) =>
  (await platform.dispatcher.lanes.read()).find((one) => one.lane === lane)?.waiting ?? 0;

test('a document that its lane has put off is queued, and says what it waits for', async () => {
  const lane = `openai/${newId('job')}`;
  let isAway = true;
  await startDocuments((job) => call(lane, job, () => isAway));
  const { record, reader } = await ingest(personal(), newId('knowledge'), true);
  if (!reader) throw new Error('no reader');
  // The lane closes after five failures in a row.
  const second = await ingest(personal(), newId('knowledge'), true);
  await until(async () => (await waitingIn(lane)) === 2);
  const stored = await platform.database.executions.get(record.owner, record.id);
  if (!stored) throw new Error('no record');
  expect(stored).toMatchObject({ status: 'queued', awaited_lane: lane });
  const views = await new LaneReader(platform.redis).read([lane]);
  const addresses = { baseUrl: '', assetUrls: { sign: () => '' }, traceUrl: null } as never;
  expect(presentExecution(stored, addresses, views).waiting_for).toMatchObject({ reason: 'away', provider: 'openai' });
  isAway = false;
  const types = typesOf(await readUntil(reader));
  expect(types.slice(0, 2)).toEqual(['execution.started', 'execution.waiting']);
  expect(types.at(-1)).toBe('execution.succeeded');
  if (second.reader) await readUntil(second.reader);
  expect(await waitingIn(lane)).toBe(0);
}, 30_000);

test('documents whose provider is away wait without a place, and are not tried again and again', async () => {
  const [lane, other] = [`openai/${newId('job')}`, `mistral/${newId('job')}`];
  const awayUntil = performance.now() + AWAY_MS;
  const isAway = () => performance.now() < awayUntil;
  const attempts = new Map<string, number>();
  let wasted = 0;
  let ended = 0;
  await startDocuments(async (job) => {
    const id = job.input.entry_id;
    if (id.startsWith('other')) return call(other, job, () => false);
    attempts.set(id, (attempts.get(id) ?? 0) + 1);
    try {
      await call(lane, job, isAway);
      ended += 1;
    } catch (error) {
      wasted += 1;
      throw error;
    }
  });
  const users = [personal(), personal(), personal()];
  const ids = Array.from({ length: DOCUMENTS }, (_, at) => ({ owner: users[at % 3] as Owner, id: `away ${at}` }));
  const records = await Promise.all(ids.map(({ owner, id }) => ingest(owner, id)));
  await until(async () => (await waitingIn(lane)) >= DOCUMENTS - 1);
  // Documents of another lane go on.
  let slowest = 0;
  while (performance.now() < awayUntil - 500) {
    const began = performance.now();
    const { reader } = await ingest(personal(), `other ${newId('job')}`, true);
    if (!reader) throw new Error('no reader');
    expect(typesOf(await readUntil(reader)).at(-1)).toBe('execution.succeeded');
    reader.close();
    slowest = Math.max(slowest, performance.now() - began);
    await pause(250);
  }
  await until(() => ended === DOCUMENTS);
  const states = () => platform.database.executions.listStates(records.map(({ record }) => record.id));
  await until(async () => (await states()).every(({ status }) => status === 'succeeded'));
  // Each document needs one attempt to find out. Then single ones test the lane, after 1.5 s, 2.3, 3.4, and so on.
  expect(wasted - DOCUMENTS).toBeLessThan(12);
  expect(slowest).toBeLessThan(5_000);
  expect(Math.max(...attempts.values())).toBeLessThan(6);
}, 120_000);

test('runs that hang in one lane delay no run of another, however many wait', async () => {
  const [hung, other] = [`openai/${newId('job')}`, `mistral/${newId('job')}`];
  const run = (owner: Owner, model: string, follow = false) =>
    platform.dispatcher.dispatch<'chat.completion'>({
      kind: 'chat.completion',
      owner,
      model,
      begin: async () => ({ input: { ...INPUT, model } }),
      requestId: 'req',
      follow,
    });
  const pool = await platform.startPool(
    async ({ input, signal }) => {
      if (input.model === hung) return aborted(signal);
      return { output: [], usage: USAGE, model: input.model, provider: null, finish_reason: 'stop' };
    },
    { lanes, concurrency: 16 },
  );
  const owners = [personal(), personal()];
  await Promise.all(Array.from({ length: 600 }, (_, at) => run(owners[at % 2] as Owner, hung)));
  await until(async () => (await platform.dispatcher.counts('text')).running >= 10);
  // The first ones never end, so each of the others starts beside them, or not at all.
  for (let count = 0; count < 20; count += 1) {
    const { reader } = await run(personal(), other, true);
    if (!reader) throw new Error('no reader');
    await readUntil(reader, (events) => events.some(({ event }) => event.type === 'execution.started'));
    reader.close();
  }
  const { running } = await platform.dispatcher.counts('text');
  expect(running).toBeLessThanOrEqual(13);
  await pool.close(0);
}, 60_000);
