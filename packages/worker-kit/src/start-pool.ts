import {
  ChorusError,
  isJobKind,
  type JobData,
  type JobKind,
  jobData,
  KINDS,
  type KindDefinition,
  type KindsOf,
  type MissingComponent,
  type Pool,
  type WorkerHealth,
} from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import {
  CANCEL_CHANNEL,
  connectRedis,
  type EventLog,
  fromRedis,
  listenOn,
  logOutages,
  type RedisConfig,
} from '@chorus/events';
import {
  BEHIND_ALL,
  calledLane,
  chargeBudgets,
  createBudgetLedger,
  createQueuePlaces,
  createQueueShards,
  endExpired,
  endFromOutside,
  failedOutcome,
  JOBS_FREED_CHANNEL,
  placeKeys,
  type QueueName,
  RAN_MS,
  sharerOf,
  sideOf,
  spendingOf,
} from '@chorus/executions';
import type { Lanes, LaneWait } from '@chorus/lanes';
import { missingComponents, requireComponent, unavailableModels } from '@chorus/runtime/components';
import type { Logger } from '@chorus/runtime/log';
import { runInSpan } from '@chorus/runtime/tracing';
import { type Job, UnrecoverableError, WaitingError } from 'bullmq';
import { Attempt } from './attempt.ts';
import type { AttemptEnd, AttemptJob, WorkerStore } from './attempt-job.ts';
import { startAttemptSpan } from './attempt-span.ts';
import { AttemptSpending } from './attempt-spending.ts';
import { type Handler, type HandlersFor, modelsOf } from './handler.ts';
import { publishHealth } from './health.ts';
import { createLaneNews } from './lane-news.ts';
import type { ProcessLease } from './lease/process-lease.ts';
import { createWorkerMetrics } from './metrics.ts';
import { planWait, type WaitPlan } from './provider-wait.ts';
import { createShardWorkers } from './shards/shard-workers.ts';

/** Time after the grace period to stop handlers, store what was shown, and hand jobs back. */
const HAND_BACK_MS = 2_000;

/** Longer waits end when workers register. */
const MAX_TENDED_MS = 60_000;

export interface PoolOptions<P extends Pool> {
  pool: P;
  /** By kind. Jobs of other kinds fail. */
  handlers: Partial<HandlersFor<P>>;
  redis: RedisConfig;
  store: WorkerStore;
  eventLog: EventLog;
  /** When it expires, this worker's jobs go to others within a second. */
  lease?: Pick<ProcessLease, 'id'>;
  /** Jobs that work on this machine. */
  concurrency: number;
  /** Jobs that only call a provider, whose lane bounds them. Default: as many as others. */
  calls?: number;
  /** The state of the providers' lanes. Absent: each lane lets a few jobs run. */
  lanes?: Pick<Lanes, 'onState' | 'read'>;
  /** Shards of the pool's queue. Default: 1. */
  shards?: number;
  log: Logger;
  health: () => Pick<WorkerHealth, 'models' | 'providers' | 'default_model' | 'voices' | 'ocr'>;
  /** Called with each execution that ended here, after its terminal event. Must not throw. */
  onEnded?: (execution: ExecutionRecord) => void;
  /** Receives a function that publishes the health immediately, for changes that cannot wait. */
  onHealthChange?: (publish: () => void) => void;
  /** Replaces the time limits of the kinds. */
  timeoutMs?: number | null;
}

export interface RunningPool {
  /**
   * Stops taking jobs, gives running ones `graceMs` to finish, and hands the rest back. Ends at most 2 s later. Other
   * workers find jobs that could not be handed back when their locks expire.
   */
  close(graceMs: number): Promise<void>;
  /**
   * Runs an execution that is in no queue, as the next attempt.
   *
   * @returns whether it has ended
   */
  runHeld<K extends KindsOf<Pool>>(execution: ExecutionRecord, handler: Handler<K>): Promise<boolean>;
}

const modelOf = (input: object): string | null =>
  'model' in input && typeof input.model === 'string' ? input.model : null;

type Handlers = Partial<Record<JobKind, Handler<JobKind>>>;

