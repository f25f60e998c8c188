import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expectedText, temporaryFolder } from '@chorus/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type ActingPlatform, startActingPlatform } from './agents/acting-platform.ts';
import { StruckRun } from './agents/struck-run.ts';
import type { Payload } from './event-stream.ts';
import type { PlatformProcess } from './platform-process.ts';
import { SeededRandom } from './seeded-random.ts';
import { textOf } from './transcript.ts';

const SOAK = process.env.CHORUS_SOAK === '1';
const SEED = Number(process.env.CHAOS_SEED ?? randomInt(1_000_000_000));

const ANSWERS = SOAK ? 200 : 12;
const RUNS = SOAK ? 200 : 6;
const KILLS = SOAK ? 30 : 4;
const PAUSES = SOAK ? 20 : 3;
const STEPS = SOAK ? 16 : 3;
const LONGEST_PAUSE_MS = SOAK ? 20_000 : 4_000;
/** Turns in flight, so that there are some at each strike. */
const AT_ONCE = SOAK ? 40 : 4;
const ENDS_WITHIN_MS = SOAK ? 600_000 : 100_000;
const OFFSETS_S = [-30, 30, -7_200, 7_200];

let platform: ActingPlatform;
let clocks: string;

beforeAll(async () => {
  clocks = await temporaryFolder('chc-');
  const clock = new URL('./shifted-clock.mjs', import.meta.url).href;
  platform = await startActingPlatform({
    apis: 2,
    textWorkers: 2,
    background: 1,
    env: {
      NODE_OPTIONS: `--import ${clock}`,
      CHORUS_TEST_CLOCKS: clocks,
      ACCESS_TOKEN_TTL_S: '86400',
      PROVIDER_WAIT_MS: '600000',
    },
  });
});
afterAll(() => platform?.stop());
beforeEach(() => platform.showLogsOnFailure());

it('kills, pauses, and wrong clocks of all processes end no execution, and no call that writes runs twice', {
  timeout: SOAK ? 3_000_000 : 240_000,
}, async () => {
  process.stdout.write(`survival: CHAOS_SEED=${SEED}\n`);
  const random = new SeededRandom(SEED);
  let isStriking = true;
  const striking = strike(random).finally(() => {
    isStriking = false;
  });
  const jobs: Payload[] = [];
  const runs = Array.from({ length: RUNS }, (_, n) => new StruckRun(platform, n + 1));
  const work = Array.from({ length: Math.max(ANSWERS, RUNS) }, (_, n) => n).flatMap((n) => [
    ...(n < ANSWERS ? [() => answer(n)] : []),
    ...runs.slice(n, n + 1).map((run) => () => act(run)),
  ]);
  await Promise.all([
    striking,
    ...Array.from({ length: AT_ONCE }, async () => {
      for (let next = work.shift(); next !== undefined; next = work.shift()) {
        // Most of the work happens during the strikes.
        if (isStriking) await pause(random.between(0, 2_000));
        jobs.push(await next());
      }
    }),
  ]);
  for (const run of runs) await run.check();
  const attempts = jobs.map(({ attempt }) => attempt as number);
  process.stdout.write(
    `survival: ${jobs.length} ended whole, ${attempts.filter((attempt) => attempt > 1).length} of them taken over, ` +
      `the most attempts are ${Math.max(...attempts)}\n`,
  );
});

it('pauses of the only worker end no answer', { timeout: 120_000 }, async () => {
  const [only, other] = platform.textWorkers;
  await other?.end('SIGKILL');
  const words = 'words-400-seed-7-delay-30';
  const model = `compatible/${words}`;
  const ids = await Promise.all(
    Array.from({ length: 10 }, (_, n) => untilTaken(`paused-${n}`, { message: 'Go on.', model })),
  );
  await Promise.all(ids.map((id) => platform.client.waitForJob(id, ['running'])));
  for (let pauses = 0; pauses < 2; pauses += 1) {
    only?.signal('SIGSTOP');
    await pause(3_000);
    only?.signal('SIGCONT');
    if (pauses === 0) await pause(3_000);
  }
  const jobs = await Promise.all(ids.map(ended));
  expect(jobs.map(({ status }) => status)).toEqual(ids.map(() => 'succeeded'));
  for (const job of jobs) expect(textOf(job)).toBe(expectedText(words));
  // On one machine, the process was seen to live.
  expect(jobs.map(({ attempt }) => attempt)).toEqual(ids.map(() => 1));
});

