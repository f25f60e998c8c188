import { newId, type WaitReason } from '@chorus/contract';
import { type LaneState, LaneWait } from '@chorus/lanes';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JobResult } from './handler.ts';
import { planWait } from './provider-wait.ts';
import { codeOf, openPlatform, personal, readUntil, type TestPlatform, typesOf, USAGE } from './test-pool.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());
afterEach(() => platform.closePools());

const answer = (model: string): JobResult<never> => ({
  output: [{ type: 'text', text: 'Done.' }] as never[],
  usage: USAGE,
  model,
  provider: 'openai',
  finish_reason: 'stop',
});

describe('a job whose provider takes no call', () => {
  test('is queued without a place, says what it waits for, and goes on', async () => {
    const model = `openai/${newId('job')}`;
    let calls = 0;
    await platform.startPool(async () => {
      calls += 1;
      if (calls === 1) throw new LaneWait(model, 'slow_down', 200);
      return answer(model);
    });
    const { record, reader } = await platform.dispatch(personal(), { model, stateless: true });
    const events = await readUntil(reader);
    expect(typesOf(events)).toEqual(['execution.started', 'execution.waiting', 'execution.succeeded']);
    expect(events[1]?.event).toMatchObject({ reason: 'slow_down', provider: 'openai', until: expect.any(String) });
    expect(calls).toBe(2);
    expect(await platform.database.executions.get(record.owner, record.id)).toMatchObject({ status: 'succeeded' });
  });

  test('fails at once for a waiting client if its key has never worked', async () => {
    const model = `openai/${newId('job')}`;
    await platform.startPool(async () => {
      throw new LaneWait(model, 'key', null);
    });
    const { record, reader } = await platform.dispatch(personal(), { model, stateless: true });
    await readUntil(reader);
    expect(codeOf(await platform.database.executions.get(record.owner, record.id))).toBe('provider_auth');
  });

  test('fails once it has waited as long as its caller', async () => {
    const model = `openai/${newId('job')}`;
    await platform.startPool(async () => {
      throw new LaneWait(model, 'away', 100);
    });
    const { record, reader } = await platform.dispatch(personal(), { model, stateless: true, waitMs: 400 });
    await readUntil(reader);
    expect(codeOf(await platform.database.executions.get(record.owner, record.id))).toBe('provider_unavailable');
  });
});

describe('the plan of a wait', () => {
  let key: string;
  beforeEach(() => {
    key = `job:${newId('job')}`;
  });
  const open = { closedMs: 0, reason: null } as LaneState;
  const closed = { closedMs: 5_000, reason: 'away' } as LaneState;
  const plan = (
    reason: WaitReason,
    {
      state = open,
      advanced = false,
      gate = 'lane',
    }: { state?: LaneState; advanced?: boolean; gate?: 'lane' | 'put off' | 'none' } = {},
  ) => planWait(platform.redis, { key, wait: new LaneWait('openai/x', reason, 0), state, gate, advanced });

  test('leaves it to the queue while the lane is closed', async () => {
    expect(await plan('away', { state: closed })).toMatchObject({ pauseMs: 0, isLast: true });
    expect(await plan('slow_down')).toMatchObject({ pauseMs: 0, isLast: false });
    expect((await plan('slow_down', { gate: 'none' }))?.pauseMs).toBeGreaterThan(0);
    // Without a closed lane, its queue would let it go on at once.
    expect((await plan('slow_down', { gate: 'put off' }))?.pauseMs).toBeGreaterThan(0);
    expect(await plan('slow_down', { gate: 'put off', state: closed })).toMatchObject({ pauseMs: 0 });
  });

  test('ends for a request that fails alone, but never while the provider is away', async () => {
    for (let count = 0; count < 20; count += 1) expect(await plan('away', { state: closed })).not.toBeNull();
    const pauses: number[] = [];
    for (let next = await plan('away'); next !== null; next = await plan('away')) pauses.push(next.pauseMs);
    expect(pauses).toHaveLength(6);
    expect(pauses.at(-1)).toBeGreaterThan((pauses[0] ?? 0) * 8);
  });

  test('begins again after work that no other attempt repeats', async () => {
    await platform.redis.hset(key, 'wait', 30_000, 'wait_until', Date.now() - 1, 'after', 'end');
    expect(await plan('slow_down')).toBeNull();
    expect(await plan('slow_down', { advanced: true })).toMatchObject({ restarts: true });
  });

  test('is none for work with another model, which has failed as well', async () => {
    await platform.redis.hset(key, 'wait', 2_000, 'after', 'run');
    expect(await plan('slow_down')).toBeNull();
  });

  test('of work without a waiting client goes on even if an operator must act', async () => {
    await platform.redis.hset(key, 'wait', 86_400_000, 'after', 'end');
    expect(await plan('key', { state: { closedMs: null, reason: 'key' } as LaneState })).toMatchObject({ pauseMs: 0 });
    await platform.redis.hset(key, 'wait', 30_000);
    expect(await plan('key', { state: { closedMs: null, hasAnswered: false } as LaneState })).toBeNull();
    expect(await plan('key', { state: { closedMs: null, hasAnswered: true } as LaneState })).toMatchObject({
      pauseMs: 0,
    });
  });
});
