import { readdir, readFile } from 'node:fs/promises';
import { temporaryFolder } from '@chorus/testing';
import { expect, test } from 'vitest';
import type { BatchRequest, BatchWire, StagedBatch } from './batch-port.ts';
import { stageBatches } from './stage-batches.ts';

function wireWith(limits: BatchWire['limits'], frame?: BatchWire['frame']): BatchWire {
  const none = () => Promise.reject(new Error('not called'));
  return {
    limits,
    endpoints: new Set(['embeddings', 'messages']),
    write: ({ id, body }, key) => `${key}:${id}:${JSON.stringify(body)}`,
    ...(frame && { frame }),
    submit: none,
    find: none,
    poll: none,
    cancel: none,
    delete: none,
  };
}

async function* requestsOf(count: number, input: string[] = ['a']): AsyncGenerator<BatchRequest> {
  for (let index = 0; index < count; index += 1)
    yield { id: `job_${index}`, endpoint: 'embeddings', body: { input }, betas: [`beta-${index}`] };
}

async function stage(wire: BatchWire, requests: AsyncIterable<BatchRequest>): Promise<StagedBatch[]> {
  const folder = await temporaryFolder('stage-');
  const staged: StagedBatch[] = [];
  let number = 0;
  for await (const one of stageBatches(wire, requests, { folder, model: 'm', nextKey: () => `part_${number++}` }))
    staged.push(one);
  return staged;
}

const idsOf = (staged: StagedBatch[]) => staged.map(({ ids }) => ids);
const LINE = 'part_0:job_0:{"input":["a"]}\n'.length;

test('cuts by the number of requests', async () => {
  const staged = await stage(wireWith({ requests: 2, bytes: 10_000 }), requestsOf(5));
  expect(idsOf(staged)).toEqual([['job_0', 'job_1'], ['job_2', 'job_3'], ['job_4']]);
  expect(staged.map(({ key }) => key)).toEqual(['part_0', 'part_1', 'part_2']);
  expect(staged[0]).toMatchObject({ endpoint: 'embeddings', model: 'm', betas: ['beta-0', 'beta-1'] });
});

test.each([
  [3 * LINE, 3],
  [3 * LINE - 1, 2],
])('cuts by bytes: %i', async (bytes, most) => {
  const staged = await stage(wireWith({ requests: 100, bytes }), requestsOf(4));
  expect(staged[0]?.ids).toHaveLength(most);
  for (const one of staged) {
    expect((await readFile(one.path)).length).toBe(one.bytes);
    expect(one.bytes).toBeLessThanOrEqual(bytes);
  }
});

test('cuts by the number of texts', async () => {
  const staged = await stage(wireWith({ requests: 100, bytes: 10_000, texts: 5 }), requestsOf(3, ['a', 'b']));
  expect(idsOf(staged)).toEqual([['job_0', 'job_1'], ['job_2']]);
});

test('writes the frame of a provider', async () => {
  const frame = { head: '[', between: ',', tail: ']' };
  const [staged] = await stage(wireWith({ requests: 2, bytes: 10_000 }, frame), requestsOf(2));
  expect(await readFile(staged!.path, 'utf8')).toBe('[part_0:job_0:{"input":["a"]},part_0:job_1:{"input":["a"]}]');
});

test('leaves no file after a failure, or when it is discarded', async () => {
  const folder = await temporaryFolder('stage-');
  const wire = wireWith({ requests: 100, bytes: 10_000 });
  async function* broken(): AsyncGenerator<BatchRequest> {
    yield* requestsOf(2);
    throw new Error('gone');
  }
  const options = { folder, model: 'm', nextKey: () => 'part_0' };
  await expect(stageBatches(wire, broken(), options).next()).rejects.toThrow('gone');
  expect(await readdir(folder)).toEqual([]);
  const { value } = await stageBatches(wire, requestsOf(1), options).next();
  expect(await readdir(folder)).toHaveLength(1);
  await (value as StagedBatch).discard();
  expect(await readdir(folder)).toEqual([]);
});

test('requests of several endpoints are no batch', async () => {
  async function* mixed(): AsyncGenerator<BatchRequest> {
    yield* requestsOf(1);
    yield { id: 'job_1', endpoint: 'messages', body: {}, betas: [] };
  }
  await expect(stage(wireWith({ requests: 100, bytes: 10_000 }), mixed())).rejects.toThrow('messages');
});
