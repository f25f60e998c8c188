import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expectedText } from '@chorus/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ApiClient } from './api-client.ts';
import type { Payload } from './event-stream.ts';
import { type Platform, startPlatform } from './platform.ts';
import { poll } from './poll.ts';
import { ReconnectingReader } from './reconnecting-reader.ts';
import { SeededRandom } from './seeded-random.ts';
import { checkStored, Transcript, textOf } from './transcript.ts';

const SOAK = process.env.CHORUS_SOAK === '1';
const STREAMS = SOAK ? 200 : 20;
const STARTS_WITHIN_MS = SOAK ? 50_000 : 4_000;
const ROUNDS = SOAK ? 3 : 1;
const SEED = Number(process.env.CHAOS_SEED ?? randomInt(1_000_000_000));

let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform({ apis: 2, textWorkers: 2, maintenance: 1 });
});
afterAll(() => platform?.stop());
beforeEach(() => platform.showLogsOnFailure());

it('delivers streams in order without loss or repeats while readers reconnect and processes die', {
  timeout: SOAK ? 600_000 : 120_000,
}, async () => {
  process.stdout.write(`chaos: CHAOS_SEED=${SEED}, ${STREAMS} streams\n`);
  const random = new SeededRandom(SEED);
  const readers = Array.from({ length: STREAMS }, (_, number) => {
    const model = `compatible/words-${random.between(100, 400)}-seed-${number}-delay-20`;
    const own = new SeededRandom(SEED + number + 1);
    return new ReconnectingReader({
      client: platform.client,
      apis: platform.apis,
      random: own,
      name: `n${number}`,
      model,
    });
  });

  const hasText = ({ transcript }: ReconnectingReader) => transcript.deltas.size > 0;
  const disasters = poll('a stream runs', () => readers.some(hasText)).then(() => strike(random));
  await Promise.all([
    ...readers.map(async (reader) => {
      await pause(random.between(0, STARTS_WITHIN_MS));
      await reader.run();
    }),
    disasters,
  ]);
  printSummary(readers, await disasters);

  for (const { name, model, transcript } of readers) {
    const { execution } = transcript.terminal;
    // Only a turn that three workers ran when they were killed may fail.
    if (execution.status === 'succeeded') expect(transcript.text, name).toBe(expectedText(model.split('/')[1] ?? ''));
    else expect(execution.error, name).toMatchObject({ code: 'worker_lost' });
    for (const { summary } of await checkStored(platform, transcript))
      expect(summary, name).toEqual(transcript.summary);
  }
  // On a very busy machine, workers may have died before any text was shown: then no stream has a reset.
  expect(readers.some(({ transcript }) => transcript.terminal.execution.attempt > 1)).toBe(true);
  expect(
    readers.filter(({ transcript }) => transcript.terminal.execution.status === 'succeeded').length,
  ).toBeGreaterThan(STREAMS / 4);
  await checkOrphaned(platform.client, new Set(readers.map(({ transcript }) => transcript.executionId)));
});

type Strike = [what: string, at: number];

/**
 * In each round, kills a worker and an API, pauses the other worker, and restarts Redis and the
 * document store.
 *
 * @returns the time of each strike, by `performance.now()`
 */
async function strike(random: SeededRandom): Promise<Strike[]> {
  const strikes: Strike[] = [];
  const between = async (what: string, [low, high]: [number, number], act: () => Promise<unknown>) => {
    await pause(random.between(low, high));
    strikes.push([what, performance.now()]);
    await act();
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const [killed, paused] = random.next() < 0.5 ? platform.textWorkers : platform.textWorkers.toReversed();
    const api = random.pick(platform.apis);
    if (!killed || !paused) throw new Error('chaos needs two workers');
    await Promise.all([
      between('worker killed', [1_000, 3_000], async () => {
        await killed.end('SIGKILL');
        await killed.start();
      }),
      between('worker paused', [2_000, 5_000], async () => {
        paused.signal('SIGSTOP');
        await pause(random.between(12_000, 15_000));
        paused.signal('SIGCONT');
      }),
      between('API killed', [2_000, 7_000], async () => {
        await api.end('SIGKILL');
        await api.start();
      }),
      between('Redis restarted', [3_000, 8_000], () => platform.redis.restart()),
      between('store restarted', [3_000, 8_000], () => platform.store.restart()),
    ]);
  }
  return strikes;
}

/** Checks executions whose start response was lost: they end, and match their log. */
async function checkOrphaned(client: ApiClient, known: Set<string | null>): Promise<void> {
  for (const { id } of await allJobs(client)) {
    if (known.has(id)) continue;
    const job = await client.waitForJob(id, undefined, 40_000);
    const replay = await poll(`the log of ${id} ends`, async () =>
      Transcript.of(await (await client.events(id, 0)).frames()),
    );
    expect(replay.terminal.type, id).toBe(`execution.${job.status}`);
    expect(replay.text, id).toBe(textOf(job));
  }
}

async function allJobs(client: ApiClient): Promise<Payload[]> {
  const jobs: Payload[] = [];
  let cursor = '';
  do {
    const { body } = await client.get(`/jobs?limit=100${cursor}`);
    jobs.push(...body.data);
    cursor = body.has_more ? `&after=${body.next_cursor}` : '';
  } while (cursor !== '');
  return jobs;
}

function printSummary(readers: ReconnectingReader[], strikes: Strike[]): void {
  const sum = (of: (reader: ReconnectingReader) => number) => readers.reduce((total, reader) => total + of(reader), 0);
  const resets = readers.flatMap(({ transcript }) => transcript.resets);
  const first = Math.min(...strikes.map(([, at]) => at));
  const since = (time: number) => `${((time - first) / 1_000).toFixed(1)} s`;
  const counts = {
    succeeded: readers.filter(({ transcript }) => transcript.terminal.execution.status === 'succeeded').length,
    'taken over': readers.filter(({ transcript }) => transcript.terminal.execution.attempt > 1).length,
    deltas: sum(({ transcript }) => transcript.deltas.size),
    resets: resets.length,
    dropped: sum(({ dropped }) => dropped),
    'cut off': sum(({ cut }) => cut),
    'turned away': sum(({ refused }) => refused),
  };
  const times = strikes.map(([what, at]) => `${what} at ${since(at)}`);
  const totals = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  process.stdout.write(`chaos: ${times.join(', ')}\nchaos: ${totals.join(', ')}\n`);
  process.stdout.write(`chaos: resets at ${resets.map(({ at }) => since(at)).join(', ')}\n`);
}
