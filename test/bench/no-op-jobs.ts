import { newId, type Owner } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { connectRedis, createEventLog, type RedisConfig } from '@chorus/events';
import { type JobData, queuePrefix } from '@chorus/executions';
import { NO_USAGE } from '@chorus/providers/usage';
import { createLogger } from '@chorus/runtime/log';
import { startRedis } from '@chorus/testing';
import { startPool } from '@chorus/worker-kit';
import { type Job, Queue, Worker } from 'bullmq';
import { heading, median, report } from './report.ts';

const JOBS = 10_000;
const ROUNDS = 5;
const CONCURRENCY = 100;
const LOG_LIMITS = { maxLength: 10_000, keepMs: 60_000 };

const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
const data: JobData = {
  owner,
  input: {
    model: 'none/none',
    settings: {},
    source: { type: 'messages', messages: [{ role: 'user', content: 'hi' }] },
  },
  request_id: null,
  earlier_attempts: 0,
};

/**
 * Compares no-op jobs per second through the worker kit and through bare BullMQ workers on the same Redis, in turn. One
 * of these appends the terminal event, which is the least that a job needs whose end others can see. The kit's database
 * port answers at once, because `executions.ts` measures the database.
 */
export async function noOpJobs(): Promise<void> {
  heading(`No-op jobs (${JOBS.toLocaleString('en')} per round, concurrency ${CONCURRENCY}, ${ROUNDS} rounds in turn)`);
  const server = await startRedis();
  const redis: RedisConfig = { url: server.url, cluster: false };
  try {
    const rates: { bare: number; logged: number; kit: number }[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const bare = await bareRound(redis);
      const logged = await bareRound(redis, true);
      const kit = await kitRound(redis);
      if (round > 0) rates.push({ bare, logged, kit }); // the first one warms up
    }
    const show = (what: string, of: (one: (typeof rates)[number]) => number, aim?: string) => {
      const ratio = median(rates.map((one) => of(one) / one.bare)).toFixed(2);
      report(
        `${what}: jobs per second, ratio`,
        `${Math.round(median(rates.map(of))).toLocaleString('en')}, ${ratio}`,
        aim,
      );
    };
    show('bare BullMQ', ({ bare }) => bare);
    show('bare BullMQ that appends one event per job', ({ logged }) => logged);
    show('worker kit', ({ kit }) => kit, 'aim 0.9');
  } finally {
    await server.stop();
  }
}

async function fill(redis: RedisConfig, name: string, prefix: string): Promise<void> {
  const connection = connectRedis(redis, 'worker');
  const queue = new Queue<JobData>(name, { connection, prefix });
  for (let done = 0; done < JOBS; done += 1_000) {
    await queue.addBulk(
      Array.from({ length: 1_000 }, () => ({
        name: 'chat.completion',
        data,
        opts: { jobId: newId('job'), attempts: 1, removeOnComplete: true },
      })),
    );
  }
  await queue.close();
  connection.disconnect();
}

async function bareRound(redis: RedisConfig, isLogged = false): Promise<number> {
  await fill(redis, 'bare', '{bare}');
  const own = connectRedis(redis, 'worker');
  const log = createEventLog(own, LOG_LIMITS);
  const run = async ({ id = '' }: Job) => {
    if (isLogged) await log.append(id, 1, 0, [{ type: 'execution.succeeded' }]);
  };
  // Connection options as in BullMQ's documentation.
  const connection = { path: redis.url.replace('unix://', ''), maxRetriesPerRequest: null };
  let done = 0;
  const startedAt = performance.now();
  const worker = new Worker('bare', run, { connection, prefix: '{bare}', concurrency: CONCURRENCY });
  await new Promise<void>((resolve) => {
    worker.on('completed', () => {
      done += 1;
      if (done === JOBS) resolve();
    });
  });
  const rate = JOBS / ((performance.now() - startedAt) / 1_000);
  await worker.close();
  own.disconnect();
  return rate;
}

const noOp = {
  run: async () => ({ output: [], usage: NO_USAGE, model: null, provider: null, finish_reason: 'stop' }),
};

async function kitRound(redis: RedisConfig): Promise<number> {
  await fill(redis, 'text', queuePrefix('text'));
  const connection = connectRedis(redis, 'worker');
  let done = 0;
  let finished: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    finished = resolve;
  });
  const startedAt = performance.now();
  const pool = await startPool({
    pool: 'text',
    handlers: { 'chat.completion': noOp },
    redis,
    store: {
      executions: {
        claim: async () => null,
        get: async () => null,
        markRunning: async () => undefined,
        markWaiting: async () => undefined,
        saveCheckpoint: async () => true,
        saveProgress: async () => undefined,
        saveUsage: async () => undefined,
        suspend: async () => null,
        finish: async (_owner, id, attempt, outcome) => {
          done += 1;
          if (done === JOBS) setImmediate(finished);
          return { ...blank, ...outcome, id, attempt: attempt ?? 1 } as ExecutionRecord;
        },
      },
      messages: { complete: async () => undefined },
      sessions: { release: async () => undefined },
      knowledge: { fail: async () => false },
    },
    eventLog: createEventLog(connection, LOG_LIMITS),
    concurrency: CONCURRENCY,
    log: createLogger({ name: 'bench', level: 'error' }),
    health: () => ({ models: [], providers: [], default_model: null }),
  });
  await all;
  await waitUntilEmpty(redis);
  const rate = JOBS / ((performance.now() - startedAt) / 1_000);
  await pool.close(1_000);
  connection.disconnect();
  return rate;
}

async function waitUntilEmpty(redis: RedisConfig): Promise<void> {
  const connection = connectRedis(redis, 'worker');
  while ((await connection.llen(`${queuePrefix('text')}:text:active`)) > 0)
    await new Promise((resolve) => setImmediate(resolve));
  connection.disconnect();
}

const blank = { session_id: null, webhook_url: null, message_id: null, owner, input: {}, request_id: null };
