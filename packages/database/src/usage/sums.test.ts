import { setTimeout as pause } from 'node:timers/promises';
import { newId, type Owner, scopeKey } from '@chorus/contract';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, type TestDatabases } from '@chorus/testing';
import { type Collection, type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../connect-database.ts';
import { createExecutionRepository } from '../executions/repository.ts';
import type { StoredExecution } from '../executions/schema.ts';
import { createUsageSums } from './sums.ts';

let store: TestDatabases;
let client: MongoClient;
let database: Database;

beforeAll(async () => {
  store = await sharedStore();
  database = await connectDatabase({ uri: store.uri, log: createLogger({ name: 'test', level: 'silent' }) });
  client = await new MongoClient(store.uri).connect();
});
afterAll(async () => {
  await database?.close();
  await client?.close();
  await store?.stop();
});

const today = new Date().toISOString().slice(0, 10);
const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

/** Stores ended executions, marked as their end marks them. */
async function end(owner: Owner, times: number, { marked = true } = {}): Promise<string[]> {
  const usage = { input_tokens: 2, output_tokens: 3, total_tokens: 5, cost_usd: 0.125 };
  const made = Array.from({ length: times }, (_, at) => {
    const _id = newId('job');
    const fields = { scope_key: scopeKey(owner), user_id: owner.user_id, model: `m/${at % 3}`, usage };
    return { _id, ...fields, created_at: new Date(), finished_at: new Date(), ...(marked && { usage_due: _id }) };
  });
  await client
    .db()
    .collection<StoredExecution>('executions')
    .insertMany(made as unknown as StoredExecution[]);
  return made.map(({ _id }) => _id);
}

async function totalOf(owner: Owner): Promise<{ executions: number; cost: number }> {
  const rows = await createUsageSums(client.db()).read({ scope_key: scopeKey(owner) }, { from: today, to: today });
  const sum = (name: 'executions' | 'cost_usd') => rows.reduce((all, row) => all + row[name], 0);
  return { executions: sum('executions'), cost: sum('cost_usd') };
}

const WRITES = new Set(['insertOne', 'bulkWrite', 'updateOne', 'updateMany', 'deleteMany']);

/** A connection of a process that dies before, or just after, a number of writes. */
function dyingAfter(writes: number, { wasWritten }: { wasWritten: boolean }): Db {
  let left = writes;
  const wrap = (collection: Collection) =>
    new Proxy(collection, {
      get(of, name, receiver) {
        const value = Reflect.get(of, name, receiver);
        if (typeof value !== 'function') return value;
        if (!WRITES.has(String(name))) return value.bind(of);
        return async (...args: unknown[]) => {
          if (left <= 0 && !wasWritten) throw new Error('killed');
          const written = await value.apply(of, args);
          left -= 1;
          if (left < 0) throw new Error('killed');
          return written;
        };
      },
    });
  return { collection: (name: string) => wrap(client.db().collection(name)) } as unknown as Db;
}

test('adds each execution once, wherever the process dies', async () => {
  for (const wasWritten of [false, true]) {
    for (let writes = 0; ; writes += 1) {
      const owner = personal();
      await end(owner, 7);
      const dying = createUsageSums(dyingAfter(writes, { wasWritten }));
      const survived = await dying.collect().then(
        () => true,
        (error: Error) => {
          if (error.message !== 'killed') throw error;
          return false;
        },
      );
      await createUsageSums(client.db()).collect();
      expect({ writes, wasWritten, ...(await totalOf(owner)) }).toEqual({
        writes,
        wasWritten,
        executions: 7,
        cost: 0.875,
      });
      if (survived) break;
      expect(writes).toBeLessThan(20);
    }
  }
});

test('adds each execution once while several processes add and more executions end', async () => {
  const owner = personal();
  const processes = Array.from({ length: 4 }, () => createUsageSums(client.db()));
  let isEnding = true;
  const adding = processes.map(async (one) => {
    while (isEnding) {
      await one.collect();
      await pause(0);
    }
  });
  for (let at = 0; at < 15; at += 1) await end(owner, 20);
  isEnding = false;
  await Promise.all(adding);
  await processes[0]?.collect();
  expect(await totalOf(owner)).toEqual({ executions: 300, cost: 37.5 });
});

test('a step that was paused before it is stored adds nothing again', async () => {
  const owner = personal();
  await end(owner, 3);
  const sums = createUsageSums(client.db());
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const steps = client.db().collection('usage_steps');
  const paused = new Proxy(steps, {
    get(of, name, receiver) {
      const value = Reflect.get(of, name, receiver);
      if (typeof value !== 'function') return value;
      if (name !== 'insertOne') return value.bind(of);
      return async (...args: unknown[]) => {
        reached.resolve();
        await gate.promise;
        return value.apply(of, args);
      };
    },
  });
  const db = { collection: (name: string) => (name === 'usage_steps' ? paused : client.db().collection(name)) };
  const late = createUsageSums(db as unknown as Db).collect();
  await reached.promise;
  await sums.collect();
  await end(owner, 4);
  await sums.collect();
  gate.resolve();
  await late;
  expect(await totalOf(owner)).toEqual({ executions: 7, cost: 0.875 });
});

test('adds executions of earlier versions once, also those that end during an upgrade', async () => {
  const owner = personal();
  const sums = createUsageSums(client.db());
  await end(owner, 5, { marked: false });
  await end(owner, 2);
  await Promise.all([sums.fill(), createUsageSums(client.db()).fill()]);
  expect(await sums.isFilled()).toBe(true);
  await end(owner, 3, { marked: false });
  await sums.fill();
  await sums.fill();
  expect(await totalOf(owner)).toEqual({ executions: 10, cost: 1.25 });
});

test('the end of an execution marks it', async () => {
  const owner = personal();
  const executions = createExecutionRepository(client.db());
  const id = newId('job');
  const input = { model: 'm/x', settings: {}, source: { type: 'messages', messages: [] } };
  const facts = { kind: 'chat.completion', surface: 'chat', model: 'm/x', provider: 'm', input, metadata: {} } as const;
  const none = { session_id: null, message_id: null, batch_id: null, api_key_id: null, request_id: null };
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };
  const rest = { output: [], progress: null, context: null, warnings: [], error: null, attempt: 1, checkpoint: null };
  await executions.insert({
    ...{ id, owner, ...facts, ...none, ...rest, usage, status: 'queued', finish_reason: null, retry_of: null },
    ...{ webhook_url: null, created_at: new Date(), started_at: null, finished_at: null },
  });
  await createUsageSums(client.db()).collect();
  expect(await totalOf(owner)).toEqual({ executions: 0, cost: 0 });
  await executions.finish(owner, id, null, {
    ...{ status: 'succeeded', output: [], error: null, model: 'm/x', provider: 'm', finish_reason: 'stop' },
    ...{ usage: { ...usage, cost_usd: 0.5 }, finished_at: new Date() },
  });
  await createUsageSums(client.db()).collect();
  expect(await totalOf(owner)).toEqual({ executions: 1, cost: 0.5 });
});

test('forgets steps after a week', async () => {
  const steps = client
    .db()
    .collection<{ _id: string; at: Date; done?: true; ids: string[]; rows: object[] }>('usage_steps');
  const at = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000);
  const old = ['old', 'recent'].map((_id) => ({
    _id,
    at: at(_id === 'old' ? 8 : 6),
    done: true as const,
    ids: [],
    rows: [],
  }));
  await steps.insertMany(old);
  const owner = personal();
  for (let step = 0; step < 100; step += 1) {
    await end(owner, 1);
    await createUsageSums(client.db()).collect();
  }
  expect((await steps.find({ _id: { $in: ['old', 'recent'] } }).toArray()).map(({ _id }) => _id)).toEqual(['recent']);
  expect(await totalOf(owner)).toEqual({ executions: 100, cost: 12.5 });
});
