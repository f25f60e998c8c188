import { setImmediate } from 'node:timers/promises';
import {
  asNotStarted,
  type ErrorBody,
  findKind,
  isTerminal,
  type JobKind,
  KINDS,
  newId,
  type Owner,
  type Pool,
} from '@chorus/contract';
import type { Database, ExecutionRecord } from '@chorus/database';
import {
  ANY_ATTEMPT,
  type EventHub,
  type EventLog,
  type EventReader,
  fromRedis,
  type RedisConnection,
} from '@chorus/events';
import {
  announceCancelling,
  announceEnd,
  announceQueued,
  type Begun,
  type Budgets,
  cancelledOutcome,
  createQueueShards,
  endFromOutside,
  failedOutcome,
  laneOfExecution,
  type NewExecution,
  newExecution,
  type QueueName,
  RAN_MS,
  type Reservation,
  settle,
  type Work,
} from '@chorus/executions';
import type { Logger } from '@chorus/runtime/log';
import { poll } from '@chorus/runtime/timing';
import { createFairLine } from './fair-line.ts';
import { createPressureGauge, type Pressure, type PressureLimits } from './pressure.ts';
import { createProviderWaits, type WaitLimits } from './provider-waits.ts';
import { countJobs } from './queue-counts.ts';
import { createQueuedLanes } from './queued-lanes.ts';
import { createQueues, type JobQueue } from './queues.ts';
import { createUserLimit } from './user-limit.ts';

export type DispatchRequest<K extends JobKind = JobKind> = Work<K> & {
  owner: Owner;
  /** The id of the execution. Default: a new one. */
  id?: string | undefined;
  /** Runs concurrently with `begin`. If it rejects, the work does not begin, and the reason is thrown. */
  admitted?: Promise<void>;
  metadata?: Record<string, string>;
  requestId: string | null;
  apiKeyId?: string | null;
  retryOf?: string | null;
  /** Validated by the caller. */
  webhookUrl?: string | null;
  /** Opens a reader of the events. */
  follow: boolean;
  /** How long the caller waits for it, which bounds the wait for a provider. Default: see the limits. */
  waitMs?: number | undefined;
};

export interface CancelOptions {
  /** Why an execution that has waited too long ends. One that a worker holds is then left alone. */
  expired?: ErrorBody;
}

export interface Dispatched {
  record: ExecutionRecord;
  /** Subscribed before the job was queued. The caller closes it. Null unless `follow` is set. */
  reader: EventReader | null;
}

type Sender = Pick<DispatchRequest, 'follow' | 'source' | 'waitMs'>;

export interface DispatcherParts {
  database: Database;
  redis: RedisConnection;
  hub: EventHub;
  eventLog: EventLog;
  limits: PressureLimits & WaitLimits;
  /** Chains of fallback models, each for its first. Absent: there are none. */
  fallbacks?: () => readonly (readonly string[])[];
  /** Shards of each pool's queue. Default: 1. */
  shards?: number;
  /** Limit of queued and running executions per user. Absent: no limit, for example for turns started by other work. */
  perUser?: () => number;
  /** Absent: executions have no budgets. */
  budgets?: Pick<Budgets, 'reserve' | 'release' | 'charge'>;
  log: Logger;
}

/** Limits the wait for BullMQ's first connection, which has no timeout. */
const QUEUE_TIMEOUT_MS = 5_000;

/** How long a worker may take to remove a job that waits for decisions. */
const LEAVING_MS = 2_000;
const LEAVING_POLL_MS = 10;

