import { type BatchBody, type BatchKind, ChorusError, newId, type Owner } from '@chorus/contract';
import { type BatchItemRecord, type BatchRecord, connectDatabase } from '@chorus/database';
import { BATCHES_CHANNEL, connectRedis, createEventHub, createEventLog, type RedisConnection } from '@chorus/events';
import { NO_USAGE } from '@chorus/providers/usage';
import { createDispatcher } from '@chorus/queue';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, startRedis } from '@chorus/testing';
import { type JobContext, type RunningPool, startPool } from '@chorus/worker-kit';
import { MongoClient } from 'mongodb';
import type { EconomyModels } from './economy.ts';
import { Feeder, type FeederParts } from './feeder.ts';
import { listenForBatches } from './listen-for-batches.ts';
import type { Planner } from './plan-item.ts';
import { type StagedBatch, stageBatch } from './stage-batch.ts';

export const silent = createLogger({ name: 'test', level: 'silent' });

/** Plans an image like the product. The prompt "later" cannot be planned yet, and "never" cannot be planned at all. */
export const planner: Planner = async (_kind, request, { path }) => {
  const { prompt = '', model = 'test/image' } = request as BatchBody<'iris.image'>;
  if (prompt === 'later') throw new ChorusError('overloaded', 'Not now.');
  if (prompt === 'never')
    throw new ChorusError('model_not_found', 'No.', { details: [{ path: `${path}.model`, message: 'x' }] });
  const input = { model, prompts: [prompt], n: 1, size: null, seed: null, negative_prompt: null };
  return { kind: 'iris.image', model, input: { ...input, reference_asset_ids: [] } };
};

type ImageJob = JobContext<'iris.image'>;

/** Runs a job in the worker. The prompt decides whether it succeeds, fails, or hangs. */
export async function draw({ input, signal }: Pick<ImageJob, 'input' | 'signal'>) {
  const [prompt = ''] = input.prompts;
  if (prompt.startsWith('fail')) throw new ChorusError('provider_error', `It fails: ${prompt}`);
  if (prompt.startsWith('hang')) {
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  }
  // Returns text instead of an image.
  const output = [{ type: 'text', text: `drawn: ${prompt}` }] as never[];
  return { output, usage: NO_USAGE, model: input.model, provider: 'test', finish_reason: 'stop' };
}

type Items = (string | Record<string, unknown>)[];

