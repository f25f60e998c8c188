import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type FakeLimitSettings, type FakeLimits, startFakeProvider } from '@chorus/testing';
import { ApiClient } from '../journeys/api-client.ts';
import { type Platform, startPlatform } from '../journeys/platform.ts';
import { type Load, type LoadResult, runLoad, runStreams } from './lanes/load.ts';
import { heading, percentile, report } from './report.ts';

const USERS = 3;
const STREAMS = 20;
const KILL_EVERY_MS = 15_000;
const ALONE_MS = 20_000;
const LEARNED_MS = 10_000;

/** Each kind of work has another provider, and so another dialect and other limits. */
const MODELS = { chatModel: 'openai/words-3', imageModel: 'google/gemini-2.5-flash-image' };
const EMBEDDING_MODEL = 'mistral/mistral-embed';

interface Scenario {
  what: string;
  limits: Partial<FakeLimitSettings>;
  /** Changes of the providers while the load runs. */
  changes?: { afterMs: number; limits: Partial<FakeLimitSettings> }[];
  /** Share of the whole load, so that the scenario ends within minutes. */
  share: number;
  /** Words of each chat, beside those that tell chats apart. */
  words?: number;
  /** The least use of what the provider of chats allowed. Null: it allows no steady amount. */
  use: number | null;
}

const SECOND = { latencyMs: 1_000 };

const SCENARIOS: Record<string, Scenario> = {
  a: { what: '20 calls at once', limits: { ...SECOND, concurrent: 20 }, share: 1, use: 0.95 },
  b: {
    what: '600 requests a minute, with headers',
    limits: { ...SECOND, requestsPerMinute: 600 },
    share: 0.6,
    use: 0.95,
  },
  c: {
    what: '60,000 tokens a minute, with headers',
    limits: { ...SECOND, tokensPerMinute: 60_000 },
    words: 90,
    share: 0.8,
    use: 0.95,
  },
  d: {
    what: '20 calls at once, without Retry-After',
    limits: { ...SECOND, concurrent: 20, retryAfterS: null },
    share: 0.6,
    use: 0.85,
  },
  e: {
    what: '50 at once, and away for 60 s twice: 503, then broken connections',
    limits: { ...SECOND, concurrent: 50 },
    changes: [
      { afterMs: 10_000, limits: { away: true } },
      { afterMs: 70_000, limits: { away: false } },
      { afterMs: 90_000, limits: { away: 'resets' } },
      { afterMs: 150_000, limits: { away: false } },
    ],
    share: 1,
    use: null,
  },
  f: {
    what: '20 at once, with 2% random failures and broken connections',
    limits: { ...SECOND, concurrent: 20, failShare: 0.02 },
    share: 0.6,
    use: 0.85,
  },
  g: {
    what: '40 at once, 20 after a minute, and 40 again after two',
    limits: { ...SECOND, concurrent: 40 },
    changes: [
      { afterMs: 60_000, limits: { concurrent: 20 } },
      { afterMs: 120_000, limits: { concurrent: 40 } },
    ],
    share: 1.8,
    use: 0.85,
  },
  h: {
    what: 'a key that is refused after 500 calls, and accepted again 20 s later',
    limits: { ...SECOND, concurrent: 50 },
    changes: [
      { afterMs: 15_000, limits: { keyAccepted: false } },
      { afterMs: 35_000, limits: { keyAccepted: true } },
    ],
    share: 0.6,
    use: null,
  },
};

const WHOLE: Load = { chats: 2_000, images: 1_000, documents: 300 };

/**
 * Runs batches of three users and interactive streams against providers with limits, over two workers of each kind. One
 * of them is killed every 15 s. `LANES=a,e` chooses scenarios, and `LANES_SHARE=0.2` runs part of the load.
 */
export async function lanes(): Promise<void> {
  const names = process.env.LANES?.split(',') ?? Object.keys(SCENARIOS);
  for (const name of names) {
    const scenario = SCENARIOS[name];
    if (scenario) await run(name, scenario);
  }
}

