import { type AssetFacts, ChorusError, newId, type WorkerHealth } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { connectRedis, createEventHub, createEventLog } from '@chorus/events';
import { NO_USAGE } from '@chorus/providers/usage';
import { createDispatcher } from '@chorus/queue';
import { sharedStore, startRedis } from '@chorus/testing';
import { startPool } from '@chorus/worker-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { log } from '../mcp/test-mcp-server.ts';
import { OWNER } from '../test-tools.ts';
import { createImageJobs, imageJobId } from './image-jobs.ts';
import type { ImageRequest } from './platform-parts.ts';

let database: Database;
let generate: ReturnType<typeof createImageJobs>;
let close: () => Promise<void>;
/** The prompts that the worker has drawn. */
const drawn: string[] = [];
let holding = Promise.withResolvers<void>();

const ENDING = new Error('canceled');

beforeAll(async () => {
  const [server, store] = await Promise.all([startRedis(), sharedStore()]);
  const config = { url: server.url, cluster: false };
  const [redis, subscriber, blocking] = [
    connectRedis(config, 'request'),
    connectRedis(config, 'worker'),
    connectRedis(config, 'worker'),
  ];
  for (const connection of [redis, subscriber, blocking]) connection.on('error', () => undefined);
  database = await connectDatabase({ uri: store.uri, log });
  const hub = createEventHub(redis, subscriber, log);
  const eventLog = createEventLog(redis, { maxLength: 10_000, keepMs: 3_600_000 });
  const dispatcher = createDispatcher({
    database,
    redis,
    hub,
    eventLog,
    limits: { maxDepth: 1_000, maxAgeMs: 600_000 },
    log,
  });
  const pool = await startPool({
    pool: 'media',
    handlers: {
      'iris.image': {
        run: async ({ input, signal, executionId }) => {
          const [prompt = ''] = input.prompts;
          if (prompt === 'fail') throw new ChorusError('content_refused', 'The prompt was refused.');
          if (prompt === 'hold') {
            holding.resolve();
            await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
          }
          drawn.push(prompt);
          const asset = { id: newId('asset'), execution_id: executionId } as AssetFacts;
          const output = [{ type: 'asset' as const, asset }];
          return { output, usage: NO_USAGE, model: input.model, provider: 'test', finish_reason: 'stop' };
        },
      },
    },
    redis: config,
    store: database,
    eventLog,
    concurrency: 4,
    log,
    health: () => ({ models: [], providers: [], default_model: null }),
  });
  const models = [{ id: 'test/image', capabilities: ['image'] }] as WorkerHealth['models'];
  generate = createImageJobs({
    database,
    eventLog,
    hub,
    dispatcher,
    registry: { recentWorkers: async () => [{ pool: 'media', models, providers: [], default_model: null }] },
    model: null,
    isEnding: (reason) => reason === ENDING,
  });
  close = async () => {
    await pool.close(0);
    hub.close();
    await dispatcher.close();
    for (const connection of [redis, subscriber, blocking]) connection.disconnect();
    await database.close();
    await Promise.all([server.stop(), store.stop()]);
  };
});
afterAll(() => close?.());

const never = new AbortController().signal;

function request(prompt: string, model?: string): ImageRequest {
  return { owner: OWNER, executionId: newId('job'), callId: 'call_1', prompt, size: '64x64', model };
}

test('a repeated call finds the images of the first one', async () => {
  const one = request('an oak');
  const [first, second] = [await generate(one, never), await generate(one, never)];
  expect(first.assets).toHaveLength(1);
  expect(second).toEqual(first);
  expect(drawn.filter((prompt) => prompt === 'an oak')).toHaveLength(1);
  await generate({ ...one, callId: 'call_2' }, never);
  expect(drawn.filter((prompt) => prompt === 'an oak')).toHaveLength(2);
});

test('explains failures and unknown models', async () => {
  await expect(generate(request('fail'), never)).rejects.toThrow('The prompt was refused.');
  await expect(generate(request('x', 'none/none'), never)).rejects.toMatchObject({ code: 'model_not_found' });
  await expect(generate({ ...request('x'), size: '9x9' }, never)).rejects.toThrow(/^`size` must have sides of/);
  await expect(generate(request(''), never)).rejects.toThrow(/^`prompt` must /);
});

test('a canceled agent cancels its image, but a worker that only stops does not', async () => {
  for (const reason of [new Error('the worker stops'), ENDING]) {
    holding = Promise.withResolvers();
    const leaving = new AbortController();
    const one = request('hold');
    const running = generate(one, leaving.signal);
    await holding.promise;
    leaving.abort(reason);
    await expect(running).rejects.toBe(reason);
    const record = await database.executions.get(OWNER, imageJobId(one.executionId, one.callId));
    expect(record?.status).toMatch(reason === ENDING ? /^cancel/ : /^(queued|running)$/);
  }
});
