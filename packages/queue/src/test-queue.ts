import { randomUUID } from 'node:crypto';
import { newId, type Owner } from '@chorus/contract';
import { abandonTurn, startTurn } from '@chorus/conversations';
import { connectDatabase, type Database, type ExecutionRecord } from '@chorus/database';
import { connectRedis, createEventHub, createEventLog } from '@chorus/events';
import { type Begun, newExecution, queuePrefix, type StoredWork } from '@chorus/executions';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, startRedis } from '@chorus/testing';
import { Queue, Worker } from 'bullmq';
import { MongoClient } from 'mongodb';
import { createDispatcher, type DispatchRequest } from './dispatcher.ts';
import type { PressureLimits } from './pressure.ts';

export const silent = createLogger({ name: 'test', level: 'silent' });

const LIMITS = { maxLength: 10_000, keepMs: 3_600_000 };

/** Opens a Redis, a store, and the parts of an API process for a test file. */
export async function openQueue() {
  const [server, store] = await Promise.all([startRedis(), sharedStore()]);
  const config = { url: server.url, cluster: false };
  const redis = connectRedis(config, 'request');
  const subscriber = connectRedis(config, 'request');
  const blocking = connectRedis(config, 'worker');
  for (const connection of [redis, subscriber, blocking]) connection.on('error', () => undefined);
  const database = await connectDatabase({ uri: store.uri, log: silent });
  const raw = await new MongoClient(store.uri).connect();
  const queue = new Queue('text', { connection: redis, prefix: queuePrefix('text'), skipVersionCheck: true });
  queue.on('error', () => undefined);
  // Takes jobs by hand: `getNextJob` locks one as a worker does.
  const worker = new Worker('text', null, {
    connection: blocking,
    prefix: queuePrefix('text'),
    skipVersionCheck: true,
  });
  worker.on('error', () => undefined);
  const hub = createEventHub(redis, subscriber, silent);
  const eventLog = createEventLog(redis, LIMITS);
  const parts = { database, redis, hub, eventLog, log: silent };
  return {
    server,
    store,
    ...parts,
    raw: raw.db(),
    queue,
    /** Creates a dispatcher; `over` replaces parts, for example with failing ones. */
    dispatcher: (limits: Partial<PressureLimits> = {}, over: Partial<typeof parts> = {}, shards = 1) =>
      createDispatcher({ ...parts, ...over, limits: { maxDepth: 1_000, maxAgeMs: 600_000, ...limits }, shards }),
    takeJob: async () => {
      const job = await worker.getNextJob(randomUUID(), { block: false });
      if (!job) throw new Error('no waiting job');
      return job;
    },
    /** Returns the number of records by kind. */
    stored: async () => {
      const counts = ['executions', 'sessions', 'messages'].map((name) => raw.db().collection(name).countDocuments());
      const [executions, sessions, messages] = await Promise.all(counts);
      return { executions, sessions, messages };
    },
    close: async () => {
      hub.close();
      await worker.close(true);
      redis.disconnect();
      blocking.disconnect();
      await database.close();
      await raw.close();
      await Promise.all([server.stop(), store.stop()]);
    },
  };
}

export type OpenQueue = Awaited<ReturnType<typeof openQueue>>;

export const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

export const member = (workspaceId: string): Owner => ({
  scope: 'workspace',
  user_id: newId('user'),
  workspace_id: workspaceId,
});

const model = 'embedded/assistant';
const settings = {};

export function statelessRequest(
  owner: Owner,
  over: { follow?: boolean } & Partial<Begun<'chat.completion'> | StoredWork<'chat.completion'>> = {},
): DispatchRequest<'chat.completion'> {
  const source = { type: 'messages' as const, messages: [{ role: 'user' as const, content: 'Hi' }] };
  const input = { model, settings, source };
  return { kind: 'chat.completion', owner, model, input, requestId: 'req', follow: false, ...over };
}

/** Returns a turn of a session, begun and undone as the API does it. */
export function turnRequest(
  database: Database,
  owner: Owner,
  session_id?: string,
  over: { padding?: string; follow?: boolean; undo?: () => Promise<void> } = {},
): DispatchRequest<'chat.completion'> & StoredWork<'chat.completion'> {
  const { padding, follow = false } = over;
  return {
    kind: 'chat.completion',
    owner,
    model,
    begin: async (executionId) => {
      const turn = await startTurn(database, owner, { message: 'Hi', session_id, executionId });
      const { opened: _, ...ids } = turn;
      const source = { type: 'session' as const, ...ids };
      return {
        input: { model, settings, source, ...(padding ? { padding } : {}) },
        session_id: turn.session_id,
        message_id: turn.assistant_message_id,
        undo: over.undo ?? (() => abandonTurn(database, owner, turn, executionId)),
      };
    },
    requestId: 'req',
    follow,
  };
}

/** Returns an execution as a dispatcher stores it, `ageMs` old. */
export function recordOf(owner: Owner, over: Partial<ExecutionRecord> = {}, ageMs = 60_000): ExecutionRecord {
  const messages = [{ role: 'user', content: 'Hi' }];
  const input = { model, settings, source: { type: 'messages', messages } };
  const record = newExecution({ id: newId('job'), kind: 'chat.completion', owner, model, input, request_id: 'req' });
  return { ...record, created_at: new Date(Date.now() - ageMs), ...over };
}

/** Polls until the condition is true; throws after 40 s. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 40_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`still false: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
