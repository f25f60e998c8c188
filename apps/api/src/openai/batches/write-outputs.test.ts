import { text } from 'node:stream/consumers';
import { createFileBatch, type FileLine } from '@chorus/batches';
import { ChorusError, newId, type Owner, toErrorBody } from '@chorus/contract';
import type { FileBatchRecord } from '@chorus/database';
import { connectRedis, type RedisConnection } from '@chorus/events';
import { newExecution } from '@chorus/executions';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Services } from '../../services.ts';
import { startTestApi, type TestApi } from '../../test-api.ts';
import { outputLines } from './output-lines.ts';
import { writeBatchOutputs } from './write-outputs.ts';

let api: TestApi;
let services: Services;

beforeAll(async () => {
  api = await startTestApi({ STORAGE_QUOTA_BYTES: '1000000' });
  ({ services } = api);
});
afterAll(() => api.stop());

const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

/** Creates an ended batch of chats: the first ones have answers, the others were refused. */
async function endedBatch(owner: Owner, { answers = 0, refused = 0, answer = 'Done.' }): Promise<FileBatchRecord> {
  const { database } = services;
  const total = answers + refused;
  async function* lines(): AsyncGenerator<FileLine> {
    for (let at = 0; at < total; at += 1) {
      const error = toErrorBody(new ChorusError('invalid_request', 'No.'), null);
      const item = { id: `line ${at}`, kind: 'chat.completion', body: {}, kept: {} } as const;
      yield { number: at + 1, chars: 10, item: at < answers ? item : { ...item, error } };
    }
  }
  const files = { endpoint: '/v1/chat/completions', input: newId('asset'), keep_s: null };
  const head = { owner, agentId: null, apiKeyId: null, requestId: null, metadata: {}, files };
  const { id } = await createFileBatch(database, { ...head, lines: lines() });
  const model = 'test/model';
  const input = { model, settings: {}, source: { type: 'messages', messages: [] } } as const;
  const executions = Array.from({ length: answers }, (_, index) => ({
    ...newExecution({ id: newId('job'), kind: 'chat.completion', owner, model, input, batch_id: id }),
    index,
    status: 'succeeded' as const,
    finished_at: new Date(),
    output: [{ type: 'text' as const, text: `${answer} ${index}` }],
  }));
  await database.executions.insertMany(executions.map(({ index, ...record }) => record));
  await database.batchItems.claim(
    id,
    executions.map(({ id: execution_id, index }) => ({ index, execution_id, retry_of: null })),
  );
  const finished_at = new Date();
  await database.batchItems.end(
    id,
    1,
    executions.map(({ index }) => ({ index, status: 'succeeded' as const, error: null, finished_at })),
  );
  const batch = await database.batches.get(owner, id);
  if (batch === null) throw new Error('the batch is not visible');
  const counts = { ...batch.counts, waiting: 0, succeeded: answers };
  await database.batches.finish(batch, { status: 'completed', counts, ended_seq: 1, started_at: finished_at });
  return (await database.fileBatches.get(owner, id)) as FileBatchRecord;
}

/** Starts writing as another process does. */
function startWriter(over: Partial<Services> = {}): () => Promise<void> {
  const redis: RedisConnection = connectRedis({ url: api.redis.url, cluster: false }, 'request');
  redis.on('error', () => undefined);
  const stopWriting = writeBatchOutputs({ ...services, redis, ...over });
  let stopped: Promise<void> | null = null;
  const stop = () => {
    stopped ??= stopWriting().then(() => redis.disconnect());
    return stopped;
  };
  onTestFinished(stop);
  return stop;
}

const filesOf = async (owner: Owner) =>
  (await services.database.assets.listFiles(owner, { limit: 99, order: 'asc' })).data;

async function written({ owner, id }: FileBatchRecord): Promise<FileBatchRecord> {
  const get = () => services.database.fileBatches.get(owner, id);
  await expect.poll(async () => (await get())?.files.written_at, { timeout: 40_000 }).toBeInstanceOf(Date);
  return (await get()) as FileBatchRecord;
}

