import { asUnbegun, isTerminal, JOBS, type JobKind, newId, type Owner, type Pool } from '@chorus/contract';
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
  cancelledOutcome,
  endFromOutside,
  failedOutcome,
  type NewExecution,
  newExecution,
  RAN_MS,
  settle,
  sharerOf,
} from '@chorus/executions';
import type { Logger } from '@chorus/log';
import { createFairLine } from './fair-line.ts';
import { createPressureGauge, type Pressure, type PressureLimits } from './pressure.ts';
import { createQueues, type JobQueue } from './queues.ts';
import { createUserLimit } from './user-limit.ts';

export interface DispatchRequest<K extends JobKind = JobKind> {
  kind: K;
  owner: Owner;
  model: string | null;
  /** The id that the execution gets; absent: a new one. */
  id?: string | undefined;
  /** The job's input; or what makes it once the execution has an id, storing what belongs to it. */
  prepare: (executionId: string) => Promise<Prepared> | Prepared;
  /**
   * Throws what `prepare` would throw without storing anything. Asked only when the pool is overloaded: an unknown or a locked session is told of
   * before that.
   */
  check?: () => Promise<void>;
  /** Settles beside `prepare`; where it rejects, nothing begins and its reason is thrown. */
  admitted?: Promise<void>;
  /** Takes back what `prepare` stored, when the job could not be stored. */
  abandon?: (executionId: string, prepared: Prepared) => Promise<void>;
  metadata?: Record<string, string>;
  requestId: string | null;
  /** The API key that asks, if it is one. */
  apiKeyId?: string | null;
  retryOf?: string | null;
  /** Where its end is to be told; it was checked. */
  webhookUrl?: string | null;
  /** Whether the caller follows the events; else no reader is opened. */
  follow: boolean;
}

export interface Prepared {
  input: Record<string, unknown>;
  session_id?: string | null;
  message_id?: string | null;
}

export interface Dispatched {
  record: ExecutionRecord;
  /** Subscribed before the job was queued; whoever has it closes it. Null unless followed. */
  reader: EventReader | null;
}

export interface DispatcherParts {
  database: Database;
  redis: RedisConnection;
  hub: EventHub;
  eventLog: EventLog;
  limits: PressureLimits;
  /** Executions that one user may have queued or running; absent: any number, as for the turns that other work begins. */
  perUser?: number;
  log: Logger;
}

/** BullMQ waits without a limit for a connection that it has not seen yet. */
const QUEUE_ANSWERS_WITHIN_MS = 5_000;

