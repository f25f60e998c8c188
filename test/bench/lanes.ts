import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { FakeLimitSettings } from '@chorus/testing';
import { ApiClient } from '../journeys/api-client.ts';
import { type Platform, startPlatform } from '../journeys/platform.ts';
import { type Load, type LoadResult, runLoad, runStreams } from './lanes/load.ts';
import { heading, percentile, report } from './report.ts';

const USERS = 3;
const STREAMS = 20;
const KILL_EVERY_MS = 15_000;

interface Scenario {
  what: string;
  limits: Partial<FakeLimitSettings>;
  /** Changes of the provider while the load runs. */
  then?: { afterMs: number; limits: Partial<FakeLimitSettings> }[];
  /** Share of the whole load, so that the scenario ends within minutes. */
  share: number;
  /** The least use of what the provider allowed. */
  use: number;
}

const LATENCY = { latencyMs: 1_000 };

const SCENARIOS: Record<string, Scenario> = {
  a: { what: '20 calls at once', limits: { ...LATENCY, concurrent: 20 }, share: 1, use: 0.95 },
  b: { what: '600 requests a minute, with headers', limits: { ...LATENCY, requestsPerMinute: 600 }, share: 0.5, use: 0.95 },
  c: { what: '60,000 tokens a minute', limits: { ...LATENCY, tokensPerMinute: 60_000 }, share: 0.5, use: 0.95 },
  d: { what: '20 at once, without Retry-After', limits: { ...LATENCY, concurrent: 20, retryAfterS: null }, share: 0.5, use: 0.85 },
  e: {
    what: '100 at once, and away for 60 s twice',
    limits: { ...LATENCY, concurrent: 100 },
    then: [
      { afterMs: 10_000, limits: { away: true } },
      { afterMs: 70_000, limits: { away: false } },
      { afterMs: 80_000, limits: { away: 'resets' } },
      { afterMs: 140_000, limits: { away: false } },
    ],
    share: 1,
    use: 0,
  },
  f: { what: '50 at once, with 2% random failures', limits: { ...LATENCY, concurrent: 50, failShare: 0.02 }, share: 1, use: 0.85 },
  g: {
    what: '40 at once, halved after a minute, doubled later',
    limits: { ...LATENCY, concurrent: 40 },
    then: [
      { afterMs: 30_000, limits: { concurrent: 20 } },
      { afterMs: 60_000, limits: { concurrent: 40 } },
    ],
    share: 1,
    use: 0.9,
  },
  h: { what: 'a key that is refused after 20 s, and accepted again after 40 s', limits: { ...LATENCY, concurrent: 50 }, then: [
    { afterMs: 20_000, limits: { keyAccepted: false } },
    { afterMs: 40_000, limits: { keyAccepted: true } },
  ], share: 0.5, use: 0 },
};

const WHOLE: Load = { chats: 2_000, images: 1_000, documents: 300 };

/** Runs batches of three users and interactive streams against providers with limits, while workers are killed. */
export async function lanes(names: readonly string[] = Object.keys(SCENARIOS)): Promise<void> {
  for (const name of names) {
    const scenario = SCENARIOS[name];
    if (scenario) await run(name, scenario);
  }
}

async function run(name: string, scenario: Scenario): Promise<void> {
  heading(`(${name}) ${scenario.what}`);
  const platform = await startPlatform({
    models: ['words-3', 'gpt-image-1', 'text-embedding-3-small'],
    textWorkers: 2,
    mediaWorkers: 2,
    knowledgeWorkers: 2,
    maintenance: 2,
    env: {
      EMBEDDING_MODEL: 'openai/text-embedding-3-small',
      BATCHES_PER_USER: '1000',
      LOG_LEVEL: process.env.LANES_LOG ?? 'warn',
    },
  });
  try {
    await measure(platform, scenario);
  } finally {
    if (process.env.LANES_LOG)
      for (const worker of [...platform.textWorkers, ...platform.maintenance, ...platform.apis])
        console.log(`== ${worker.name}\n${worker.log.slice(-60).join('\n')}`);
    await platform.stop();
  }
}

