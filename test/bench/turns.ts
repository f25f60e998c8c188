import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startFloor } from './floor/start-floor.ts';
import type { BenchPlatform } from './platform.ts';
import { INSTALL_PORTKEY, startPortkey } from './portkey.ts';
import { cpuBetween, cpuByName } from './process-family.ts';
import { heading, percentile, report } from './report.ts';
import { readStream } from './stream-client.ts';

interface Load {
  model: string;
  words: number;
  callers: number;
  turns: number;
}

/** Words of a model, and the milliseconds between them. */
const LOADS: Load[] = [
  { model: 'words-5-delay-2', words: 5, callers: 1, turns: 200 },
  { model: 'words-1-delay-0', words: 1, callers: 50, turns: 2_000 },
  { model: 'words-20-delay-5', words: 20, callers: 50, turns: 1_000 },
  { model: 'words-50-delay-20', words: 50, callers: 50, turns: 200 },
  { model: 'words-200-delay-0', words: 200, callers: 200, turns: 400 },
];

const WARM_UP = 1_000;
const WATCHED_TURNS = 500;

const MESSAGES = [{ role: 'user', content: 'Count.' }];

interface Target {
  name: string;
  pid: number | null;
  url: string;
  headers: Record<string, string>;
  body: (model: string) => object;
}

/**
 * Sends the same turns to the provider, to Chorus, to the floor (see `startFloor`), and to Portkey's gateway if
 * installed, in turn.
 * Shows turns per second, the first token, words per second, and CPU time by process.
 */
export async function turns(platform: BenchPlatform): Promise<void> {
  heading('Turns, beside the provider, the least that these parts need, and a proxy');
  const { PORTKEY_NODE } = process.env;
  const [floor, portkey, otherPortkey] = await Promise.all([
    startFloor(platform.provider),
    startPortkey(),
    PORTKEY_NODE ? startPortkey(PORTKEY_NODE) : null,
  ]);
  if (!portkey) console.log(`  Without Portkey's gateway. To compare with it: ${INSTALL_PORTKEY}`);
  console.log(`  Portkey* runs on the Node of PORTKEY_NODE (${PORTKEY_NODE ?? 'not set'}). Its own image has Node 20.`);
  const json = { 'content-type': 'application/json', authorization: 'Bearer none' };
  const chorus = { pid: platform.pid, url: `${platform.api}/chat/completions`, headers: platform.headers };
  const targets: Target[] = [
    {
      name: 'provider',
      pid: null,
      url: `${platform.provider}/chat/completions`,
      headers: json,
      body: (model) => ({ model, messages: MESSAGES }),
    },
    { ...chorus, name: 'messages', body: (model) => ({ model: `compatible/${model}`, messages: MESSAGES }) },
    { ...chorus, name: 'message', body: (model) => ({ model: `compatible/${model}`, message: 'Count.' }) },
    {
      name: 'floor',
      pid: floor.pid,
      url: floor.url,
      headers: json,
      body: (model) => ({ model, messages: MESSAGES }),
    },
  ];
  for (const [name, peer] of Object.entries({ Portkey: portkey, 'Portkey*': otherPortkey })) {
    if (!peer) continue;
    targets.push({
      name,
      pid: peer.pid,
      url: `${peer.url}/v1/chat/completions`,
      headers: { ...json, 'x-portkey-provider': 'openai', 'x-portkey-custom-host': platform.provider },
      body: (model) => ({ model, messages: MESSAGES }),
    });
  }
  const redis = new Redis(join(platform.dataDir, 'run', 'redis.sock'));
  try {
    for (const target of targets) await run(target, { ...(LOADS[2] as Load), turns: WARM_UP });
    const ours = targets.filter(({ pid }) => pid === platform.pid);
    for (const load of LOADS.slice(0, 2)) {
      console.log(`\n  Commands to Redis per turn, ${load.callers} at a time, ${load.model}`);
      for (const target of ours) await showCommands(target, load, redis);
    }
    for (const target of ours) await showLeft(target, redis);
    for (const load of LOADS) {
      console.log(`\n  ${load.callers} at a time, ${load.model}`);
      for (const target of targets) await show(target, load);
    }
  } finally {
    redis.disconnect();
    floor.stop();
    portkey?.stop();
    otherPortkey?.stop();
  }
}

