import { newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database, type ExecutionRecord } from '@chorus/database';
import { connectRedis, createEventHub, createEventLog, type RedisConfig } from '@chorus/events';
import { jobDataOf, queuePrefix } from '@chorus/executions';
import { NO_USAGE } from '@chorus/providers/usage';
import { createDispatcher, type Dispatcher } from '@chorus/queue';
import { createLogger } from '@chorus/runtime/log';
import { startRedis, startStore } from '@chorus/testing';
import { type JobContext, type RunningPool, startPool } from '@chorus/worker-kit';
import { Queue } from 'bullmq';
import { heading, median, percentile, report } from './report.ts';

const WAITING = 10_000;
const SINGLES = 30;
/** The backlog takes six seconds: each job takes 5 ms, several at once. */
const JOB_MS = 5;
const CONCURRENCY = 8;
const CALLERS = 32;

const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

const input = { model: 'none/none', prompts: ['x'], n: 1, size: null, seed: null, negative_prompt: null };

/**
 * Measures the waiting time of single jobs: on an idle queue, behind another owner's 10,000 jobs, and behind
 * the same backlog in a plain first-come-first-served queue. The handler only sleeps for a fixed time.
 */
export async function fairness(): Promise<void> {
  heading(
    `Wait of single jobs while another owner has ${WAITING.toLocaleString('en')} waiting (${CONCURRENCY} at once, ${JOB_MS} ms each)`,
  );
  const [server, store] = await Promise.all([startRedis(), startStore()]);
  const log = createLogger({ name: 'bench', level: 'error' });
  const config: RedisConfig = { url: server.url, cluster: false };
  const redis = connectRedis(config, 'worker');
  const hub = createEventHub(redis, connectRedis(config, 'worker'), log);
  const database = await connectDatabase({ uri: store.uri, log });
  const eventLog = createEventLog(redis, { maxLength: 10_000, keepMs: 60_000 });
  const limits = { maxDepth: 1_000_000, maxAgeMs: 3_600_000 };
  const dispatcher = createDispatcher({ database, redis, hub, eventLog, limits, log });
  const begun = new Map<string, (at: number) => void>();
  const pool = await startMedia({ config, database, eventLog, begun });
  const single = () => timeToBegin(begun, (id) => dispatch(dispatcher, personal(), id));
  try {
    await inTurn(20, single); // warm-up
    const idle = await inTurn(SINGLES, single);

    await fill(dispatcher);
    const fair = await inTurn(SINGLES, single);
    const left = (await dispatcher.pressure('media')).depth;
    if (left < WAITING / 20) throw new Error(`only ${left} were still waiting at the end`);
    await emptied(dispatcher);

    const queue = new Queue('media', { connection: redis, prefix: queuePrefix('media') });
    await fillPlainly(queue);
    const plain = await timeToBegin(begun, (id) => addPlainly(queue, [id]));
    await emptied(dispatcher);
    await queue.close();

    const show = (values: number[]) => `${median(values).toFixed(1)} / ${percentile(values, 0.95).toFixed(1)}`;
    report('idle queue (ms): median / p95', show(idle));
    report("behind another owner's jobs (ms): median / p95", show(fair));
    report('the same, first come first served (ms)', plain.toFixed(0));
    report('ratio to the idle queue (medians)', (median(fair) / median(idle)).toFixed(1));
    report('added wait, in running jobs (median)', ((median(fair) - median(idle)) / JOB_MS).toFixed(1), 'aim 2');
    report('first come first served: ratio to the idle queue', (plain / median(idle)).toFixed(0));
  } finally {
    await pool.close(0);
    await dispatcher.close();
    hub.close();
    redis.disconnect();
    await database.close();
    await Promise.all([server.stop(), store.stop()]);
  }
}

interface MediaParts {
  config: RedisConfig;
  database: Database;
  eventLog: ReturnType<typeof createEventLog>;
  begun: Map<string, (at: number) => void>;
}

function startMedia({ config, database, eventLog, begun }: MediaParts): Promise<RunningPool> {
  const run = async ({ executionId }: Pick<JobContext<'iris.image'>, 'executionId'>) => {
    begun.get(executionId)?.(performance.now());
    await new Promise((resolve) => setTimeout(resolve, JOB_MS));
    return { output: [], usage: NO_USAGE, model: null, provider: null, finish_reason: 'stop' };
  };
  return startPool({
    pool: 'media',
    handlers: { 'iris.image': { run } },
    redis: config,
    // Jobs of the plain queue have no record; only their waiting time is measured.
    store: { ...database, executions: { ...database.executions, finish: async () => null, get: async () => ended } },
    eventLog,
    concurrency: CONCURRENCY,
    log: createLogger({ name: 'bench', level: 'silent' }),
    health: () => ({ models: [], providers: [], default_model: null }),
  });
}

const ended = { finished_at: new Date(), attempt: 99 } as ExecutionRecord;

async function dispatch(dispatcher: Dispatcher, owner: Owner, id?: string): Promise<void> {
  await dispatcher.dispatch({
    kind: 'iris.image',
    owner,
    model: 'none/none',
    id,
    input: { ...input, reference_asset_ids: [] },
    requestId: null,
    follow: false,
  });
}

async function fill(dispatcher: Dispatcher): Promise<void> {
  const owner = personal();
  let left = WAITING;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      await dispatch(dispatcher, owner);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

async function fillPlainly(queue: Queue): Promise<void> {
  for (let done = 0; done < WAITING; done += 1_000) {
    await addPlainly(
      queue,
      Array.from({ length: 1_000 }, () => newId('job')),
    );
  }
}

async function addPlainly(queue: Queue, ids: string[]): Promise<void> {
  const owner = personal();
  const record = {
    owner,
    input: { ...input, reference_asset_ids: [] },
    request_id: null,
  } as unknown as ExecutionRecord;
  const jobs = ids.map((jobId) => ({
    name: 'iris.image',
    data: jobDataOf(record, 0),
    opts: { jobId, attempts: 1, removeOnComplete: true },
  }));
  await queue.addBulk(jobs);
}

async function timeToBegin(begun: MediaParts['begun'], submit: (id: string) => Promise<void>): Promise<number> {
  const id = newId('job');
  const running = new Promise<number>((resolve) => begun.set(id, resolve));
  const from = performance.now();
  await submit(id);
  const waitedMs = (await running) - from;
  begun.delete(id);
  return waitedMs;
}

async function inTurn(times: number, measure: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let index = 0; index < times; index += 1) values.push(await measure());
  return values;
}

async function emptied(dispatcher: Dispatcher): Promise<void> {
  while ((await dispatcher.pressure('media')).depth > 0) await new Promise((resolve) => setTimeout(resolve, 50));
}
