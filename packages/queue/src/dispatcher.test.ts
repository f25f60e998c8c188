import { ChorusError, newId, type Owner } from '@chorus/contract';
import { connectRedis } from '@chorus/events';
import { queuePrefix } from '@chorus/executions';
import { Worker } from 'bullmq';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type OpenQueue, openQueue, personal, statelessRequest, turnRequest, until } from './test-queue.ts';

let open: OpenQueue;

beforeAll(async () => {
  open = await openQueue();
});
afterAll(() => open.close());
beforeEach(() => open.redis.flushall());

const overloaded = { code: 'overloaded', status: 503 };

test('stores the execution as queued and queues a job with the same id', async () => {
  const owner = personal();
  const { record, reader } = await open.dispatcher().dispatch({
    ...statelessRequest(owner),
    metadata: { a: 'b' },
    retryOf: 'job_x',
  });
  expect(reader).toBeNull();
  expect(await open.database.executions.get(owner, record.id)).toEqual(record);
  expect(record).toMatchObject({
    status: 'queued',
    attempt: 1,
    provider: 'embedded',
    surface: 'chat',
    metadata: { a: 'b' },
    retry_of: 'job_x',
    request_id: 'req',
    session_id: null,
  });
  const job = await open.queue.getJob(record.id);
  expect(job?.name).toBe('chat.completion');
  const data = { owner, input: record.input, request_id: 'req', session_id: null, batch_id: null };
  expect(job?.data).toEqual({ ...data, hub: '', earlier_attempts: 0 });
  expect(await open.dispatcher().jobState(record)).toBe('prioritized');
});

test('the record is stored before dispatch returns, and the reader is subscribed before any event', async () => {
  const owner = personal();
  const found: boolean[] = [];
  const connection = connectRedis({ url: open.server.url, cluster: false }, 'worker');
  // Finishes each job as fast as possible.
  const worker = new Worker(
    'text',
    async (job) => {
      await open.eventLog.append(job.id ?? '', 1, 1, [{ type: 'execution.started', attempt: 1 }]);
      await open.eventLog.append(job.id ?? '', 1, 2, [{ type: 'execution.succeeded' }]);
    },
    { connection, prefix: queuePrefix('text'), concurrency: 50, skipVersionCheck: true },
  );
  onTestFinished(async () => {
    await worker.close();
    connection.disconnect();
  });
  await worker.waitUntilReady();
  const reads = vi.spyOn(open.redis, 'xrange');
  onTestFinished(() => reads.mockRestore());
  const dispatcher = open.dispatcher();
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      const { record, reader } = await dispatcher.dispatch(statelessRequest(owner, { follow: true }));
      found.push((await open.database.executions.get(owner, record.id)) !== null);
      const events = [];
      while (events.length < 2) events.push(...((await reader?.next()) ?? []));
      expect(events.map(({ seq }) => seq)).toEqual([2, 3]);
      reader?.close();
    }),
  );
  expect(found).toEqual(Array.from({ length: 50 }, () => true));
  expect(reads).not.toHaveBeenCalled(); // all events came live, none from the log
  expect(open.hub.size).toBe(0);
});