async function show(target: Target, load: Load): Promise<void> {
  // Each model has a lane, which begins with ten calls at once.
  await run(target, { ...load, turns: 2 * load.callers });
  const before = target.pid === null ? null : cpuByName(target.pid);
  const { seconds, firsts, words } = await run(target, load);
  const figures = [
    `${(load.turns / seconds).toFixed(0)} turns/s`,
    `first ${percentile(firsts, 0.5).toFixed(1)} / ${percentile(firsts, 0.99).toFixed(1)} ms`,
    `${Math.round(words / seconds).toLocaleString('en')} words/s`,
  ];
  if (words !== load.turns * load.words) figures.push(`${load.turns * load.words - words} WORDS LOST`);
  if (before && target.pid !== null) {
    const used = cpuBetween(before, cpuByName(target.pid)).filter(([, ms]) => ms > 0);
    const perTurn = (ms: number) => (ms / load.turns).toFixed(2);
    figures.push(`CPU ${perTurn(used.reduce((sum, [, ms]) => sum + ms, 0))} ms/turn`);
    if (used.length > 1) figures.push(`(${used.map(([name, ms]) => `${name} ${perTurn(ms)}`).join(', ')})`);
  }
  console.log(`  ${target.name.padEnd(9)} ${figures.join(' · ')}`);
}

/** Runs turns in a closed loop. Times are in milliseconds, medians and 99th percentiles of the first token. */
async function run({ url, headers, body }: Target, { model, callers, turns: count }: Load) {
  const firsts: number[] = [];
  const bodies: string[] = [];
  let left = count;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left > 0) {
        left -= 1;
        const read = await readStream(url, headers, { ...body(model), stream: true }, { keep: true });
        firsts.push(read.firstTextMs);
        bodies.push(read.body);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  return { seconds, firsts, words: bodies.reduce((sum, one) => sum + wordsIn(one), 0) };
}

/** Counts words in the deltas of a stream. */
function wordsIn(stream: string): number {
  let words = 0;
  for (const [, text = ''] of stream.matchAll(/"delta":\{[^}]*?"content":"([^"]+)"/g))
    words += text.trim().split(' ').length;
  return words;
}

/** Lists the Redis commands of one turn, except those within scripts. */
async function showCommands(target: Target, load: Load, redis: Redis): Promise<void> {
  const monitor = await redis.monitor();
  const sent = new Map<string, number>();
  monitor.on('monitor', (_time: string, [command = '']: string[], source: string) => {
    if (source !== 'lua') sent.set(command.toLowerCase(), (sent.get(command.toLowerCase()) ?? 0) + 1);
  });
  await run(target, { ...load, turns: WATCHED_TURNS });
  monitor.disconnect();
  const perTurn = [...sent].map(([name, count]): [string, number] => [name, count / WATCHED_TURNS]);
  const listed = perTurn.filter(([, count]) => count >= 0.2).sort(([, one], [, other]) => other - one);
  const total = listed.reduce((sum, [, count]) => sum + count, 0);
  console.log(
    `  ${target.name.padEnd(9)} ${total.toFixed(1)}: ${listed.map(([name, n]) => `${name} ${n.toFixed(1)}`).join(', ')}`,
  );
}

/** Measures how much data a turn leaves in Redis. */
async function showLeft(target: Target, redis: Redis): Promise<void> {
  const load = LOADS[2] as Load;
  const used = async () => Number(/used_memory_dataset:(\d+)/.exec(await redis.info('memory'))?.[1]);
  const before = await used();
  await run(target, load);
  report(
    `left in Redis by a turn of ${load.words} words (KB), ${target.name}`,
    (((await used()) - before) / load.turns / 1024).toFixed(1),
    'aim 1.5',
  );
}
