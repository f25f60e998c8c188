import { randomUUID } from 'node:crypto';
import {
  ChorusError,
  isJobKind,
  JOBS,
  type JobData,
  type JobKind,
  jobData,
  type Pool,
  type WorkerHealth,
} from '@chorus/contract';
import {
  CANCEL_CHANNEL,
  connectRedis,
  type EventLog,
  fromRedis,
  isRedisAway,
  noteOutages,
  type RedisConfig,
} from '@chorus/events';
import {
  BEHIND_ALL,
  createQueuePlaces,
  endFromOutside,
  failedOutcome,
  queuePrefix,
  RAN_MS,
  sharerOf,
} from '@chorus/executions';
import type { Logger } from '@chorus/log';
import { type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import { Attempt, type AttemptEnd, type AttemptJob } from './attempt.ts';
import type { Handler, HandlersFor } from './handler.ts';
import { publishHealth } from './health.ts';
import { createWorkerMetrics } from './metrics.ts';
import type { WorkerStore } from './ports.ts';

/** A worker that is silent for so long has lost its jobs; another finds them at the next check. */
const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 2_000;

/** Pause before the queue is asked again when Redis broke off, in milliseconds. */
const ASK_AGAIN_MS = 500;

/** How often a process says how many places it has. */
const REGISTER_EVERY_MS = 3_000;

/** What closing takes after the grace time, at most: handlers let go, what was shown is stored, jobs are handed back. */
const HAND_BACK_MS = 2_000;

export interface PoolOptions<P extends Pool> {
  pool: P;
  handlers: HandlersFor<P>;
  redis: RedisConfig;
  store: WorkerStore;
  eventLog: EventLog;
  /** Jobs that this process runs at once. */
  concurrency: number;
  log: Logger;
  /** The models that this process can run. */
  health: () => Pick<WorkerHealth, 'models' | 'providers' | 'default_model' | 'voices'>;
  /** Longest time of an attempt, in place of the job's own policy. */
  timeoutMs?: number | null;
}

export interface RunningPool {
  /**
   * Takes no more jobs, lets running ones finish for `graceMs`, and hands back the rest. Ends 2 s after that, whatever is away; what could
   * not be handed back is found by others once its lock has run out.
   */
  close(graceMs: number): Promise<void>;
}

/** Runs the jobs of one pool in this process, until it is closed. */
export async function startPool<P extends Pool>(options: PoolOptions<P>): Promise<RunningPool> {
  const { pool, store, eventLog, log } = options;
  const handlers = options.handlers as Partial<Record<JobKind, Handler<JobKind>>>;
  const attempts = new Set<Attempt<JobKind>>();
  const runs = new Set<Promise<void>>();
  let handingBack = false;
  const stop = (id: string, kind: 'cancelled' | 'refused') => {
    for (const attempt of attempts) if (attempt.executionId === id) attempt.stop(kind);
  };
  const { registry, observer } = createWorkerMetrics();

  const connection = connectRedis(options.redis, 'worker');
  const places = createQueuePlaces(connection);
  const workerId = randomUUID();
  let registering: Promise<unknown> | null = null;
  // One at a time: while Redis is away they would pile up.
  const register = async (count: number): Promise<void> => {
    registering ??= places
      .register(pool, workerId, count)
      .catch((err) => log.warn({ err }, 'places not registered'))
      .finally(() => {
        registering = null;
      });
    await registering;
  };
  const subscriber = connectRedis(options.redis, 'worker');
  for (const redis of [connection, subscriber]) noteOutages(redis, options.redis, log);
  subscriber.on('message', (_channel: string, id: string) => stop(id, 'cancelled'));
  await subscriber.subscribe(CANCEL_CHANNEL);
  const lookAgain = () => {
    for (const attempt of attempts) attempt.look().catch((err) => log.warn({ err }, 'attempt not looked after'));
  };
  // What was published while the connection was away did not arrive; once this is answered, what is published does.
  subscriber.on('ready', () => subscriber.subscribe(CANCEL_CHANNEL).then(lookAgain, () => undefined));

  const keyOf = (id: string) => `${queuePrefix(pool)}:${pool}:${id}`;

  const runJob = async (job: Job<JobData, void, string>, token?: string): Promise<void> => {
    const startedAt = performance.now();
    const { name: kind, id } = job;
    const handler = isJobKind(kind) ? handlers[kind] : undefined;
    const { data } = jobData.safeParse(job.data);
    const parsed = data && isJobKind(kind) ? JOBS[kind].input.safeParse(data.input) : undefined;
    if (!data || !isJobKind(kind) || !handler || !parsed?.success || id === undefined) {
      throw new UnrecoverableError(`job ${id} of kind ${kind} can't be read`);
    }
    const sharer = sharerOf(data.owner, data.batch_id ?? null);
    const begun = {
      kind,
      executionId: id,
      owner: data.owner,
      input: parsed.data,
      sessionId: data.session_id ?? null,
      batchId: data.batch_id ?? null,
      requestId: data.request_id,
      timeoutMs: options.timeoutMs ?? JOBS[kind].policy.timeoutMs,
      handler,
      // Only an attempt that gave its place back has left a time.
      ranMs: job.attemptsStarted > 1 ? Number(await connection.hget(keyOf(id), RAN_MS)) : 0,
      isPlaceWanted: (ranMs: number) => places.wanted(pool, sharer, ranMs),
    };
    // An earlier attempt in this very process, whose lock was lost and whom nobody told.
    if (job.attemptsStarted > 1) stop(id, 'refused');
    const number = data.earlier_attempts + job.attemptsStarted;
    const handedBack = job.attemptsStarted > 1 && job.stalledCounter === 0;
    let end = await runAttempt({ ...begun, attempt: number, handedBack });
    // A queue that fell back counts attempts anew: this one is the next, and takes over.
    if (end === 'contested') end = await runAttempt({ ...begun, attempt: number + 1, handedBack: false });
    if (end === 'handback') {
      // It has had its turn: without a priority it is taken before all others, and wakes a worker that waits.
      await connection.hset(keyOf(id), 'priority', 0);
      await job.moveToWait(token);
      throw new WaitingError();
    }
    if (end === 'yield') {
      const ranMs = Math.ceil(begun.ranMs + performance.now() - startedAt);
      await connection.hset(keyOf(id), 'priority', BEHIND_ALL, RAN_MS, ranMs);
      await job.moveToWait(token);
      await places.giveBack(pool, sharer, id);
      throw new WaitingError();
    }
    // Sent right before BullMQ's own end, which then finds the job that may take this place. What is lost is mended by `register`.
    places.end(pool, sharer, id, token ?? '').catch((err) => log.warn({ err }, 'place not freed'));
  };

  const runAttempt = async (begun: AttemptJob<JobKind>): Promise<AttemptEnd> => {
    const attempt = new Attempt({ store, eventLog, observer, log }, begun);
    // A job that was on its way while this process began to go; it may be one that was just handed back.
    if (handingBack) attempt.stop('handback');
    attempts.add(attempt);
    try {
      return await attempt.run();
    } finally {
      attempts.delete(attempt);
    }
  };

  const track = (job: Job<JobData, void, string>, token?: string): Promise<void> => {
    const run = runJob(job, token).finally(() => runs.delete(run));
    runs.add(run);
    return run;
  };

  await register(options.concurrency);
  const worker = new Worker<JobData, void, string>(pool, track, {
    connection,
    prefix: queuePrefix(pool),
    concurrency: options.concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: 1,
    runRetryDelay: ASK_AGAIN_MS,
    skipVersionCheck: true,
  });
  worker.on('error', (err) => log[isRedisAway(err) ? 'debug' : 'warn']({ err }, 'queue'));
  worker.on('lockRenewalFailed', (ids) => {
    for (const id of ids) stop(id, 'refused');
  });
  // A job that killed two workers, or that can't be read, fails without its handler: its execution is ended here.
  worker.on('failed', (job, err) => {
    log.error({ err, execution_id: job?.id }, 'job failed');
    if (job?.id) endLost(job as Job<JobData> & { id: string });
  });
  const endLost = (job: Job<JobData> & { id: string }) => {
    const error = job.deferredFailure
      ? new ChorusError('worker_lost', 'Two workers died while they ran this; it was given up.')
      : new ChorusError('internal_error', 'The job could not be run.');
    const { data } = jobData.safeParse(job.data);
    if (!data) return; // nobody knows whose it is: the sweep does, from the record
    const { owner, request_id, batch_id = null } = data;
    places.leave(pool, sharerOf(owner, batch_id), job.id).catch((err) => log.warn({ err }, 'place not freed'));
    endFromOutside(store, eventLog, { owner, id: job.id, outcome: failedOutcome(error, request_id) }).catch((err) =>
      log.error({ err, execution_id: job.id }, 'execution left to the sweep'),
    );
  };

  const health = publishHealth({
    redis: connection,
    pool,
    log,
    metrics: () => registry.getMetricsAsJSON(),
    read: () => ({ active: attempts.size, concurrency: options.concurrency, ...options.health() }),
  });
  await worker.waitUntilReady();
  const renewing = setInterval(() => register(options.concurrency), REGISTER_EVERY_MS);
  await health.start();

  return {
    async close(graceMs) {
      clearInterval(renewing);
      const closing = Promise.all([worker.close(), (registering ?? Promise.resolve()).then(() => register(0))]);
      const timer = setTimeout(() => {
        handingBack = true;
        for (const attempt of attempts) attempt.stop('handback');
      }, graceMs);
      // An error on its way out makes BullMQ leave its jobs alone: they are waited for here.
      const gone = closing.then(() => Promise.allSettled(runs)).then(() => health.withdraw());
      await fromRedis(gone, graceMs + HAND_BACK_MS).catch((err) =>
        log.warn({ err }, 'closed before all was handed back'),
      );
      clearTimeout(timer);
      registry.clear();
      subscriber.disconnect();
      connection.disconnect();
    },
  };
}
