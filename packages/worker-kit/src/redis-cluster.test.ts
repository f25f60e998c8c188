import { scopeKey } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { connectRedis, createEventHub, createEventLog, type EventReader, ScopeFeedReader } from '@chorus/events';
import { createDispatcher, createWorkerRegistry, sweep } from '@chorus/queue';
import { sharedStore, startRedisCluster, type TestDatabases, type TestRedisCluster } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPool } from './start-pool.ts';
import { aborted, delta, personal, readUntil, result, silent, textOf, typesOf } from './test-pool.ts';

let cluster: TestRedisCluster;
let store: TestDatabases;
let database: Database;

beforeAll(async () => {
  [cluster, store] = await Promise.all([startRedisCluster(), sharedStore()]);
  database = await connectDatabase({ uri: store.uri, log: silent });
});
afterAll(async () => {
  await database.close();
  await Promise.all([cluster.stop(), store.stop()]);
});

const WORDS = Array.from({ length: 300 }, (_, i) => `${i} `);

test.each([1, 6])('executions work on a cluster with %i shards: no command crosses slots', async (shards) => {
  const config = { url: cluster.url, cluster: true };
  const redis = connectRedis(config, 'worker');
  const subscriber = connectRedis(config, 'worker');
  for (const connection of [redis, subscriber]) connection.on('error', () => undefined);
  const hub = createEventHub(redis, subscriber, silent);
  const eventLog = createEventLog(redis, { maxLength: 100, keepMs: 60_000 });
  const limits = { maxDepth: 1_000, maxAgeMs: 600_000 };
  const dispatcher = createDispatcher({ database, redis, hub, eventLog, limits, shards, log: silent });
  const pool = await startPool({
    pool: 'text',
    handlers: {
      'chat.completion': {
        run: async (context) => {
          if (context.input.model === 'silent') return aborted(context.signal);
          for (const word of WORDS) {
            await context.emit(delta(word));
            // Slow enough for one event per word, and for a trimmed log.
            await new Promise((resolve) => setTimeout(resolve, 6));
          }
          return result(context);
        },
      },
    },
    redis: config,
    store: database,
    eventLog,
    concurrency: 20,
    shards,
    log: silent,
    health: () => ({ models: [], providers: [], default_model: null }),
  });
  const sender = personal();
  const dispatch = async (model: string, owner = sender) => {
    const input = { model, settings: {}, source: { type: 'messages' as const, messages: [] } };
    const request = { kind: 'chat.completion', owner, model, requestId: null, follow: true, input } as const;
    const { record, reader } = await dispatcher.dispatch(request);
    return { record, reader: reader as EventReader };
  };

  const feed = await ScopeFeedReader.open(redis, hub, { scope: scopeKey(sender), after: null, keepMs: 60_000 });
  const all = await Promise.all(Array.from({ length: 12 }, () => dispatch('any')));
  // Further executions, spread over the shards.
  const others = await Promise.all(Array.from({ length: 12 }, () => dispatch('any', personal())));
  await Promise.all(
    [...all, ...others].map(async ({ record, reader }) => {
      expect(textOf(await readUntil(reader))).toBe(WORDS.join(''));
      reader.close();
      const late = await hub.open(record.id, 0);
      expect(textOf(await readUntil(late))).toBe(WORDS.join(''));
      late.close();
      expect(await database.executions.get(record.owner, record.id)).toMatchObject({ status: 'succeeded' });
    }),
  );

  const held = await dispatch('silent');
  await readUntil(held.reader, (events) => events.length > 0);
  await dispatcher.cancel(sender, held.record.id);
  expect(typesOf(await readUntil(held.reader)).at(-1)).toBe('execution.cancelled');
  held.reader.close();

  const ends: string[] = [];
  while (ends.length < 13)
    for (const { event } of (await feed.next()) ?? [])
      if (event.type === 'execution.succeeded' || event.type === 'execution.cancelled') ends.push(event.execution_id);
  expect(ends.sort()).toEqual([...all, held].map(({ record }) => record.id).sort());
  feed.close();

  expect(await createWorkerRegistry(redis, silent).workers()).toMatchObject([{ pool: 'text', alive: true }]);
  expect(await dispatcher.pressure('text')).toMatchObject({ depth: 0 });
  expect(await sweep({ database, eventLog, dispatcher, log: silent })).toMatchObject({ ended: 0 });
  await pool.close(0);
  await dispatcher.close();
  hub.close();
  redis.disconnect();
});