type Providers = Record<'chats' | 'images' | 'embeddings', FakeLimits>;

async function run(name: string, scenario: Scenario): Promise<void> {
  heading(`(${name}) ${scenario.what}`);
  const [google, mistral] = await Promise.all([startFakeProvider('google'), startFakeProvider('mistral')]);
  const platform = await startPlatform({
    models: ['words-3'],
    textWorkers: 2,
    mediaWorkers: 2,
    knowledgeWorkers: 2,
    maintenance: 2,
    env: {
      GOOGLE_API_KEY: 'test-key',
      GOOGLE_BASE_URL: google.url,
      MISTRAL_API_KEY: 'test-key',
      MISTRAL_BASE_URL: mistral.url,
      EMBEDDING_MODEL,
      // Streams outlast each outage here, which shows that none is lost.
      PROVIDER_WAIT_MS: '120000',
      LOG_LEVEL: 'warn',
    },
  });
  try {
    const providers = { chats: platform.fake.limits, images: google.limits, embeddings: mistral.limits };
    await measure(platform, providers, scenario);
  } finally {
    await platform.stop();
    await Promise.all([google.close(), mistral.close()]);
  }
}

async function measure(platform: Platform, providers: Providers, scenario: Scenario): Promise<void> {
  const { limits, changes = [], share, words = 0, use } = scenario;
  const users = [platform.client, ...(await Promise.all(Array.from({ length: USERS - 1 }, () => newcomer(platform))))];
  const change = (changed: Partial<FakeLimitSettings>) => {
    for (const one of Object.values(providers)) one.change(changed);
  };
  change(limits);
  const alone = await streamsOf(users, 'alone', AbortSignal.timeout(ALONE_MS));
  const ending = new AbortController();
  const { signal } = ending;
  const streaming = streamsOf(users, 'beside', signal);
  const samples = sampleUse(providers.chats, signal);
  const background = [changeLater(change, changes, signal), killWorkers(platform, signal)];
  const part = share * Number(process.env.LANES_SHARE ?? 1);
  const load = Object.fromEntries(
    Object.entries(WHOLE).map(([what, count]) => [what, Math.ceil((count * part) / USERS)]),
  ) as unknown as Load;
  const results = await Promise.all(users.map((user, at) => runLoad(user, `u${at}`, load, { ...MODELS, words })));
  ending.abort();
  const beside = await streaming;
  await Promise.all(background);

  const failed = [...results.flatMap((one) => one.failed), ...beside.failed];
  report('failed', String(failed.length), 'aim: 0');
  for (const one of failed.slice(0, 3)) console.log('   ', JSON.stringify(one).slice(0, 300));
  const repeated = await repeatedCalls(users, Object.values(providers));
  report('sent again after an answer, without a kill', String(repeated), 'aim: 0');
  for (const [what, { counts }] of Object.entries(providers)) {
    const { refused, accepted } = counts;
    report(
      `refused, ${what}`,
      `${((100 * refused) / Math.max(1, refused + accepted)).toFixed(1)}%`,
      'aim: ≤ 2% once learned',
    );
  }
  // From when the lane has learned until the first user's chats have ended.
  const until = Math.min(...results.map(({ endedAt }) => endedAt.at(-1) ?? 0));
  const used = meanUse(await samples, LEARNED_MS, until);
  if (use !== null) report('use of what was allowed, chats', `${(100 * used).toFixed(0)}%`, `aim: ≥ ${100 * use}%`);
  const shown = ({ firstMs }: { firstMs: number[] }) =>
    [0.5, 0.9].map((one) => percentile(firstMs, one).toFixed(0)).join(' / ');
  report('first token of streams alone (ms, p50 / p90)', shown(alone));
  report('first token of streams beside the load', shown(beside), 'aim: ≤ 1.2 ×');
  report('fairness between users', fairness(results).toFixed(2), 'aim: ≤ 1.2');
  report('time (s)', (Math.max(...results.map(({ tookMs }) => tookMs)) / 1_000).toFixed(0));
}

