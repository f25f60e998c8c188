import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { BenchPlatform } from './platform.ts';
import { heading, median, rate, report } from './report.ts';

const CALLERS = 32;
const PER_ROUND = 3_000;
const ROUNDS = 3;
const SESSIONS = 60;

/** Compares a session list and a message list with a bare Express route that runs the same query, in turn. */
export async function reads(platform: BenchPlatform): Promise<void> {
  heading(`Reads, ${CALLERS} callers (${PER_ROUND.toLocaleString('en')} per round, ${ROUNDS} rounds in turn)`);
  const call = async (method: string, path: string, body?: object) => {
    const init = { method, headers: platform.headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    return (await fetch(platform.api + path, init)).json() as Promise<Record<string, string>>;
  };
  for (let n = 0; n < SESSIONS; n += 1) await call('POST', '/sessions', { title: `Session number ${n}` });
  const turn = await call('POST', '/chat/completions', { message: 'hi', model: 'compatible/words-20' });
  const { id: userId } = await call('GET', '/me');

  const socket = encodeURIComponent(join(platform.dataDir, 'run', 'store.sock'));
  const peer = spawn(process.execPath, ['test/bench/bare-express.ts', `mongodb://${socket}/chorus`, String(userId)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(createInterface({ input: peer.stdout }), 'line')) as [string];
    const { url } = JSON.parse(line) as { url: string };
    for (const [name, path] of [
      ['session list', '/sessions'],
      ['message', `/messages/${turn.message_id}`],
    ] as const) {
      const ours = () => read(platform.api + path, platform.headers);
      const theirs = () => read(url + path, {});
      await rate(ours, PER_ROUND, CALLERS);
      await rate(theirs, PER_ROUND, CALLERS);
      const rates: [ours: number, theirs: number][] = [];
      for (let round = 0; round < ROUNDS; round += 1)
        rates.push([await rate(ours, PER_ROUND, CALLERS), await rate(theirs, PER_ROUND, CALLERS)]);
      report(
        `${name}: requests per second (median)`,
        Math.round(median(rates.map(([one]) => one))).toLocaleString('en'),
      );
      report(`${name}: bare Express route`, Math.round(median(rates.map(([, one]) => one))).toLocaleString('en'));
      report(`${name}: ratio (median of the rounds)`, median(rates.map(([one, other]) => one / other)).toFixed(2));
    }
  } finally {
    peer.kill();
  }
}

async function read(url: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, { headers });
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}