describe('overload', () => {
  const another = () => turnRequest(open.database, personal());

  test('refuses by depth without storing anything, and recovers once a job is taken', async () => {
    const dispatcher = open.dispatcher({ maxDepth: 3 });
    for (let i = 0; i < 3; i += 1) await dispatcher.dispatch(another());
    const before = await open.stored();
    for (const follow of [true, false]) {
      const refused = dispatcher.dispatch({ ...another(), follow });
      await expect(refused).rejects.toMatchObject({ ...overloaded, retryAfterS: 5 });
    }
    expect(await open.stored()).toEqual(before);
    expect(await open.queue.count()).toBe(3);
    expect(open.hub.size).toBe(0);

    await open.takeJob();
    await dispatcher.dispatch(another());
    await expect(dispatcher.dispatch(another())).rejects.toMatchObject(overloaded);
  });

  test('a refused turn leaves its session free', async () => {
    const owner = personal();
    const session = await open.database.sessions.create(owner, {
      title: null,
      pinned: false,
      starred: false,
      metadata: {},
    });
    await open.dispatcher({ maxDepth: 1 }).dispatch(statelessRequest(owner));
    const refused = open.dispatcher({ maxDepth: 1 }).dispatch(turnRequest(open.database, owner, session.id));
    await expect(refused).rejects.toMatchObject(overloaded);
    expect(await open.database.sessions.get(owner, session.id)).toEqual(session);
  });

  /** Sends a hundred requests at once and returns how many are accepted. */
  async function takenOf(owners: () => ReturnType<typeof personal>, maxDepth: number): Promise<number> {
    const dispatcher = open.dispatcher({ maxDepth });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, () => dispatcher.dispatch(statelessRequest(owners()))),
    );
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(overloaded);
    }
    return outcomes.filter(({ status }) => status === 'fulfilled').length;
  }

  test.each([1, 5, 40])('accepts no more of a hundred concurrent requests than the %i that fit', async (maxDepth) => {
    expect(await takenOf(personal, maxDepth)).toBe(maxDepth);
    expect(await open.queue.count()).toBe(maxDepth);
  });

  test.each([
    [1, 1],
    [5, 3],
    [40, 20],
  ])('accepts up to half of %i places from a single owner: %i', async (maxDepth, share) => {
    const owner = personal();
    expect(await takenOf(() => owner, maxDepth)).toBe(share);
  });

  test('accepts an owner with nothing waiting while there is room, whatever the others have', async () => {
    const [greedy, second, third] = [personal(), personal(), personal()];
    expect(await takenOf(() => greedy, 41)).toBe(21);
    expect(await takenOf(() => second, 41)).toBe(10);
    await open.dispatcher({ maxDepth: 41 }).dispatch(statelessRequest(third));
    await expect(open.dispatcher({ maxDepth: 41 }).dispatch(statelessRequest(greedy))).rejects.toMatchObject({
      ...overloaded,
      message: expect.stringContaining('your'),
    });
  });

  test("refuses by the age of the owner's oldest waiting job, and accepts other owners", async () => {
    const [owner, other] = [personal(), personal()];
    const dispatcher = open.dispatcher({ maxAgeMs: 30_000 });
    const age = async (ageMs: number) => {
      const { record } = await open.dispatcher().dispatch(statelessRequest(owner));
      await open.redis.hset(`${open.queue.toKey(record.id)}`, 'timestamp', Date.now() - ageMs);
    };
    await age(20_000);
    await dispatcher.dispatch(statelessRequest(owner));
    expect((await dispatcher.pressure('text')).oldestMs).toBeGreaterThanOrEqual(20_000);

    await open.redis.flushall();
    await age(31_000);
    await age(0);
    expect(await dispatcher.pressure('text')).toMatchObject({ depth: 2 });
    const before = await open.stored();
    await expect(dispatcher.dispatch(statelessRequest(owner))).rejects.toMatchObject(overloaded);
    expect(await open.stored()).toEqual(before);
    await dispatcher.dispatch(statelessRequest(other));
    await open.takeJob(); // takes the old one first
    await dispatcher.dispatch(statelessRequest(owner));
  });

  test('an empty queue has no pressure', async () => {
    expect(await open.dispatcher().pressure('text')).toEqual({ depth: 0, oldestMs: 0 });
  });
});