async function measure(platform: Platform, { limits, then = [], share, use }: Scenario): Promise<void> {
  const { fake } = platform;
  const users = [platform.client, ...(await Promise.all(Array.from({ length: USERS - 1 }, () => newcomer(platform))))];
  fake.limits.change(limits);
  console.log('users ready');
  const ending = new AbortController();
  const before = await streamsFor(platform, 5_000);
  console.log('alone done');
  const streaming = Array.from({ length: STREAMS }, (_, at) =>
    runStreams(users[at % USERS] as ApiClient, `s${at}`, 'openai/words-3', ending.signal),
  );
  const changing = (async () => {
    const begunAt = performance.now();
    for (const { afterMs, limits: changed } of then) {
      await pause(Math.max(0, begunAt + afterMs - performance.now()), undefined, { signal: ending.signal }).catch(() => undefined);
      if (ending.signal.aborted) return;
      fake.limits.change(changed);
    }
  })();
  if (process.env.LANES_DBG) {
    const { connectRedis } = await import('@chorus/events');
    const { readLanes } = await import('@chorus/lanes');
    const r = connectRedis({ url: platform.redis.url, cluster: false }, 'worker');
    setInterval(async () => {
      const c = fake.limits.counts;
      console.log('STATE', 'acc', c.accepted, 'ref', c.refused, 'run', c.running, JSON.stringify(await readLanes(r)));
      for (const n of ['text.calls', 'media.calls']) {
        const b = `{chorus:${n}}:`;
        const keys = (await r.keys(`${b}fair:*`)).filter((k) => !/ended/.test(k));
        const parts = await Promise.all(keys.map(async (k) => { const t = await r.type(k); return `${k.slice(b.length)}=${t === 'zset' ? await r.zcard(k) : t === 'set' ? await r.scard(k) : t === 'hash' ? JSON.stringify(await r.hgetall(k)) : await r.get(k)}`; }));
        console.log('  Q', n, 'active', await r.llen(`${b}${n}:active`), 'line', await r.zcard(`${b}${n}:prioritized`), 'parked', await r.zcard(`${b}${n}:delayed`), 'wait', await r.llen(`${b}${n}:wait`), 'marker', JSON.stringify(await r.zrange(`${b}${n}:marker`, '0', '-1', 'WITHSCORES')), parts.join(' '));
      }
    }, 5000).unref();
  }
  const killing = killWorkers(platform, ending.signal);
  const sample = sampleUse(fake, ending.signal);
  const load = Object.fromEntries(
    Object.entries(WHOLE).map(([what, count]) => [what, Math.ceil((count * share * Number(process.env.LANES_SHARE ?? 1)) / USERS)]),
  ) as unknown as Load;
  const models = { chatModel: 'openai/words-3', imageModel: 'openai/gpt-image-1' };
  const results = await Promise.all(users.map((user, at) => runLoad(user, `u${at}`, load, models).then((r) => { console.log('load', at, r.tookMs, r.failed.length); return r; })));
  ending.abort();
  console.log('aborted');
  setInterval(() => console.log(JSON.stringify(platform.textWorkers.map((w) => w.alive))), 5000).unref();
  const [streams] = await Promise.all([Promise.all(streaming), changing, killing]);
  const counts = fake.limits.counts;
  const failed = [...results.flatMap((one) => one.failed), ...streams.flatMap((one) => one.failed)];
  report('failed', String(failed.length), 'aim: 0');
  for (const one of failed.slice(0, 3)) console.log('   ', JSON.stringify(one).slice(0, 400));
  report('sent twice after an answer', String(counts.sentAgain.length), 'aim: 0');
  const refusedShare = counts.refused / Math.max(1, counts.refused + counts.accepted);
  report('refused', `${(100 * refusedShare).toFixed(1)}% (${counts.refused})`, 'aim: ≤ 2% once learned');
  report('use of what was allowed', `${(100 * (await sample)).toFixed(0)}%`, `aim: ≥ ${100 * use}%`);
  const firsts = streams.flatMap(({ firstMs }) => firstMs);
  report('first token, p50 / p90, alone', `${at(before, 0.5)} / ${at(before, 0.9)} ms`);
  report('first token, p50 / p90, beside the load', `${at(firsts, 0.5)} / ${at(firsts, 0.9)} ms`, 'aim: ≤ 1.2 ×');
  report('fairness between users', fairness(results).toFixed(2), 'aim: ≤ 1.2');
  report('time (s)', (Math.max(...results.map(({ tookMs }) => tookMs)) / 1_000).toFixed(0));
}

const at = (values: number[], share: number) => percentile(values, share).toFixed(0);

/** Compares how many of each user's chats had ended when the first user was done. */
function fairness(results: readonly LoadResult[]): number {
  const end = Math.min(...results.map(({ endedAt }) => endedAt.at(-1) ?? 0)) * 0.9;
  const counts = results.map(({ endedAt }) => endedAt.filter((one) => one <= end).length);
  return Math.max(...counts) / Math.max(1, Math.min(...counts));
}

async function streamsFor(platform: Platform, ms: number): Promise<number[]> {

  const alone = AbortSignal.timeout(ms);
  const all = await Promise.all(
    Array.from({ length: STREAMS }, (_, at) => runStreams(platform.client, `alone${at}`, 'openai/words-3', alone)),
  );
  return all.flatMap(({ firstMs }) => firstMs);
}

/** Returns the mean share of the allowed concurrent calls that were in use. */
async function sampleUse(fake: Platform['fake'], signal: AbortSignal): Promise<number> {
  const shares: number[] = [];
  while (!signal.aborted) {
    const { concurrent } = fake.limits.settings;
    if (concurrent !== null) shares.push(fake.limits.counts.running / concurrent);
    await pause(100);
  }
  const body = shares.slice(Math.floor(shares.length * 0.1), Math.floor(shares.length * 0.9));
  return body.reduce((sum, one) => sum + one, 0) / Math.max(1, body.length);
}

async function killWorkers(platform: Platform, signal: AbortSignal): Promise<void> {
  const workers = [platform.textWorkers, platform.mediaWorkers, platform.knowledgeWorkers];
  for (let round = 0; ; round += 1) {
    await pause(KILL_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const of = workers[round % workers.length] ?? [];
    const worker = of[Math.floor(round / workers.length) % of.length];
    await worker?.end('SIGKILL');
    await worker?.start();
  }
}

async function newcomer({ client, apis }: Platform): Promise<ApiClient> {
  const login = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const { body: workspace } = await client.post('/workspaces', { name: 'Guests' });
  const { body: invitation } = await client
    .inWorkspace(workspace.id)
    .post(`/workspaces/${workspace.id}/invitations`, { email: login.email, role: 'viewer' });
  const nobody = { headers: { authorization: null, 'x-scope-type': null } };
  await client.post('/invitations/accept', { token: invitation.token, password: login.password }, nobody);
  return ApiClient.login(() => String(apis[0]?.url), login);
}