it('a long pause of the only worker ends no answer whose client cannot take it back', {
  timeout: 120_000,
}, async () => {
  const [only] = platform.textWorkers;
  const words = 'words-300-seed-8-delay-30';
  const messages = [{ role: 'user', content: 'Go on.' }];
  const ids = await Promise.all(
    Array.from({ length: 5 }, (_, n) => untilTaken(`long-${n}`, { messages, model: `compatible/${words}` })),
  );
  await Promise.all(ids.map((id) => platform.client.waitForJob(id, ['running'])));
  await pause(1_000);
  only?.signal('SIGSTOP');
  await pause(14_000);
  only?.signal('SIGCONT');
  const jobs = await Promise.all(ids.map(ended));
  expect(jobs.map(({ status, attempt }) => [status, attempt])).toEqual(ids.map(() => ['succeeded', 1]));
  for (const job of jobs) expect(textOf(job)).toBe(expectedText(words));
});

/** Repeats a request until an API that lives takes it. The key makes it run once. */
async function untilTaken(key: string, body: object, headers: Record<string, string> = {}): Promise<string> {
  for (let at = 0; ; at += 1) {
    const url = platform.apis[at % platform.apis.length]?.url ?? '';
    const sent = { prefer: 'respond-async', 'idempotency-key': key, ...headers };
    const signal = AbortSignal.timeout(30_000);
    const taken = await platform.client.chat({ ...body }, { url, headers: sent, signal }).catch(() => null);
    if (taken?.status === 200) return taken.body.id;
    if (taken !== null && taken.status !== 503 && taken.status !== 409)
      throw new Error(`chat: ${taken.status} ${JSON.stringify(taken.body)}`);
    await pause(200);
  }
}

/** Waits for the end of an execution, at any API that answers. */
async function ended(id: string): Promise<Payload> {
  const deadline = performance.now() + ENDS_WITHIN_MS;
  for (let at = 0; performance.now() < deadline; at += 1) {
    const url = platform.apis[at % platform.apis.length]?.url ?? '';
    const signal = AbortSignal.timeout(30_000);
    const got = await platform.client.get(`/jobs/${id}`, { url, signal }).catch(() => null);
    if (got?.status === 200 && got.body.finished_at !== null) return got.body;
    await pause(300);
  }
  throw new Error(`${id} has not ended`);
}

async function answer(n: number): Promise<Payload> {
  const words = `words-200-seed-${n}-delay-30`;
  const id = await untilTaken(`answer-${n}`, { message: `Go on, n${n}.`, model: `compatible/${words}` });
  const job = await ended(id);
  expect(job.status, `answer ${n} (${id}): ${JSON.stringify(job.error)}`).toBe('succeeded');
  expect(textOf(job), id).toBe(expectedText(words));
  return job;
}

async function act(run: StruckRun): Promise<Payload> {
  await run.start((agent, message) => untilTaken(`run-${run.n}`, { message }, { 'x-agent-id': agent }));
  return ended(run.id);
}

/** Strikes all kinds of processes in random order, one after another. */
async function strike(random: SeededRandom): Promise<void> {
  const { apis, textWorkers, background, redis, store } = platform;
  const processes = [...textWorkers, ...textWorkers, ...apis, ...background];
  const kill = async (): Promise<void> => {
    const at = random.between(0, processes.length + 1);
    const struck = processes[at];
    if (struck === undefined) return at === processes.length ? redis.restart() : store.restart();
    await struck.end('SIGKILL');
    await struck.start();
  };
  const stop = async (): Promise<void> => {
    const pids = [...processes.map(({ pid }) => pid), redis.pid, store.pid];
    const pid = random.pick(pids);
    process.kill(pid, 'SIGSTOP');
    await pause(random.between(3_000, LONGEST_PAUSE_MS));
    process.kill(pid, 'SIGCONT');
  };
  const step = async (): Promise<void> => {
    const struck = random.pick(processes);
    await setClock(struck, random.pick(OFFSETS_S));
    await pause(random.between(2_000, 5_000));
    await setClock(struck, 0);
  };
  const strikes = [
    ...Array.from({ length: KILLS }, () => kill),
    ...Array.from({ length: PAUSES }, () => stop),
    ...Array.from({ length: STEPS }, () => step),
  ];
  while (strikes.length > 0) {
    await pause(random.between(500, 2_500));
    const [next] = strikes.splice(random.between(0, strikes.length - 1), 1);
    await next?.();
  }
}

async function setClock(struck: PlatformProcess, offsetS: number): Promise<void> {
  await writeFile(join(clocks, String(struck.pid)), String(offsetS * 1_000));
  struck.signal('SIGUSR2');
}
