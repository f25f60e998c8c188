import { ChorusError, newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, type TestDatabases } from '@chorus/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fingerprintOf, readIdempotencyKey, runOnce } from './idempotency.ts';

let store: TestDatabases;
let database: Database;

beforeAll(async () => {
  store = await sharedStore();
  database = await connectDatabase({ uri: store.uri, log: createLogger({ name: 'test', level: 'silent' }) });
});
afterAll(async () => {
  await database?.close();
  await store?.stop();
});

const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

function request(owner: Owner, run: () => Promise<unknown>, fingerprint = 'same') {
  return runOnce({ database, owner, key: 'key', fingerprint, run });
}

describe('a request with an Idempotency-Key', () => {
  it('runs once, and gets the same response again', async () => {
    const owner = personal();
    let done = 0;
    const run = async () => ({ done: ++done });
    expect([await request(owner, run), await request(owner, run)]).toEqual([{ done: 1 }, { done: 1 }]);
    expect(await request(personal(), run)).toEqual({ done: 2 });
  });

  it('is refused while the first one runs, and for a different request', async () => {
    const owner = personal();
    let finish = (_answer: unknown) => {};
    const began = new Promise<void>((resolve) => {
      const first = request(owner, () => {
        resolve();
        return new Promise((answered) => {
          finish = answered;
        });
      });
      first.catch(() => undefined);
    });
    await began;
    await expect(request(owner, async () => 2)).rejects.toMatchObject({ code: 'idempotency_in_flight', status: 409 });
    await expect(request(owner, async () => 2, 'other')).rejects.toMatchObject({
      code: 'idempotency_mismatch',
      status: 422,
    });
    finish(1);
  });

  it('can be repeated after a refusal, but not when the outcome is unknown', async () => {
    const owner = personal();
    const fail = (error: Error) => request(owner, () => Promise.reject(error)).catch(() => undefined);
    await fail(new ChorusError('not_found', 'none'));
    await fail(new ChorusError('overloaded', 'later'));
    await fail(new ChorusError('store_unavailable', 'away, and nothing was begun', { notStarted: true }));
    expect(await request(owner, async () => 'done')).toBe('done');

    const other = personal();
    await request(other, () => Promise.reject(new ChorusError('store_unavailable', 'away'))).catch(() => undefined);
    await expect(request(other, async () => 1)).rejects.toMatchObject({ code: 'idempotency_in_flight' });
  });

  it('takes over when the process of the first one died', async () => {
    const owner = personal();
    const longAgo = new Date(Date.now() - 100_000);
    const left = { fingerprint: 'same', execution_id: null, answer: null, started_at: longAgo };
    await database.idempotency.begin(owner, 'key', { ...left, expires_at: new Date(Date.now() + 60_000) });
    let done = 0;
    const all = await Promise.allSettled([1, 2, 3, 4].map(() => request(owner, async () => ++done)));
    expect(done).toBe(1);
    expect(all.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
    expect(await request(owner, async () => ++done)).toBe(1);
  });

  it('is new when the key has expired', async () => {
    const owner = personal();
    const over = { fingerprint: 'x', execution_id: null, answer: '"old"', started_at: new Date(0) };
    await database.idempotency.begin(owner, 'key', { ...over, expires_at: new Date(0) });
    expect(await request(owner, async () => 'new')).toBe('new');
  });
});

it.each([['a b'], ['ä'], [''], ['x'.repeat(256)]])('refuses the key %j', (key) => {
  const headers = { 'idempotency-key': key };
  expect(() => readIdempotencyKey({ headers } as never)).toThrow(ChorusError);
});

it('hashes what a request asks for, regardless of its form or delivery', () => {
  const post = { method: 'POST', url: '/api/v1/chat/completions' };
  const one = fingerprintOf(post, { message: 'x', stream: true, settings: { a: 1, b: 2 } });
  expect(fingerprintOf(post, { settings: { b: 2, a: 1 }, message: 'x', stream: false })).toBe(one);
  expect(fingerprintOf(post, { message: 'y', settings: { a: 1, b: 2 } })).not.toBe(one);
  // In the caller's own data, it counts under any name.
  const fingerprintWith = (stream: string) => fingerprintOf(post, { message: 'x', metadata: { stream } });
  expect(fingerprintWith('one')).not.toBe(fingerprintWith('other'));
  expect(fingerprintOf({ ...post, url: '/other' }, { message: 'x', settings: { a: 1, b: 2 } })).not.toBe(one);
});