async function linesIn(owner: Owner, id: string | null) {
  const asset = await services.assets.get(owner, id ?? '');
  if (asset === null) throw new Error(`there is no asset ${id}`);
  const lines = (await text(await services.assets.read(asset))).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

test('two processes that both believe they lead write each file once', async () => {
  const owner = personal();
  const batches = await Promise.all(
    Array.from({ length: 4 }, () => endedBatch(owner, { answers: 60, refused: 3, answer: 'x'.repeat(500) })),
  );
  const lost = setInterval(() => void services.redis.del('chorus:lease:batch-files'), 5);
  onTestFinished(() => clearInterval(lost));
  for (let process = 0; process < 3; process += 1) startWriter();
  for (const batch of batches) {
    const { files } = await written(batch);
    const output = await linesIn(owner, files.output);
    expect(output.map(({ custom_id }) => custom_id)).toEqual(Array.from({ length: 60 }, (_, at) => `line ${at}`));
    expect(await linesIn(owner, files.errors)).toHaveLength(3);
  }
  expect(await filesOf(owner)).toHaveLength(8);
});

test('a file is rewritten completely if its process dies while writing it', async () => {
  const owner = personal();
  const batch = await endedBatch(owner, { answers: 250 });
  const { batchItems } = services.database;
  let reads = 0;
  const dying = Promise.withResolvers<void>();
  const list: typeof batchItems.list = async (...args) => {
    reads += 1;
    if (reads < 3) return batchItems.list(...args);
    dying.resolve();
    return new Promise(() => undefined); // it never does anything again
  };
  const redis = connectRedis({ url: api.redis.url, cluster: false }, 'request');
  redis.on('error', () => undefined);
  onTestFinished(() => redis.disconnect());
  const database = { ...services.database, batchItems: { ...batchItems, list } };
  writeBatchOutputs({ ...services, redis, database });
  await dying.promise;
  expect(await filesOf(owner)).toEqual([]);
  redis.disconnect();
  startWriter();
  const { files } = await written(batch);
  expect(await linesIn(owner, files.output)).toHaveLength(250);
  expect(await filesOf(owner)).toHaveLength(1);
});

test('reports full storage, and writes the file once there is room', async () => {
  const owner = personal();
  const batch = await endedBatch(owner, { answers: 2, answer: 'x'.repeat(2_000) });
  const ballast = await services.assets.create({ owner, body: Buffer.alloc(999_000), filename: null });
  const stop = startWriter();
  const get = () => services.database.fileBatches.get(owner, batch.id);
  const code = async () => (await get())?.files.problems[0]?.code;
  await expect.poll(code, { timeout: 40_000 }).toBe('storage_full');
  expect((await get())?.files.written_at).toBeNull();
  await services.assets.remove(owner, ballast.id);
  await stop();
  startWriter();
  expect((await written(batch)).files).toMatchObject({ problems: [], errors: null, output: expect.any(String) });
});

test('a result that was deleted is an error in its line', async () => {
  const owner = personal();
  const batch = await endedBatch(owner, { answers: 3 });
  const [, second] = (await services.database.batchItems.list(batch.id, { limit: 9 })).data;
  await services.database.executions.blank([second?.execution_id ?? '']);
  startWriter();
  const lines = await linesIn(owner, (await written(batch)).files.output);
  expect(lines.map(({ response, error }) => [response?.status_code, error?.code])).toEqual([
    [200, undefined],
    [undefined, 'not_found'],
    [200, undefined],
  ]);
});

test('a batch that is deleted while its files are written leaves no files', async () => {
  const owner = personal();
  const batch = await endedBatch(owner, { answers: 1 });
  const { assets, database } = services;
  const create: typeof assets.create = async (asset) => {
    const made = await assets.create(asset);
    await database.batches.remove(batch.id);
    return made;
  };
  const removed = Promise.withResolvers<void>();
  const remove: typeof assets.remove = async (...args) => assets.remove(...args).finally(() => removed.resolve());
  startWriter({ assets: { ...assets, create, remove } });
  await removed.promise;
  expect(await filesOf(owner)).toEqual([]);
});

test('reads no further than the file is written', async () => {
  const owner = personal();
  const batch = await endedBatch(owner, { answers: 2_000 });
  const { executions } = services.database;
  let read = 0;
  const getMany: typeof executions.getMany = async (...args) => {
    const found = await executions.getMany(...args);
    read += found.length;
    return found.map((record) => ({ ...record, output: [{ type: 'text' as const, text: 'x'.repeat(20_000) }] }));
  };
  const database = { ...services.database, executions: { ...executions, getMany } };
  const chunks = outputLines({ services: { ...services, database }, checkpoint: async () => undefined }, batch);
  let bytes = 0;
  let most = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    most = Math.max(most, read * 20_000 - bytes);
    expect(chunk.length).toBeLessThan(200_000);
  }
  expect(bytes).toBeGreaterThan(2_000 * 20_000);
  expect(most).toBeLessThan(500_000);
});