/** The producer's side: takes work in, and takes it back. */
export function createDispatcher(parts: DispatcherParts) {
  const { database, redis, hub, eventLog, log } = parts;
  const queues = createQueues(redis);
  const line = createFairLine(redis, queues);
  const gauge = createPressureGauge(redis, parts.limits);
  const userLimit = createUserLimit({ redis, database }, parts.perUser ?? null);

  const recordOf = (id: string, request: DispatchRequest, prepared: Prepared): ExecutionRecord =>
    newExecution({
      id,
      kind: request.kind,
      owner: request.owner,
      model: request.model,
      input: prepared.input,
      metadata: request.metadata ?? {},
      retry_of: request.retryOf ?? null,
      session_id: prepared.session_id ?? null,
      message_id: prepared.message_id ?? null,
      webhook_url: request.webhookUrl ?? null,
      api_key_id: request.apiKeyId ?? null,
      request_id: request.requestId,
    });

  const enqueue = async (record: ExecutionRecord): Promise<void> => {
    const joining = line.join([record]);
    try {
      await fromRedis(joining, QUEUE_ANSWERS_WITHIN_MS);
    } catch (error) {
      joining.then(() => dequeue(record)).catch(() => undefined); // it got there late
      throw error;
    }
  };

  /** Takes a job out of its queue, unless a worker holds it. */
  const dequeue = async (record: ExecutionRecord): Promise<boolean> => {
    const removed = await queues.of(JOBS[record.kind as JobKind].pool).remove(record.id);
    if (removed === 1) await line.leave(record);
    return removed === 1;
  };

  /** Whether a job gave its place back and waits for its next turn: no worker has it that could confirm a cancel. */
  const hasGivenBack = async (record: ExecutionRecord): Promise<boolean> => {
    const queue = queues.of(JOBS[record.kind as JobKind].pool);
    if ((await fromRedis(redis.hexists(queue.toKey(record.id), RAN_MS))) === 0) return false;
    const state = await fromRedis(queue.getJobState(record.id));
    return state === 'delayed' || state === 'prioritized';
  };

  /** Stores the record and queues the job, side by side: the worker needs the record only at its end, and waits for it there. */
  const start = async (request: DispatchRequest, record: ExecutionRecord, prepared: Prepared) => {
    const { id, owner } = record;
    // On the same connection before the job, so that what becomes of it is told after this.
    announceQueued(eventLog, record);
    // The job goes first: the worker has the longer way.
    const [queued, stored] = await Promise.allSettled([enqueue(record), database.executions.insert(record)]);
    if (stored.status === 'fulfilled' && queued.status === 'fulfilled') return;
    if (stored.status === 'rejected') {
      // The log ends first, so that a worker that has the job stops, and a record that was stored after all is never run.
      await eventLog.append(id, ANY_ATTEMPT, -1, [{ type: 'execution.failed' }]).catch(() => undefined);
      await dequeue(record).catch(() => undefined);
      await request.abandon?.(id, prepared).catch(() => undefined); // the sweep frees what is left
      announceEnd(eventLog, { ...record, ...failedOutcome(stored.reason, request.requestId), webhook_url: null });
      throw stored.reason;
    }
    // Whether the job lies in the queue is not known. Its execution has ended for whoever looks, so that it never runs twice.
    if (queued.status === 'rejected') await endStored(owner, id, queued.reason, request.requestId);
  };

  const endStored = async (owner: Owner, id: string, reason: unknown, requestId: string | null): Promise<never> => {
    const outcome = failedOutcome(reason, requestId);
    const ended = await settle(database, { owner, id, attempt: null, outcome }).catch(() => null);
    if (ended) announceEnd(eventLog, ended);
    throw reason;
  };

  return {
    /**
     * Checks the pool's pressure; opens the reader and stores what belongs to the execution; then stores its record and queues its job.
     * So an event is never missed, and who gets an answer finds both record and job.
     *
     * @throws {ChorusError} `overloaded`, `limit_reached` (nothing was stored), `store_unavailable`, and what `prepare` and `check` throw
     */
    async dispatch<K extends JobKind>(request: DispatchRequest<K>): Promise<Dispatched> {
      const pool = JOBS[request.kind].pool;
      request.admitted?.catch(() => undefined); // it is looked at below, unless something else is thrown first
      const arrived = await gauge.admit(pool, sharerOf(request.owner, null)).catch(async (error) => {
        await request.check?.();
        throw asUnbegun(error);
      });
      let reader: EventReader | null = null;
      try {
        const id = request.id ?? newId('job');
        const opening = request.follow ? hub.open(id, 0, { fresh: true }) : Promise.resolve(null);
        // Side by side, so that the limit costs no time of its own.
        const limiting = userLimit.begin(request.owner.user_id, id);
        const [opened, prepared, allowed, admitted] = await Promise.allSettled([
          opening,
          request.prepare(id),
          limiting,
          request.admitted,
        ]);
        if (opened.status === 'fulfilled') reader = opened.value;
        if (prepared.status === 'rejected') {
          userLimit.end(request.owner.user_id, id).catch(() => undefined);
          throw prepared.reason;
        }
        const [refused] = [admitted, allowed, opened].filter(
          ({ status }) => status === 'rejected',
        ) as PromiseRejectedResult[];
        if (refused) {
          userLimit.end(request.owner.user_id, id).catch(() => undefined);
          const isUndone = await (request.abandon?.(id, prepared.value) ?? Promise.resolve()).then(
            () => true,
            () => false,
          );
          throw isUndone ? asUnbegun(refused.reason) : refused.reason;
        }
        const record = recordOf(id, request, prepared.value);
        await start(request, record, prepared.value);
        return { record, reader };
      } catch (error) {
        reader?.close();
        throw error;
      } finally {
        arrived();
      }
    },

    /**
     * Begins executions of one owner's batches, in a few round trips for all of them. Whether the pools can take them is the caller's business. What exists
     * already is left as it is, and what was stored and could not be queued is left to the sweep.
     *
     * @throws {ChorusError} `store_unavailable`: some of them may have been stored
     */
    async dispatchMany(planned: readonly (NewExecution & { batch_id: string })[]): Promise<void> {
      if (planned.length === 0) return;
      const records = planned.map(newExecution);
      const stored = await database.executions.insertMany(records);
      const begun = records.filter(({ id }) => stored.has(id)); // the others were begun by another process
      const pools = Map.groupBy(begun, ({ kind }) => JOBS[kind as JobKind].pool);
      for (const record of begun) announceQueued(eventLog, record);
      for (const some of pools.values()) await fromRedis(line.join(some), QUEUE_ANSWERS_WITHIN_MS);
    },

    /**
     * Asks an execution to stop. One that no worker has yet ends here; a running one is `cancelling` until its worker confirms; what has
     * ended stays as it is. Null: unknown.
     *
     * @throws {ChorusError} `store_unavailable`; asking again then goes on where this ended
     */
    async cancel(owner: Owner, id: string): Promise<ExecutionRecord | null> {
      const record = await database.executions.markCancelling(owner, id);
      if (!record || isTerminal(record.status)) return record;
      announceCancelling(eventLog, record);
      const reach = await eventLog.askCancel(id);
      if (reach !== 'not started' && !(await hasGivenBack(record))) return record;
      // A job that a worker holds can't be removed: that worker sees the wish at its first append.
      if (!(await fromRedis(dequeue(record), QUEUE_ANSWERS_WITHIN_MS))) return record;
      const ended = await endFromOutside(database, eventLog, {
        owner,
        id,
        outcome: cancelledOutcome({ model: record.model, provider: record.provider, output: await eventLog.shown(id) }),
      });
      return ended ?? (await database.executions.get(owner, id));
    },

    /** Queues a stored execution again: its job never reached the queue, or was lost with it. A job that is there is left alone. */
    async redispatch(record: ExecutionRecord, earlierAttempts: number): Promise<void> {
      await line.join([record], earlierAttempts);
      log.warn({ execution_id: record.id, attempt: earlierAttempts + 1 }, 'execution queued again');
    },

    /** Deletes the job of an execution that has ended, and what the queue keeps of it. */
    async forget({ id, kind }: Pick<ExecutionRecord, 'id' | 'kind'>): Promise<void> {
      const pool = JOBS[kind as JobKind]?.pool;
      // Its place was freed by its end.
      if (pool) await fromRedis(queues.of(pool).remove(id), QUEUE_ANSWERS_WITHIN_MS);
    },

    /** Forgets what the queues know of a user's turns and places. */
    async forgetUser(userId: string): Promise<void> {
      await fromRedis(line.forget(userId), QUEUE_ANSWERS_WITHIN_MS);
      await userLimit.forget(userId);
    },

    /** Where an execution's job is: BullMQ's state, or `unknown`. */
    async jobState(record: ExecutionRecord): Promise<string> {
      return queues.of(JOBS[record.kind as JobKind].pool).getJobState(record.id);
    },

    /** Waiting jobs and the age of the oldest, for a pool. */
    pressure(pool: Pool): Promise<Pressure> {
      return gauge.read(pool);
    },

    /** The queue of a pool, for who looks at what is in it. */
    queueOf: (pool: Pool): JobQueue => queues.of(pool),

    async close(): Promise<void> {
      await queues.close();
    },
  };
}

export type Dispatcher = ReturnType<typeof createDispatcher>;
