import { type ErrorBody, type JobOutput, newId, type Owner, type Usage } from '@chorus/contract';
import { abandonTurn, startTurn } from '@chorus/conversations';
import { connectDatabase, type ExecutionRecord } from '@chorus/database';
import { connectRedis, createEventHub, createEventLog, type EventReader, type StoredEvent } from '@chorus/events';
import { queuePrefix } from '@chorus/executions';
import { createDispatcher, type Dispatcher, type DispatchRequest } from '@chorus/queue';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, startRedis, type TestDatabases } from '@chorus/testing';
import { Queue } from 'bullmq';
import { Attempt } from './attempt.ts';
import type { AttemptJob } from './attempt-job.ts';
import type { Handler, JobContext, JobResult } from './handler.ts';
import { type PoolOptions, type RunningPool, startPool } from './start-pool.ts';

export type ChatHandler = Handler<'chat.completion'>;
export type ChatContext = JobContext<'chat.completion'>;

export const silent = createLogger({ name: 'test', level: 'silent' });

const LOCAL = 'embedded/assistant';
export const USAGE: Usage = { input_tokens: 3, output_tokens: 5, total_tokens: 8, cost_usd: null };

interface RequestOptions {
  id?: string;
  stateless?: boolean;
  session_id?: string;
  model?: string;
  waitMs?: number;
}

export async function openPlatform(ownStore?: TestDatabases) {
  const [server, store] = await Promise.all([startRedis(), ownStore ?? sharedStore()]);
  const config = { url: server.url, cluster: false };
  const redis = connectRedis(config, 'worker');
  const subscriber = connectRedis(config, 'worker');
  for (const connection of [redis, subscriber]) connection.on('error', () => undefined);
  const database = await connectDatabase({ uri: store.uri, log: silent });
  const hub = createEventHub(redis, subscriber, silent);
  const eventLog = createEventLog(redis, { maxLength: 10_000, keepMs: 3_600_000 });
  const limits = { maxDepth: 1_000, maxAgeMs: 600_000 };
  const dispatcherOf = (shards: number): Dispatcher =>
    createDispatcher({ database, redis, hub, eventLog, limits, shards, log: silent });
  const dispatcher = dispatcherOf(1);
  const queue = new Queue('text', { connection: redis, prefix: queuePrefix('text'), skipVersionCheck: true });
  queue.on('error', () => undefined);
  const pools = new Set<RunningPool>();

  const request = (owner: Owner, over: RequestOptions = {}) => {
    const { model = LOCAL } = over;
    const common = { model, settings: {} };
    const made: DispatchRequest<'chat.completion'> = {
      kind: 'chat.completion',
      owner,
      id: over.id,
      model,
      begin: async (executionId) => {
        if (over.stateless) {
          return { input: { ...common, source: { type: 'messages', messages: [{ role: 'user', content: 'Hi' }] } } };
        }
        const { session_id } = over;
        const turn = await startTurn(database, owner, { message: 'Hi', session_id, executionId });
        const { opened: _opened, ...source } = turn;
        return {
          input: { ...common, source: { type: 'session', ...source } },
          session_id: turn.session_id,
          message_id: turn.assistant_message_id,
          undo: () => abandonTurn(database, owner, turn, executionId),
        };
      },
      requestId: 'req',
      follow: true,
      waitMs: over.waitMs,
    };
    return made;
  };

  return {
    server,
    store,
    redis,
    database,
    hub,
    eventLog,
    dispatcher,
    /** Creates a dispatcher for queues of several shards. */
    dispatcherOf,
    queue,

    async startPool(handler: ChatHandler['run'] | ChatHandler, over: Partial<PoolOptions<'text'>> = {}) {
      const chat = typeof handler === 'function' ? { run: handler } : handler;
      const pool = await startPool({
        pool: 'text',
        handlers: { 'chat.completion': chat },
        redis: config,
        store: database,
        eventLog,
        concurrency: 20,
        log: silent,
        health: () => ({ models: [], providers: [], default_model: null }),
        ...over,
      });
      pools.add(pool);
      return pool;
    },

    async closePools(): Promise<void> {
      await Promise.all([...pools].map((pool) => pool.close(0)));
      pools.clear();
    },

    async dispatch(
      owner: Owner,
      { via = dispatcher, ...over }: Parameters<typeof request>[1] & { via?: Dispatcher } = {},
    ) {
      const { record, reader } = await via.dispatch(request(owner, over));
      if (!reader) throw new Error('no reader');
      return { record, reader, id: record.id };
    },

    /** Stores an execution whose worker died, and its job for attempt 2. */
    async comeBack(record: ExecutionRecord, earlierAttempts = 1): Promise<void> {
      await queue.remove(record.id);
      await dispatcher.redispatch(record, earlierAttempts);
    },

    attempt(record: ExecutionRecord, attempt: number, handler: ChatHandler) {
      const job: AttemptJob<'chat.completion'> = {
        kind: 'chat.completion',
        executionId: record.id,
        attempt,
        handedBack: false,
        owner: record.owner,
        input: record.input as AttemptJob<'chat.completion'>['input'],
        sessionId: record.session_id,
        batchId: record.batch_id,
        requestId: record.request_id,
        timeoutMs: 60_000,
        handler,
      };
      return new Attempt(
        { store: database, eventLog, log: silent, observer: { began: () => undefined, ended: () => undefined } },
        job,
      );
    },

    async close(): Promise<void> {
      await this.closePools();
      hub.close();
      redis.disconnect();
      await database.close();
      await Promise.all([server.stop(), store.stop()]);
    },
  };
}

export type TestPlatform = Awaited<ReturnType<typeof openPlatform>>;

export const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

export function result(context: Pick<ChatContext, 'output'>): JobResult<JobOutput<'chat.completion'>> {
  const shown = context.output();
  const output = shown.length === 0 ? [{ type: 'text' as const, text: '' }] : shown;
  return { output, usage: USAGE, model: LOCAL, provider: 'embedded', finish_reason: 'stop' };
}

export const delta = (text: string) => ({ type: 'text.delta', index: 0, delta: text }) as const;

export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

export function gate<T = void>() {
  let open: (value: T) => void = () => undefined;
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

export const isEnd = ({ event }: StoredEvent) =>
  event.type === 'execution.succeeded' || event.type === 'execution.failed' || event.type === 'execution.cancelled';

export async function readUntil(
  reader: EventReader,
  enough: (events: StoredEvent[]) => boolean = (events) => events.some(isEnd),
): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  while (!enough(events)) {
    if (reader.closed) throw new Error('the reader was closed');
    events.push(...(await reader.next()));
  }
  return events;
}

export const typesOf = (events: StoredEvent[]) => events.map(({ event }) => event.type);

/** Returns the text that a client shows: all deltas since the last reset. */
export function textOf(events: StoredEvent[]): string {
  let text = '';
  for (const { event } of events) {
    if (event.type === 'text.reset') text = '';
    if (event.type === 'text.delta') text += event.delta;
  }
  return text;
}

export const outputOf = (record: Pick<ExecutionRecord, 'output'> | null | undefined) =>
  (record?.output ?? []).map((item) => (item.type === 'text' ? item.text : '')).join('');

export const codeOf = (record: { error: ErrorBody | null } | null | undefined) => record?.error?.code;

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 40_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`never came true: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
