import { startRedisCluster } from '@chorus/testing';
import { Redis } from 'ioredis';
import { newcomer } from './fairness-documents.ts';
import { type BenchPlatform, startPlatform } from './platform.ts';
import { cpuBetween, cpuByName } from './process-family.ts';
import { heading, percentile } from './report.ts';
import { readStream } from './stream-client.ts';
import { startTwin, type Twin } from './twin-process.ts';

interface Load {
  model: string;
  callers: number;
  turns: number;
}

const WARM_UP: Load = { model: 'words-20-delay-5', callers: 64, turns: 300 };
const SHORT: Load = { ...WARM_UP, turns: 1_500 };
const ON_CLUSTER: Load = { ...WARM_UP, turns: 3_000 };
/** Turns of ten seconds, with 20 words a second each, within one user's share of the places. */
const STREAMS: Load = { model: 'words-200-delay-50', callers: 180, turns: 360 };

/** Text workers and APIs. */
const SIZES = [
  [1, 1],
  [2, 1],
  [4, 1],
  [1, 2],
  [2, 2],
  [4, 2],
] as const;

const SHARDS = [1, 6, 12];
const USERS = 48;
const IDLE_MS = 5_000;

/** Shows turns per second by number of processes, and Redis CPU by number of shards on a cluster of three nodes. */
export async function scaling(): Promise<void> {
  const platform = await startPlatform();
  try {
    heading(`Scale out: ${SHORT.callers} callers, ${SHORT.model}, all on this machine`);
    for (const [workers, apis] of SIZES) await showSize(platform, workers, apis);
    heading(`${STREAMS.callers} concurrent streams, ${STREAMS.model}`);
    await showLoad([platform], STREAMS, '1 worker, 1 API');
  } finally {
    await platform.stop();
  }
  heading(`Shards: a Redis Cluster of three nodes, ${USERS} users, 2 text workers`);
  for (const shards of SHARDS) await showShards(shards);
}

async function showSize(platform: BenchPlatform, workers: number, apis: number): Promise<void> {
  const twins: Twin[] = [];
  for (let count = 1; count < workers; count += 1) twins.push(await startTwin(platform.pid, 'workers/text'));
  for (let count = 1; count < apis; count += 1) twins.push(await startTwin(platform.pid, 'apps/api'));
  const urls = twins.flatMap(({ url }) => (url === undefined ? [] : [`${url}/api/v1`]));
  const senders = [platform.api, ...urls].map((api) => ({ api, headers: platform.headers }));
  await run(senders, WARM_UP);
  await showLoad(senders, SHORT, `${workers} workers, ${apis} APIs`);
  await Promise.all(twins.map((twin) => twin.stop()));
}

async function showLoad(senders: readonly Sender[], load: Load, name: string): Promise<void> {
  const before = cpuByName(process.pid);
  const { seconds, firsts } = await run(senders, load);
  const used = cpuBetween(before, cpuByName(process.pid)).filter(([, ms]) => ms >= 20 * seconds);
  const shares = used.map(([each, ms]) => {
    const cores = (ms / 1_000 / seconds).toFixed(2);
    return `${each} ${cores} (${(ms / load.turns).toFixed(1)})`;
  });
  const first = `first ${percentile(firsts, 0.5).toFixed(0)} / ${percentile(firsts, 0.99).toFixed(0)} ms`;
  console.log(`  ${name}: ${(load.turns / seconds).toFixed(0)} turns/s · ${first}`);
  console.log(`    cores (ms per turn): ${shares.join(', ')}`);
}

async function showShards(shards: number): Promise<void> {
  const cluster = await startRedisCluster();
  const nodes = cluster.url.split(',').map((url) => new Redis(url));
  const env = { REDIS_URL: cluster.url, REDIS_CLUSTER: 'true', QUEUE_SHARDS: String(shards) };
  const platform = await startPlatform(env);
  const twin = await startTwin(platform.pid, 'workers/text');
  try {
    const senders: Sender[] = [];
    for (let count = 0; count < USERS; count += 1)
      senders.push({ api: platform.api, headers: await newcomer(platform) });
    await run(senders, WARM_UP);
    const idle = await cpuDuring(nodes, () => new Promise((resolve) => setTimeout(resolve, IDLE_MS)));
    let seconds = 0;
    const busy = await cpuDuring(nodes, async () => {
      ({ seconds } = await run(senders, ON_CLUSTER));
    });
    const perTurn = busy.map((ms, node) => (ms - ((idle[node] ?? 0) * seconds * 1_000) / IDLE_MS) / ON_CLUSTER.turns);
    const figures = [
      `${perTurn.map((ms) => ms.toFixed(2)).join(' / ')} ms of CPU per turn by node`,
      `${(1_000 / Math.max(...perTurn)).toFixed(0)} turns per second of the busiest node's CPU`,
      `${(ON_CLUSTER.turns / seconds).toFixed(0)} turns/s`,
      `idle ${idle.map((ms) => ((100 * ms) / IDLE_MS).toFixed(1)).join(' / ')} % of a core`,
    ];
    console.log(`  ${String(shards).padStart(2)} shards: ${figures.join(' · ')}`);
  } finally {
    await twin.stop();
    await platform.stop();
    for (const node of nodes) node.disconnect();
    await cluster.stop();
  }
}

/** Returns the milliseconds of CPU that each node used. */
async function cpuDuring(nodes: readonly Redis[], work: () => Promise<void>): Promise<number[]> {
  const before = await Promise.all(nodes.map(cpuMsOf));
  await work();
  const after = await Promise.all(nodes.map(cpuMsOf));
  return after.map((ms, node) => ms - (before[node] ?? 0));
}

async function cpuMsOf(node: Redis): Promise<number> {
  const info = await node.info('cpu');
  const seconds = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
  return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1_000;
}

interface Sender {
  api: string;
  headers: Record<string, string>;
}

/** Runs turns in a closed loop, from all senders in turn. */
async function run(
  senders: readonly Sender[],
  { model, callers, turns }: Load,
): Promise<{ seconds: number; firsts: number[] }> {
  const firsts: number[] = [];
  let begun = 0;
  const startedAt = performance.now();
  const caller = async () => {
    while (begun < turns) {
      const { api, headers } = senders[begun++ % senders.length] as Sender;
      const body = { model: `compatible/${model}`, messages: [{ role: 'user', content: 'Count.' }], stream: true };
      firsts.push((await readStream(`${api}/chat/completions`, headers, body)).firstTextMs);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { seconds: (performance.now() - startedAt) / 1_000, firsts };
}