describe('failed dispatches are undone', () => {
  const newSession = (owner: ReturnType<typeof personal>) =>
    open.database.sessions.create(owner, { title: 'mine', pinned: false, starred: false, metadata: {} });

  test('an execution that the store refuses: the turn is undone and nothing is queued', async () => {
    const owner = personal();
    const session = await newSession(owner);
    const padding = 'x'.repeat(17 * 1024 * 1024); // exceeds the size limit of a document
    const dispatcher = open.dispatcher();
    const refused = dispatcher.dispatch(turnRequest(open.database, owner, session.id, { padding, follow: true }));
    await expect(refused).rejects.toThrow();
    expect(await open.database.sessions.get(owner, session.id)).toMatchObject({
      active_execution_id: null,
      message_count: 0,
    });
    expect((await open.database.messages.listBySession(owner, session.id, { limit: 10 })).data).toEqual([]);
    expect(await open.queue.count()).toBe(0);
    expect(open.hub.size).toBe(0);
    await dispatcher.dispatch(turnRequest(open.database, owner, session.id));
  });

  test('a record that cannot be stored: its job is removed, and a worker that has it is stopped', async () => {
    const owner = personal();
    let executionId = '';
    const request = statelessRequest(owner, {
      begin: async (id: string) => {
        executionId = id;
        return { input: { padding: 'x'.repeat(17 * 1024 * 1024) } as never }; // exceeds the size limit of a document
      },
    });
    await expect(open.dispatcher().dispatch(request)).rejects.toThrow();
    expect(await open.database.executions.get(owner, executionId)).toBeNull();
    expect(await open.queue.count()).toBe(0);
    expect(await open.eventLog.append(executionId, 1, 1, [{ type: 'execution.started', attempt: 1 }])).toMatchObject({
      status: 'ended',
    });
  });

  test('a failing undo does not hide the original error', async () => {
    const padding = 'x'.repeat(17 * 1024 * 1024);
    const request = turnRequest(open.database, personal(), undefined, {
      padding,
      undo: () => Promise.reject(new Error('undo failed too')),
    });
    await expect(open.dispatcher().dispatch(request)).rejects.not.toThrow('undo failed too');
  });

  test('passes on the error of a failed preparation, and queues nothing', async () => {
    const owner = personal();
    const session = await newSession(owner);
    const dispatcher = open.dispatcher();
    const { record } = await dispatcher.dispatch(turnRequest(open.database, owner, session.id));
    const before = await open.stored();
    const second = dispatcher.dispatch(turnRequest(open.database, owner, session.id, { follow: true }));
    await expect(second).rejects.toMatchObject({
      code: 'session_locked',
      extra: { active_execution_id: record.id },
    });
    expect(await open.stored()).toEqual(before);
    expect(await open.queue.count()).toBe(1);
    expect(open.hub.size).toBe(0);
  });

  test('an execution that cannot be queued fails, and its session is free', async () => {
    const owner = personal();
    const session = await newSession(owner);
    const request = turnRequest(open.database, owner, session.id);
    const dispatcher = open.dispatcher();
    const error = await dispatcher
      .dispatch({
        ...request,
        begin: async (id) => {
          const begun = await request.begin(id);
          await open.server.kill();
          return begun;
        },
      })
      .catch((thrown: unknown) => thrown);
    await open.server.restart();
    expect(error).toBeInstanceOf(ChorusError);
    expect(error).toMatchObject({ code: 'store_unavailable', status: 503, notStarted: false });
    const [record] = (await open.database.executions.list(owner, { limit: 10 })).data;
    expect(record).toMatchObject({ status: 'failed', error: { code: 'store_unavailable', request_id: 'req' } });
    expect((await open.database.sessions.get(owner, session.id))?.active_execution_id).toBeNull();
    const { data } = await open.database.messages.listBySession(owner, session.id, { limit: 10 });
    expect(data.map(({ role, status }) => [role, status])).toEqual([
      ['user', 'succeeded'],
      ['assistant', 'failed'],
    ]);
    // Its job reaches the queue when Redis is back, is removed, and must not run.
    await dispatcher.dispatch(statelessRequest(owner));
    await until(async () => (await open.queue.getJob(record?.id ?? '')) === undefined);
    expect(await open.queue.count()).toBe(1);
  });

  test.each([true, false])('refuses work with an error while Redis is down (followed: %s)', async (follow) => {
    const owner = personal();
    const dispatcher = open.dispatcher();
    const before = await open.stored();
    await open.server.kill();
    const refused = dispatcher.dispatch(turnRequest(open.database, owner, undefined, { follow }));
    await expect(refused).rejects.toMatchObject({ code: 'store_unavailable', status: 503, notStarted: true });
    await open.server.restart();
    expect(await open.stored()).toEqual(before);
    expect(open.hub.size).toBe(0);
    await dispatcher.dispatch(turnRequest(open.database, owner, undefined, { follow: false }));
  });
});

describe('batch executions', () => {
  const planned = (owner: Owner, batch_id: string, over: { kind?: 'iris.image' } = {}) => ({
    id: newId('job'),
    kind: over.kind ?? ('chat.completion' as const),
    owner,
    model: 'embedded/assistant',
    input: { model: 'embedded/assistant' },
    metadata: { a: 'b' },
    retry_of: null,
    session_id: null,
    message_id: null,
    batch_id,
    api_key_id: 'key_1',
    request_id: 'req',
  });

  test('are stored and queued in bulk, each in the queue of its kind', async () => {
    const owner = personal();
    const batch_id = newId('batch');
    const many = [planned(owner, batch_id), planned(owner, batch_id, { kind: 'iris.image' }), planned(owner, batch_id)];
    const dispatcher = open.dispatcher();
    await dispatcher.dispatchMany(many);
    const stored = await open.database.executions.list(owner, { limit: 9, batch_id });
    expect(stored.data.map(({ id }) => id)).toEqual(many.map(({ id }) => id).reverse());
    expect(stored.data[0]).toMatchObject({ ...many[2], status: 'queued', surface: 'chat', provider: 'embedded' });
    for (const record of stored.data) expect(await dispatcher.jobState(record)).toBe('prioritized');
    expect(await dispatcher.pressure('text')).toMatchObject({ depth: 2 });
    expect(await dispatcher.pressure('media')).toMatchObject({ depth: 1 });
    await dispatcher.dispatchMany([]);
  });

  test('are not queued again if they exist, since their job may have finished', async () => {
    const owner = personal();
    const batch_id = newId('batch');
    const [one, two] = [planned(owner, batch_id), planned(owner, batch_id)];
    const dispatcher = open.dispatcher();
    await dispatcher.dispatchMany([one]);
    await open.queue.remove(one.id);
    await dispatcher.dispatchMany([one, two]);
    expect(await open.queue.count()).toBe(1);
    expect(await open.queue.getJob(two.id)).toBeDefined();
  });
});