/** Connects a Redis and a store for one test file, with the parts of the API and of workers. */
export async function openBatches() {
  const [server, store] = await Promise.all([startRedis(), sharedStore()]);
  const config = { url: server.url, cluster: false };
  const connections: RedisConnection[] = [];
  const connect = () => {
    const connection = connectRedis(config, 'worker');
    connection.on('error', () => undefined);
    connections.push(connection);
    return connection;
  };
  const redis = connect();
  const database = await connectDatabase({ uri: store.uri, log: silent });
  const raw = await new MongoClient(store.uri).connect();
  const hub = createEventHub(redis, connect(), silent);
  const eventLog = createEventLog(redis, { maxLength: 1_000, keepMs: 60_000 });
  const limits = { maxDepth: 1_000, maxAgeMs: 600_000 };
  const dispatcher = createDispatcher({ database, redis, hub, eventLog, limits, log: silent });
  const closers: (() => Promise<unknown>)[] = [];

  return {
    server,
    store,
    redis,
    database,
    dispatcher,

    /** Stages a batch of images like the API. Texts are prompts. */
    stage(
      owner: Owner,
      items: Items,
      head: Record<string, unknown> = {},
      agentId: string | null = null,
      economyModels?: EconomyModels,
    ): Promise<StagedBatch> {
      const values = items.map((item) => (typeof item === 'string' ? { body: { prompt: item } } : item));
      const upload = {
        head: { kind: 'iris.image' satisfies BatchKind, ...head },
        items: values.map((value) => ({ value, chars: JSON.stringify(value).length })),
      };
      const models = economyModels && { economyModels };
      return stageBatch(database, { owner, agentId, apiKeyId: null, requestId: 'req', upload, ...models });
    },

    async create(
      owner: Owner,
      items: Items,
      head: Record<string, unknown> = {},
      economyModels?: EconomyModels,
    ): Promise<BatchRecord> {
      const batch = await (await this.stage(owner, items, head, null, economyModels)).commit();
      eventLog.wake(BATCHES_CHANNEL);
      return batch;
    },

    /** Starts a feeder as another process would; `over` overrides parts. Stopped with the test. */
    async startFeeder(over: Partial<FeederParts> = {}): Promise<Feeder> {
      const feeder = new Feeder({
        database,
        dispatcher,
        redis: connect(),
        planner,
        limits: { maxDepth: 1_000, window: 50 },
        publishToFeed: eventLog.publishToFeed,
        onEnd: async () => undefined,
        log: silent,
        ...over,
      });
      const stopListening = await listenForBatches(hub, feeder);
      closers.push(async () => {
        stopListening();
        await feeder.close();
      });
      return feeder;
    },

    async startWorker(run: (job: ImageJob) => ReturnType<typeof draw> = draw, concurrency = 20): Promise<RunningPool> {
      const pool = await startPool({
        pool: 'media',
        handlers: { 'iris.image': { run } },
        redis: config,
        store: database,
        eventLog,
        concurrency,
        log: silent,
        health: () => ({ models: [], providers: [], default_model: null }),
      });
      closers.push(() => pool.close(0));
      return pool;
    },

    /** Waits for the end of a batch, or for a condition. */
    async settled(
      owner: Owner,
      id: string,
      enough = (batch: BatchRecord) => batch.finished_at !== null,
    ): Promise<BatchRecord> {
      let found: BatchRecord | null = null;
      await until(async () => {
        found = await database.batches.get(owner, id);
        return found !== null && enough(found);
      });
      return found as unknown as BatchRecord;
    },

    async items(id: string): Promise<BatchItemRecord[]> {
      const { data } = await database.batchItems.list(id, { limit: 1_000 });
      return database.batchItems.getMany(
        id,
        data.map(({ index }) => index),
      );
    },

    /** Takes held executions out of their part. */
    async loosen(ids: string[]): Promise<void> {
      const executions = raw.db().collection<{ _id: string }>('executions');
      await executions.updateMany({ _id: { $in: ids } }, { $set: { 'economy.part': null } });
    },

    /** Lets a batch expire now. */
    async expire(id: string): Promise<void> {
      const batches = raw.db().collection<{ _id: string }>('batches');
      await batches.updateOne({ _id: id }, { $set: { expires_at: new Date(Date.now() - 1) } });
      eventLog.wake(BATCHES_CHANNEL);
    },

    /** Stops feeders and workers. Later tests start new ones. */
    async closeProcesses(): Promise<void> {
      await Promise.all(closers.splice(0).map((close) => close()));
    },

    async close(): Promise<void> {
      await this.closeProcesses();
      await dispatcher.close();
      hub.close();
      for (const connection of connections) connection.disconnect();
      await Promise.all([database.close(), raw.close()]);
      await Promise.all([server.stop(), store.stop()]);
    },
  };
}

export type OpenBatches = Awaited<ReturnType<typeof openBatches>>;

export const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

/** Makes a step fail now and then, before or after its effect. */
export function shaky<Args extends unknown[], T>(step: (...args: Args) => Promise<T>): (...args: Args) => Promise<T> {
  let calls = 0;
  return async (...args) => {
    calls += 1;
    if (calls % 6 === 1) throw new ChorusError('store_unavailable', 'Failed before.');
    const answer = await step(...args);
    if (calls % 6 === 4) throw new ChorusError('store_unavailable', 'Failed after.');
    return answer;
  };
}

/** Polls until the condition holds; throws after 40 s. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 40_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`never came true: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