/** Creates the producer, which dispatches and cancels work. */
export function createDispatcher(parts: DispatcherParts) {
  const { database, redis, hub, eventLog, budgets, log } = parts;
  const queues = createQueues(redis);
  const shards = createQueueShards(redis, parts.shards ?? 1);
  const line = createFairLine(redis, queues, shards);
  const waits = createProviderWaits({ ...parts, places: line.places });
  const gauge = createPressureGauge(redis, parts.limits, shards);
  const userLimit = createUserLimit({ redis, database }, parts.perUser);

  const recordOf = (id: string, request: DispatchRequest, begun: Begun, charged: Reservation | undefined) =>
    newExecution({
      id,
      kind: request.kind,
      owner: request.owner,
      model: request.model,
      input: begun.input,
      metadata: request.metadata ?? {},
      retry_of: request.retryOf ?? null,
      session_id: begun.session_id ?? null,
      message_id: begun.message_id ?? null,
      webhook_url: request.webhookUrl ?? null,
      api_key_id: request.apiKeyId ?? null,
      request_id: request.requestId,
      ...charged,
    });

  const enqueue = async (record: ExecutionRecord, { follow: isAwaited, source, waitMs }: Sender): Promise<void> => {
    const limit = waits.limitOf(record, isAwaited, waitMs);
    const joining = line.join([record], { isAwaited, source, hub: isAwaited ? hub.channel : '', limit });
    try {
      waits.joined(await fromRedis(joining, QUEUE_TIMEOUT_MS), record, limit, isAwaited);
    } catch (error) {
      joining.then(() => line.leave(record)).catch(() => undefined); // queued after the timeout
      throw error;
    }
  };

  const queuesOf = async ({ kind, owner }: Pick<ExecutionRecord, 'kind' | 'owner'>): Promise<JobQueue[]> => {
    const names = await shards.mayHold(KINDS[kind as JobKind].pool, owner.user_id);
    return names.map((name) => queues.of(name));
  };

  /** Returns the queue that holds an execution's job, and BullMQ's state of the job. */
  const findJob = async (record: ExecutionRecord): Promise<{ queue: JobQueue; state: string } | null> => {
    const home = queues.of(line.home(record));
    const state = await home.getJobState(record.id);
    if (state !== 'unknown') return { queue: home, state };
    // Its model or the number of shards may have changed.
    const reading = (await queuesOf(record)).map(async (queue) => ({
      queue,
      state: await queue.getJobState(record.id),
    }));
    return (await Promise.all(reading)).find(({ state }) => state !== 'unknown') ?? null;
  };

  /** Returns whether a job waits for its next attempt, so that no worker can confirm its cancellation. */
  const hasYielded = async (record: ExecutionRecord): Promise<boolean> => {
    const job = await fromRedis(findJob(record));
    if (job?.state !== 'delayed' && job?.state !== 'prioritized') return false;
    if (record.approvals !== undefined) return true; // continued after decisions
    return (await fromRedis(redis.hexists(job.queue.toKey(record.id), RAN_MS))) === 1;
  };

  /** Waits until the worker has removed a job, since its id cannot be queued again before. */
  const hasLeft = async (record: ExecutionRecord): Promise<boolean> => {
    const isGone = async () => (await fromRedis(findJob(record))) === null;
    return (await poll(isGone, { everyMs: LEAVING_POLL_MS, withinMs: LEAVING_MS })) === true;
  };

  /** Ends an execution that waits for decisions, or has just been continued. */
  const cancelWaiting = async (
    record: ExecutionRecord,
    error: ErrorBody | undefined,
  ): Promise<ExecutionRecord | null> => {
    const { owner, id, model, provider, usage, output } = record;
    await eventLog.requestCancel(id);
    const outcome = cancelledOutcome({ model, provider, usage, output }, error);
    const ended = await endFromOutside(database, eventLog, { owner, id, outcome });
    if (ended) budgets?.charge(ended);
    return ended ?? database.executions.get(owner, id);
  };

  /** Stores the record and queues the job in parallel. The worker waits for the record at the end. */
  const start = async (record: ExecutionRecord, begun: Begun, sender: Sender) => {
    const { id, owner, request_id } = record;
    // Sent before the job on the same connection, so later events of the job follow it.
    announceQueued(eventLog, record);
    // The worker takes longer than the store, so the job goes first: the Redis client sends it in the next turn of the
    // event loop, and the record is encoded in the one after that.
    const written = setImmediate().then(() => setImmediate());
    const [queued, stored] = await Promise.allSettled([
      enqueue(record, sender),
      // The first words of a stream need not wait for the disk. A response without them must.
      written.then(() => database.executions.insert(record, sender.follow ? 'visible' : 'synced')),
    ]);
    if (stored.status === 'fulfilled' && queued.status === 'fulfilled') return;
    if (stored.status === 'rejected') {
      // End the log first: a worker with the job stops, and a record stored late never runs.
      await eventLog.append(id, ANY_ATTEMPT, -1, [{ type: 'execution.failed' }]).catch(() => undefined);
      await line.leave(record).catch(() => undefined);
      await begun.undo?.().catch(() => undefined); // the sweep releases the rest
      announceEnd(eventLog, { ...record, ...failedOutcome(stored.reason, request_id), webhook_url: null });
      throw stored.reason;
    }
    // The job may be in the queue. Its execution ends here, so it never runs.
    if (queued.status === 'rejected') await endStored(owner, id, queued.reason, request_id);
  };

  /** Undoes `begun`. Returns the error to throw, marked as without effect if nothing remains. */
  const undo = async (begun: Begun, reason: unknown): Promise<unknown> => {
    try {
      await begun.undo?.();
    } catch {
      return reason; // the sweep releases the rest
    }
    return asNotStarted(reason);
  };

  const endStored = async (owner: Owner, id: string, reason: unknown, requestId: string | null): Promise<never> => {
    const outcome = failedOutcome(reason, requestId);
    const ended = await settle(database, { owner, id, attempt: null, outcome }).catch(() => null);
    if (ended) {
      announceEnd(eventLog, ended);
      budgets?.charge(ended);
    }
    throw reason;
  };

  /** Reserves money for all of these executions, or for none. */
  const reserveAll = async (planned: readonly NewExecution[]): Promise<(Reservation | undefined)[]> => {
    if (!budgets) return [];
    const asked = planned.map(({ id, kind, owner, input, api_key_id = null }) =>
      budgets.reserve({ id, kind, owner, input, apiKeyId: api_key_id }),
    );
    const reserved = await Promise.allSettled(asked);
    const refused = reserved.find(({ status }) => status === 'rejected');
    if (refused?.status !== 'rejected')
      return reserved.map((one) => (one as PromiseFulfilledResult<Reservation | undefined>).value);
    for (const [at, one] of reserved.entries())
      if (one.status === 'fulfilled') budgets.release((planned[at] as NewExecution).id, one.value?.budgets ?? []);
    throw refused.reason;
  };

  return {
    /**
     * Subscribes to the events, begins the work, then stores the record and queues the job.
     *
     * @throws {ChorusError} `overloaded`, `limit_reached` and `budget_exceeded` (nothing was stored),
     * `store_unavailable`, and any error of `begin` and `check`
     */
    async dispatch<K extends JobKind>(request: DispatchRequest<K>): Promise<Dispatched> {
      const { owner, id = newId('job') } = request;
      request.admitted?.catch(() => undefined); // awaited below
      const lane = laneOfExecution(request);
      const arrived = await gauge.admit(KINDS[request.kind].pool, owner, lane).catch(async (error) => {
        await request.check?.();
        throw asNotStarted(error);
      });
      let reader: EventReader | null = null;
      try {
        const { kind, apiKeyId = null } = request;
        const beginning = Promise.resolve('begin' in request ? request.begin(id) : request);
        const input = beginning.then((begun) => begun.input);
        input.catch(() => undefined); // reported by `beginning`
        const [subscribed, begun, allowed, reserved, admitted] = await Promise.allSettled([
          request.follow ? hub.open(id, 0, { fresh: true }) : null,
          beginning,
          userLimit.begin(owner.user_id, id),
          budgets?.reserve({ id, kind, owner, apiKeyId, input }),
          request.admitted,
        ]);
        if (subscribed.status === 'fulfilled') reader = subscribed.value;
        const refused = [begun, admitted, allowed, reserved, subscribed].find(({ status }) => status === 'rejected');
        if (refused?.status === 'rejected' || begun.status === 'rejected') {
          userLimit.end(owner.user_id, id).catch(() => undefined);
          if (reserved.status === 'fulfilled') budgets?.release(id, reserved.value?.budgets ?? []);
          const reason = (refused as PromiseRejectedResult).reason;
          throw begun.status === 'fulfilled' ? await undo(begun.value, reason) : reason;
        }
        const charged = reserved.status === 'fulfilled' ? reserved.value : undefined;
        const record = recordOf(id, request, begun.value, charged);
        await start(record, begun.value, request);
        return { record, reader };
      } catch (error) {
        reader?.close();
        throw error;
      } finally {
        arrived();
      }
    },

    /**
     * Begins executions of one owner's batches in a few round trips. Skips those that exist; the sweep queues
     * those that were stored but not queued. Those that are held for a batch endpoint are not queued. The caller checks
     * the load of the pools.
     *
     * @throws {ChorusError} `budget_exceeded`: none was stored; `store_unavailable`: some may have been
     */
    async dispatchMany(planned: readonly (NewExecution & { batch_id: string })[]): Promise<void> {
      if (planned.length === 0) return;
      const charged = await reserveAll(planned);
      const records = planned.map((one, at) => newExecution({ ...one, ...charged[at] }));
      const stored = await database.executions.insertMany(records);
      const begun = records.filter(({ id }) => stored.has(id)); // another process began the others
      const queued = begun.filter(({ economy }) => economy === undefined);
      const lines = Map.groupBy(
        queued,
        (one) => `${KINDS[one.kind as JobKind].pool} ${laneOfExecution(one)} ${one.batch_id}`,
      );
      for (const record of begun) announceQueued(eventLog, record);
      for (const some of lines.values()) await fromRedis(line.join(some, { hub: '' }), QUEUE_TIMEOUT_MS);
    },

    /**
     * Cancels an execution. A queued or waiting one ends here; a running one is `cancelling` until its worker confirms,
     * or continues if it is only `expired`. Returns an ended one unchanged, and null for an unknown one.
     *
     * @throws {ChorusError} `store_unavailable`; a further call continues
     */
    async cancel(owner: Owner, id: string, { expired }: CancelOptions = {}): Promise<ExecutionRecord | null> {
      const { executions } = database;
      const record = await (expired ? executions.get(owner, id) : executions.markCancelling(owner, id));
      if (!record || isTerminal(record.status)) return record;
      if (record.status === 'requires_action' || record.economy) return cancelWaiting(record, expired);
      if (expired) {
        if (record.status === 'cancelling') return record;
      } else {
        announceCancelling(eventLog, record);
        const reach = await eventLog.requestCancel(id);
        if (reach !== 'not started' && !(await hasYielded(record))) return record;
      }
      // A worker that holds the job sees the request at its first append.
      if (!(await fromRedis(line.leave(record), QUEUE_TIMEOUT_MS))) return record;
      const { model, provider, usage } = record;
      const outcome = cancelledOutcome({ model, provider, usage, output: await eventLog.shown(id) }, expired);
      const ended = await endFromOutside(database, eventLog, { owner, id, outcome });
      if (ended) budgets?.charge(ended);
      return ended ?? (await executions.get(owner, id));
    },

    /** Queues executions that were held for a batch endpoint, and no longer are. The sweep does so after a failure. */
    async enqueueReleased(record: ExecutionRecord): Promise<void> {
      const joining = line.join([record], { earlierAttempts: record.attempt - 1, hub: '' });
      await fromRedis(joining, QUEUE_TIMEOUT_MS);
    },

    /** Queues a stored execution whose job was lost. Does nothing if the job exists. */
    async redispatch(record: ExecutionRecord, earlierAttempts: number): Promise<void> {
      await line.join([record], { earlierAttempts, limit: waits.limitOf(record) });
      log.warn({ execution_id: record.id, attempt: earlierAttempts + 1 }, 'execution queued again');
    },

    /**
     * Continues an execution whose calls are all decided. Returns null if calls wait, or another process did. The
     * sweep queues it if this process dies.
     */
    async resume(owner: Owner, id: string): Promise<ExecutionRecord | null> {
      const record = await database.executions.resume(owner, id);
      if (record === null) return null;
      announceQueued(eventLog, record);
      try {
        if (!(await hasLeft(record))) log.warn({ execution_id: id }, 'the job of a decided execution is still there');
        const joining = line.join([record], { earlierAttempts: record.attempt, limit: waits.limitOf(record) });
        await fromRedis(joining, QUEUE_TIMEOUT_MS);
      } catch (err) {
        log.warn({ err, execution_id: id }, 'decided execution left to the sweep');
      }
      return record;
    },

    async forget(execution: Pick<ExecutionRecord, 'id' | 'kind' | 'owner'>): Promise<void> {
      if (!findKind(execution.kind)) return;
      // Its place was freed when it ended.
      const removing = queuesOf(execution).then((all) => Promise.all(all.map((queue) => queue.remove(execution.id))));
      await fromRedis(removing, QUEUE_TIMEOUT_MS);
    },

    async forgetUser(userId: string): Promise<void> {
      await fromRedis(line.forget(userId), QUEUE_TIMEOUT_MS);
      await userLimit.forget(userId);
    },

    /** Returns BullMQ's state of an execution's job, or `unknown`. */
    async jobState(record: ExecutionRecord): Promise<string> {
      return (await findJob(record))?.state ?? 'unknown';
    },

    /** Measures the waiting jobs of a pool: all, those for its places (null), or those of a lane. */
    pressure(pool: Pool, lane?: string | null): Promise<Pressure> {
      return gauge.read(pool, lane);
    },

    counts: (pool: Pool) => countJobs(redis, shards, pool),

    /** The lanes of providers, with the jobs that wait for them. */
    lanes: createQueuedLanes(redis, shards),

    queueOf: (name: QueueName): JobQueue => queues.of(name),

    forgetUnusedShards: () => shards.forgetUnused(),

    async close(): Promise<void> {
      waits.close();
      await queues.close();
    },
  };
}

export type Dispatcher = ReturnType<typeof createDispatcher>;