async function streamsOf(users: readonly ApiClient[], name: string, signal: AbortSignal) {
  const all = await Promise.all(
    Array.from({ length: STREAMS }, (_, at) =>
      runStreams(users[at % users.length] as ApiClient, `${name} ${at}`, MODELS.chatModel, signal),
    ),
  );
  return { firstMs: all.flatMap(({ firstMs }) => firstMs), failed: all.flatMap(({ failed }) => failed) };
}

/** Compares how many of each user's chats had ended when the first user was almost done. */
function fairness(results: readonly LoadResult[]): number {
  const end = 0.9 * Math.min(...results.map(({ endedAt }) => endedAt.at(-1) ?? 0));
  const counts = results.map(({ endedAt }) => endedAt.filter((one) => one <= end).length);
  return Math.max(...counts) / Math.max(1, Math.min(...counts));
}

/** Counts calls that were sent again although their execution had an answer, and no worker of it was killed. */
async function repeatedCalls(users: readonly ApiClient[], providers: readonly FakeLimits[]): Promise<number> {
  const again = new Set(providers.flatMap(({ counts }) => counts.sentAgain));
  if (again.size === 0) return 0;
  let lost = 0;
  for (const user of users)
    for (let after = ''; ; ) {
      const { body } = await user.get(`/jobs?limit=100${after === '' ? '' : `&after=${after}`}`);
      lost += body.data.filter(({ attempt }: { attempt: number }) => attempt > 1).length;
      after = body.next_cursor;
      if (!body.has_more) break;
    }
  return Math.max(0, again.size - lost);
}

interface Sample {
  atMs: number;
  /** Calls at once, and those that are allowed. */
  running: number;
  concurrent: number | null;
  /** Since the provider started. */
  accepted: number;
  used: number;
  /** Whether it has a limit per minute, and not used it up. */
  isAmple: boolean;
  requests: number | null;
  tokens: number | null;
}

async function sampleUse(limits: FakeLimits, signal: AbortSignal): Promise<Sample[]> {
  const samples: Sample[] = [];
  const begunAt = performance.now();
  while (!signal.aborted) {
    const { running, accepted, tokens: used, allowed, isShort } = limits.counts;
    const { concurrent } = limits.settings;
    const isAmple = concurrent === null && !isShort;
    samples.push({ atMs: performance.now() - begunAt, running, concurrent, accepted, used, isAmple, ...allowed });
    await pause(100);
  }
  return samples;
}

/**
 * Returns the mean share of the allowed calls in use, or the share of the allowed requests or tokens that were used,
 * from when the first minute's worth was used up.
 */
function meanUse(samples: readonly Sample[], fromMs: number, toMs: number): number {
  const learned = samples.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  const those = learned.slice(learned.findIndex(({ isAmple }) => !isAmple));
  const [first, last] = [those[0], those.at(-1)];
  if (!first || !last) return Number.NaN;
  const { requests, tokens } = last;
  if (requests !== null) return (last.accepted - first.accepted) / (requests - (first.requests ?? 0));
  if (tokens !== null) return (last.used - first.used) / (tokens - (first.tokens ?? 0));
  const shares = those.map(({ running, concurrent }) => running / (concurrent ?? 1));
  return shares.reduce((sum, one) => sum + Math.min(1, one), 0) / shares.length;
}

async function changeLater(
  change: (limits: Partial<FakeLimitSettings>) => void,
  changes: NonNullable<Scenario['changes']>,
  signal: AbortSignal,
): Promise<void> {
  const begunAt = performance.now();
  for (const { afterMs, limits } of changes) {
    await pause(Math.max(0, begunAt + afterMs - performance.now()), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    change(limits);
  }
}

async function killWorkers(platform: Platform, signal: AbortSignal): Promise<void> {
  const kinds = [platform.textWorkers, platform.mediaWorkers, platform.knowledgeWorkers];
  for (let round = 0; ; round += 1) {
    await pause(KILL_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const workers = kinds[round % kinds.length] ?? [];
    const worker = workers[Math.floor(round / kinds.length) % workers.length];
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