/** Fails jobs of a kind immediately if this machine lacks a component that the kind needs. */
function withFiles(handlers: Handlers): Handlers {
  return Object.fromEntries(
    Object.entries(handlers).map(([kind, handler]) => {
      const run: typeof handler.run = async (context) => {
        const { component }: KindDefinition = KINDS[kind as JobKind];
        if (component !== undefined) requireComponent(component);
        return handler.run(context);
      };
      return [kind, { ...handler, run }];
    }),
  );
}

export async function startPool<P extends Pool>(options: PoolOptions<P>): Promise<RunningPool> {
  const { pool, store, eventLog, log } = options;
  const handlers = withFiles(options.handlers as Handlers);
  const attempts = new Set<Attempt<JobKind>>();
  const runs = new Set<Promise<void>>();
  const resuming = new Set<NodeJS.Timeout>();
  let handingBack = false;
  const stop = (id: string, kind: 'cancelled' | 'refused') => {
    for (const attempt of attempts) if (attempt.executionId === id) attempt.stop(kind);
  };
  const sides = { places: options.concurrency, lanes: options.calls ?? options.concurrency };
  const concurrency = sides.places + sides.lanes;
  const metrics = createWorkerMetrics(pool, () => ({ active: attempts.size, concurrency }));
  const { observer } = metrics;

  const connection = connectRedis(options.redis, 'worker');
  const places = createQueuePlaces(connection);
  const queueShards = createQueueShards(connection, options.shards ?? 1);
  const laneNews =
    options.lanes &&
    createLaneNews({
      queues: () => queueShards.all(pool),
      places,
      lanes: options.lanes,
      log,
    });
  const ledger = createBudgetLedger(connection);
  const charge = (execution: ExecutionRecord) => chargeBudgets(ledger, execution, log);
  const subscriber = connectRedis(options.redis, 'worker');
  for (const redis of [connection, subscriber]) logOutages(redis, options.redis, log);
  const cancellations = listenOn(subscriber, CANCEL_CHANNEL, {
    onMessage: (id) => stop(id, 'cancelled'),
    onSubscribed() {
      for (const attempt of attempts) attempt.look().catch((err) => log.warn({ err }, 'checking an attempt failed'));
    },
    log,
  });
  const freed = listenOn(subscriber, JOBS_FREED_CHANNEL, { onMessage: (queue) => shards.checkStalled(queue), log });

  const runJob = async (queue: QueueName, job: Job<JobData, void, string>, token?: string): Promise<void> => {
    const startedAt = performance.now();
    const { name: kind, id } = job;
    const key = `${placeKeys(queue).base}${id}`;
    const handler = isJobKind(kind) ? handlers[kind] : undefined;
    const { data } = jobData.safeParse(job.data);
    const parsed = data && isJobKind(kind) ? KINDS[kind].input.safeParse(data.input) : undefined;
    if (!data || !isJobKind(kind) || !handler || !parsed?.success || id === undefined) {
      throw new UnrecoverableError(`job ${id} of kind ${kind} is invalid`);
    }
    const definition: KindDefinition = KINDS[kind];
    const sharer = sharerOf(data.owner, data.batch_id ?? null, data.lane ?? null);
    const calls = data.lane ?? calledLane({ kind, model: modelOf(parsed.data), input: parsed.data });
    if (calls) laneNews?.use(calls, sideOf(queue));
    let plan: (WaitPlan & { lane: string }) | null = null;
    const number = data.earlier_attempts + job.attemptsStarted;
    const begun = {
      kind,
      executionId: id,
      owner: data.owner,
      input: parsed.data,
      sessionId: data.session_id ?? null,
      batchId: data.batch_id ?? null,
      requestId: data.request_id,
      ...(data.spending && { spending: new AttemptSpending(ledger, id, number, data.spending) }),
      timeoutMs: (options.timeoutMs ?? KINDS[kind].timeoutMs) * (definition.timeFactor?.(parsed.data) ?? 1),
      handler,
      hub: data.hub,
      // Only set by attempts that gave their place back.
      ranMs: job.attemptsStarted > 1 ? Number(await connection.hget(key, RAN_MS)) : 0,
      onUnrepeatable: () => {
        places.markKept(queue, id).catch(() => undefined); // then a pause would end it sooner
      },
      forgiveDeaths: () => places.forgive(queue, id),
      mayWait: async (reason: LaneWait, advanced: boolean) => {
        // The lane must be known as closed before the job goes back, or it would come again at once.
        const state = await laneNews?.renew(reason.lane, sideOf(queue));
        const holder = sideOf(queue) === 'places' ? 'put off' : data.lane === reason.lane ? 'lane' : 'none';
        const gate = laneNews === undefined ? 'none' : holder;
        const planned = await planWait(connection, { key, wait: reason, state, gate, advanced });
        plan = planned && { ...planned, lane: reason.lane };
        return plan !== null;
      },
      isPlaceWanted: async (ranMs: number) =>
        shards.isPlaceWanted(queue, ranMs) || (await places.wanted(queue, sharer, ranMs)),
    };
    // An earlier attempt in this process may not know that its lock was lost.
    if (job.attemptsStarted > 1) stop(id, 'refused');
    if (number === 1) observer.began({ kind, waitedMs: Math.max(0, Date.now() - job.timestamp) });
    const handedBack = job.attemptsStarted > 1 && job.stalledCounter === 0;
    const run = async (attempt: AttemptJob<JobKind>) => {
      const span = startAttemptSpan(attempt, { pool, model: data.input.model, traceparent: data.traceparent });
      return runInSpan(span, () => runAttempt(attempt)).finally(() => span.end());
    };
    let end = await run({ ...begun, attempt: number, handedBack });
    // After a rollback, the queue reuses attempt numbers. Take over as the next attempt.
    if (end === 'contested') end = await run({ ...begun, attempt: number + 1, handedBack: false });
    if (end === 'handback') {
      await places.handBack(queue, id, token ?? '', { hasStarted: true });
      throw new WaitingError();
    }
    const ranMs = Math.ceil(begun.ranMs + performance.now() - startedAt);
    if (end === 'wait' && plan !== null) {
      const wait: WaitPlan & { lane: string } = plan;
      await places.wait(queue, sharer, id, token ?? '', { ranMs, ...wait });
      if (wait.pauseMs > 0) tendIn(queue, wait.pauseMs);
      if (wait.endsInMs !== null && wait.endsInMs < MAX_TENDED_MS) tendIn(queue, wait.endsInMs);
      throw new WaitingError();
    }
    if (end === 'yield') {
      await connection.hset(key, 'priority', BEHIND_ALL, RAN_MS, ranMs);
      await job.moveToWait(token);
      await places.giveBack(queue, sharer, id);
      throw new WaitingError();
    }
  };

  /** Lets paused jobs go on, and ends the waits that have reached their limits. */
  const tend = async (queue: QueueName): Promise<void> => {
    await places.resume(queue);
    await endExpired({ database: store, redis: connection, eventLog, places, charge }, queue);
  };

  /** Looks after a job that waits. If this process dies, another one does so at its next registration. */
  const tendIn = (queue: QueueName, ms: number): void => {
    const timer = setTimeout(() => {
      resuming.delete(timer);
      tend(queue).catch((err) => log.warn({ err, queue }, 'waiting jobs go on later'));
    }, ms + 1);
    resuming.add(timer);
  };

  const runAttempt = async (begun: AttemptJob<JobKind>): Promise<AttemptEnd> => {
    const attempt = new Attempt({ store, eventLog, observer, log, charge, onEnded: options.onEnded }, begun);
    // The job arrived during shutdown. It may have just been handed back.
    if (handingBack) attempt.stop('handback');
    attempts.add(attempt);
    try {
      return await attempt.run();
    } finally {
      attempts.delete(attempt);
    }
  };

  const track = (queue: QueueName, job: Job<JobData, void, string>, token?: string): Promise<void> => {
    const run = runJob(queue, job, token).finally(() => runs.delete(run));
    runs.add(run);
    return run;
  };

  const endLost = (queue: QueueName, job: Job<JobData> & { id: string }) => {
    const error = job.deferredFailure
      ? new ChorusError('worker_lost', 'Three processes ended while they ran this job, so it will not be retried.')
      : new ChorusError('internal_error', 'The job could not be run.');
    const { data } = jobData.safeParse(job.data);
    if (!data) return; // The sweep ends it: the owner is unknown here.
    const { owner, request_id, batch_id = null } = data;
    places
      .leave(queue, sharerOf(owner, batch_id, data.lane ?? null), job.id)
      .catch((err) => log.warn({ err }, 'freeing a place failed'));
    endFromOutside(store, eventLog, { owner, id: job.id, outcome: failedOutcome(error, request_id) })
      .then((ended) => ended && charge(ended))
      .catch((err) => log.error({ err, execution_id: job.id }, 'execution left to the sweep'));
  };

  const shards = createShardWorkers({
    pool,
    shards: queueShards,
    concurrency: sides,
    connection,
    places,
    lease: options.lease?.id,
    log,
    run: track,
    tend,
    onLockLost: (id) => stop(id, 'refused'),
    // A job that ended its processes, or is unreadable, fails without its handler. End its execution here.
    onFailed: (queue, job, err) => {
      log.error({ err, execution_id: job?.id }, 'job failed');
      if (job?.id) endLost(queue, job as Job<JobData> & { id: string });
    },
  });

  const ownModels = modelsOf(handlers);
  const unavailable = unavailableModels();
  // The system's OCR program reads images without the packages.
  const isNeeded = ({ name }: MissingComponent) => name !== 'ocr' || options.health().ocr?.name !== 'tesseract';
  const missing = missingComponents(pool).filter(isNeeded);
  for (const { name, message, optional } of missing) log[optional ? 'info' : 'warn']({ component: name }, message);
  const listModels = () => {
    const own = options.health();
    const models = [...own.models, ...ownModels].map((model) =>
      unavailable.has(model.id) ? { ...model, unavailable: unavailable.get(model.id) } : model,
    );
    return { ...own, models, ...(missing.length > 0 && { missing }) };
  };
  const health = publishHealth({
    redis: connection,
    pool,
    log,
    metrics: metrics.read,
    read: () => ({ active: attempts.size, concurrency, ...listModels() }),
  });
  await Promise.all([cancellations.subscribed, freed.subscribed]);
  await shards.start();
  await health.start();
  options.onHealthChange?.(() => void health.publish());

  return {
    async runHeld(execution, handler) {
      const { id, kind, owner, input, session_id, batch_id, request_id, attempt } = execution;
      const { spending } = spendingOf(execution);
      const parsed = isJobKind(kind) ? KINDS[kind].input.safeParse(input) : undefined;
      if (!isJobKind(kind) || !parsed?.success) throw new Error(`execution ${id} of kind ${kind} is invalid`);
      const end = await runAttempt({
        kind,
        executionId: id,
        attempt: attempt + 1,
        handedBack: false,
        owner,
        input: parsed.data,
        sessionId: session_id,
        batchId: batch_id,
        requestId: request_id,
        ...(spending && { spending: new AttemptSpending(ledger, id, attempt + 1, spending) }),
        timeoutMs: options.timeoutMs ?? KINDS[kind].timeoutMs,
        handler: handler as unknown as Handler<JobKind>,
      });
      return end === 'settled';
    },
    async close(graceMs) {
      const closing = shards.close();
      const timer = setTimeout(() => {
        handingBack = true;
        for (const attempt of attempts) attempt.stop('handback');
      }, graceMs);
      // BullMQ does not wait for jobs after a connection error, so wait for them here.
      const gone = closing.then(() => Promise.allSettled(runs)).then(() => health.withdraw());
      await fromRedis(gone, graceMs + HAND_BACK_MS).catch((err) =>
        log.warn({ err }, 'closed before all was handed back'),
      );
      clearTimeout(timer);
      for (const paused of resuming) clearTimeout(paused);
      laneNews?.close();
      metrics.close();
      subscriber.disconnect();
      connection.disconnect();
    },
  };
}
