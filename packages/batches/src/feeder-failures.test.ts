import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FeederParts } from './feeder.ts';
import { draw, type OpenBatches, openBatches, personal, planner, shaky, until } from './test-batches.ts';

let open: OpenBatches;

beforeAll(async () => {
  open = await openBatches();
});
afterAll(() => open.close());
beforeEach(() => open.redis.flushall());
afterEach(() => open.closeProcesses());

/** 48 items: 12 depend on others, and 3 fail. */
const items = Array.from({ length: 48 }, (_, index) => {
  if (index % 4 === 3) return { after: [String(index - 1)], body: { prompt: `{{${index - 1}.output.0.text}}!` } };
  return { body: { prompt: index % 16 === 0 ? `fail ${index}` : `sun ${index}` } };
});

/** Attempts by execution. */
type Runs = Map<string, number[]>;

function noteRuns() {
  const runs: Runs = new Map();
  const run = (job: Parameters<typeof draw>[0] & { executionId: string; attempt: number }) => {
    runs.set(job.executionId, [...(runs.get(job.executionId) ?? []), job.attempt]);
    return draw(job);
  };
  return { runs, run };
}

/** Ran once, counting each attempt that lost its worker. */
const ranOnce = (attempts: number[]) => attempts.length === 1;
const ranOnceByAttempt = (attempts: number[]) => new Set(attempts).size === attempts.length;

async function expectWhole(
  owner: ReturnType<typeof personal>,
  id: string,
  runs: Runs,
  isGood: (attempts: number[]) => boolean = ranOnce,
): Promise<void> {
  const { counts, status, ended_seq } = await open.settled(owner, id);
  expect([status, counts]).toEqual([
    'completed',
    {
      total: 48,
      waiting: 0,
      queued: 0,
      running: 0,
      requires_action: 0,
      succeeded: 45,
      failed: 3,
      cancelled: 0,
      skipped: 0,
      expired: 0,
    },
  ]);
  const stored = await open.items(id);
  const executions = stored.map(({ execution_id }) => execution_id as string);
  expect(new Set(executions).size).toBe(48);
  expect([...runs].filter(([, attempts]) => !isGood(attempts))).toEqual([]);
  expect([...runs.keys()].sort()).toEqual([...executions].sort());
  const ended = await open.database.batchItems.listEnded(id, { after: null, upTo: ended_seq, limit: 999 });
  expect(ended.map(({ index }) => index).sort((a, b) => a - b)).toEqual(items.map((_, index) => index));
  const listed = await open.database.executions.list(owner, { limit: 100, batch_id: id });
  expect(listed.data).toHaveLength(48);
}

describe('runs each item once, even if any step fails before or after its effect', () => {
  const shakyItems = (name: 'claim' | 'end' | 'getMany' | 'mark') => (parts: Pick<FeederParts, 'database'>) => ({
    database: {
      ...parts.database,
      batchItems: { ...parts.database.batchItems, [name]: shaky(parts.database.batchItems[name] as never) },
    },
  });
  const shakyBatches =
    (name: 'saveProgress' | 'finish' | 'listUnfinished') => (parts: Pick<FeederParts, 'database'>) => ({
      database: {
        ...parts.database,
        batches: { ...parts.database.batches, [name]: shaky(parts.database.batches[name] as never) },
      },
    });
  const steps: Record<string, (parts: Pick<FeederParts, 'database' | 'dispatcher'>) => Partial<FeederParts>> = {
    claim: shakyItems('claim'),
    end: shakyItems('end'),
    getMany: shakyItems('getMany'),
    mark: shakyItems('mark'),
    saveProgress: shakyBatches('saveProgress'),
    finish: shakyBatches('finish'),
    listUnfinished: shakyBatches('listUnfinished'),
    dispatchMany: ({ dispatcher }) => ({ dispatcher: { ...dispatcher, dispatchMany: shaky(dispatcher.dispatchMany) } }),
    noteBatches: ({ database }) => ({
      database: {
        ...database,
        executions: { ...database.executions, markBatchesNoted: shaky(database.executions.markBatchesNoted) },
      },
    }),
    announce: () => ({ onEnd: shaky(async () => undefined) }),
  };

  const names = Object.keys(steps);
  // All steps together; each alone in soak tests.
  const trials = process.env.CHORUS_SOAK ? [names, ...names.map((name) => [name])] : [names];

  test.each(trials.map((trial) => [trial]))('%j', async (trial) => {
    const owner = personal();
    const { runs, run } = noteRuns();
    await open.startWorker(run);
    let parts: Pick<FeederParts, 'database' | 'dispatcher'> & Partial<FeederParts> = open;
    for (const name of trial) parts = { ...parts, ...steps[name]?.(parts) };
    const { database, dispatcher, onEnd = async () => undefined } = parts;
    await open.startFeeder({ limits: { maxDepth: 1_000, window: 30 }, database, dispatcher, onEnd });
    const batch = await open.create(owner, items);
    await expectWhole(owner, batch.id, runs);
    await until(async () => (await open.database.batches.listWebhooksDue(9)).length === 0);
  });
});

