import { type AssetFacts, newId } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ChatContext, openPlatform, personal, result, type TestPlatform } from './test-pool.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());
afterEach(() => platform.closePools());

async function turn(): Promise<ExecutionRecord> {
  const { record, reader } = await platform.dispatch(personal());
  reader.close();
  return record;
}

const get = ({ owner, id }: ExecutionRecord) => platform.database.executions.get(owner, id);

const facts = (executionId: string): AssetFacts => ({
  id: newId('asset'),
  kind: 'image',
  mime_type: 'image/png',
  size_bytes: 1,
  sha256: '0'.repeat(64),
  filename: null,
  width: 1,
  height: 1,
  duration_ms: null,
  execution_id: executionId,
  created_at: new Date().toISOString(),
});

test('the next attempt finds the checkpoint, and the end removes it', async () => {
  const record = await turn();
  await platform
    .attempt(record, 1, {
      run: async ({ checkpoint }) => {
        expect(checkpoint.value).toBeNull();
        await checkpoint.save({ operation: 'vid-1' });
        expect(checkpoint.value).toEqual({ operation: 'vid-1' });
        throw new Error('the worker dies here');
      },
    })
    .run();
  // No end is stored, as if the worker had been killed.
  const other = await turn();
  await platform.database.executions.saveCheckpoint(other.owner, other.id, 1, { operation: 'vid-2' });
  let seen: unknown;
  await platform
    .attempt(other, 2, {
      run: async (context) => {
        seen = context.checkpoint.value;
        return result(context);
      },
    })
    .run();
  expect(seen).toEqual({ operation: 'vid-2' });
  expect(await get(other)).toMatchObject({ status: 'succeeded', checkpoint: null });
});

test('an attempt that lost its execution cannot save, and stops', async () => {
  const record = await turn();
  let aborted = false;
  const end = await platform
    .attempt(record, 1, {
      run: async ({ checkpoint, owner, executionId, signal }: ChatContext) => {
        await platform.database.executions.claim(owner, executionId, 2, new Date());
        await checkpoint.save({ operation: 'late' }).catch(() => undefined);
        aborted = signal.aborted;
        signal.throwIfAborted();
        throw new Error('went on');
      },
    })
    .run();
  expect(aborted).toBe(true);
  expect(end).toBe('refused');
  expect((await get(record))?.checkpoint).toBeNull();
});

test('the record has progress and finished items, also of a failed execution', async () => {
  const record = await turn();
  const item = { type: 'asset' as const, asset: facts(record.id) };
  let during: ExecutionRecord | null = null;
  await platform
    .attempt(record, 1, {
      run: async ({ emit }) => {
        await emit({ type: 'progress', progress: { completed: 1, total: 2, stage: 'rendering' } });
        await emit({ type: 'output.item', index: 0, item: item as never });
        while (!during?.progress) during = await get(record);
        await emit({ type: 'progress', progress: { completed: 2, total: 2, stage: 'storing' } });
        throw new Error('the second one fails');
      },
    })
    .run();
  expect(during).toMatchObject({ progress: { completed: 1, total: 2, stage: 'rendering' } });
  expect(await get(record)).toMatchObject({
    status: 'failed',
    output: [item],
    progress: { completed: 2, total: 2, stage: 'storing' },
  });
});

test('a success completes the last progress', async () => {
  const record = await turn();
  await platform
    .attempt(record, 1, {
      run: async (context) => {
        await context.emit({ type: 'progress', progress: { completed: 0, total: 1, stage: 'preparing' } });
        return result(context);
      },
    })
    .run();
  expect(await get(record)).toMatchObject({
    status: 'succeeded',
    progress: { completed: 1, total: 1, stage: 'preparing' },
  });
});