test('runs each item once when two processes feed at the same time', async () => {
  const owner = personal();
  const { runs, run } = noteRuns();
  await open.startWorker(run);
  for (let feeder = 0; feeder < 2; feeder += 1) await open.startFeeder({ limits: { maxDepth: 1_000, window: 30 } });
  let over = false;
  const forgetting = (async () => {
    while (!over) {
      await open.redis.del('chorus:lease:batches');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  const batch = await open.create(owner, items);
  await open.settled(owner, batch.id);
  over = true;
  await forgetting;
  await expectWhole(owner, batch.id, runs);
});

test('hands feeding over immediately when the leader leaves', async () => {
  const owner = personal();
  const { runs, run } = noteRuns();
  await open.startWorker(run, 2);
  const feeders = [];
  for (let feeder = 0; feeder < 3; feeder += 1)
    feeders.push(await open.startFeeder({ limits: { maxDepth: 1_000, window: 6 } }));
  const batch = await open.create(owner, items);
  for (const feeder of feeders.slice(0, 2)) {
    const before = runs.size;
    await until(() => runs.size > before + 5);
    await feeder.close();
  }
  await expectWhole(owner, batch.id, runs);
});

test('continues a batch after Redis crashes', async () => {
  const owner = personal();
  const { runs, run } = noteRuns();
  await open.startWorker(run, 4);
  await open.startFeeder({ limits: { maxDepth: 1_000, window: 10 } });
  const batch = await open.create(owner, items);
  await until(() => runs.size > 10);
  await open.server.restart();
  await expectWhole(owner, batch.id, runs, ranOnceByAttempt);
});

test('fails only the item that cannot be dispatched', async () => {
  const owner = personal();
  await open.startWorker();
  const { dispatcher } = open;
  const fails = (prompts: unknown) => JSON.stringify(prompts).includes('poison');
  await open.startFeeder({
    dispatcher: {
      ...dispatcher,
      dispatchMany: async (planned) => {
        if (planned.some(({ input }) => fails(input.prompts))) throw new RangeError('too large for the store');
        await dispatcher.dispatchMany(planned);
      },
    },
    planner: async (kind, request, ...rest) => {
      if ((request as { prompt?: string }).prompt === 'broken') throw new TypeError('a bug');
      return planner(kind, request, ...rest);
    },
  });
  const { id } = await open.create(owner, ['sun', 'poison', 'moon', 'broken', 'more poison', 'star']);
  expect((await open.settled(owner, id)).counts).toMatchObject({ succeeded: 3, failed: 3 });
  const codes = (await open.items(id)).map(({ error }) => error?.code ?? null);
  expect(codes).toEqual([null, 'internal_error', null, 'internal_error', 'internal_error', null]);
});

test('feeds other batches when one cannot be read', async () => {
  const owner = personal();
  await open.startWorker();
  const ill = await open.create(owner, ['sun']);
  const { database } = open;
  const defaultsOf = (id: string) => {
    if (id === ill.id) throw new SyntaxError('the stored record is invalid');
    return database.batches.getDefaults(id);
  };
  await open.startFeeder({ database: { ...database, batches: { ...database.batches, getDefaults: defaultsOf } } });
  const well = await open.create(owner, ['moon']);
  expect((await open.settled(owner, well.id)).counts.succeeded).toBe(1);
  expect((await open.database.batches.get(owner, ill.id))?.counts.waiting).toBe(1);
  await open.database.batches.remove(ill.id);
});
