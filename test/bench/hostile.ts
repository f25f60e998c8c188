import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchPlatform, startPlatform } from './platform.ts';
import { residentOf } from './process-family.ts';
import { heading, percentile, report } from './report.ts';

const ATTACK_MS = 6_000;

const ASK_EVERY_MS = 10;

const ATTACKS: Record<string, string> = {
  nothing: 'nothing, as a baseline',
  parts: 'a message with 1.3 million empty parts',
  'wrong-parts': '49 messages with 1,000 invalid parts each',
  'right-parts': 'a refused request with 9,600 valid parts',
  text: 'a 4 MB text',
  escapes: '4 MB of escapes',
  login: 'a login with 380,000 unknown fields',
  refresh: 'a refresh with 1.9 million brackets',
  batch: 'a 32 MB batch of one item',
  items: 'a batch of 10,000 invalid items',
  voice: 'a 2.6 MB session.update on the voice socket',
};

/** Measures a user's requests while eight attackers send the most expensive input. */
export async function hostile(): Promise<void> {
  const platform = await startPlatform({
    RATE_LIMIT_ANONYMOUS: '100000000',
    // Opening a voice socket then starts no local engine.
    OPENAI_API_KEY: 'bench',
    DEFAULT_SPEECH_MODEL: 'openai/tts-1',
    DEFAULT_TRANSCRIPTION_MODEL: 'openai/whisper-1',
  });
  try {
    const bystander = await otherUser(platform);
    await measure(platform, bystander, 'nothing'); // warm-up
    for (const [name, title] of Object.entries(ATTACKS)) {
      heading(`Eight at a time: ${title}`);
      await measure(platform, bystander, name);
    }
  } finally {
    await platform.stop();
  }
}

async function measure(platform: BenchPlatform, bystander: Record<string, string>, name: string) {
  const args = ['test/bench/hostile-attackers.ts', name, platform.api, JSON.stringify(platform.headers)];
  const attackers = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: attackers.stdout });
  const output = lines[Symbol.asyncIterator]();
  await output.next();
  await longestDelay(platform);
  const ends = performance.now() + ATTACK_MS;
  const taken: Record<string, number[]> = { '/healthz': [], 'GET /sessions': [] };
  const asking: Promise<void>[] = [];
  while (performance.now() < ends) {
    asking.push(ask(new URL('/healthz', platform.api).href, {}, taken['/healthz'] as number[]));
    asking.push(ask(`${platform.api}/sessions`, bystander, taken['GET /sessions'] as number[]));
    await sleep(ASK_EVERY_MS);
  }
  await Promise.all(asking);
  const delay = await longestDelay(platform);
  attackers.stdin.end();
  report('attacks answered', String((await output.next()).value));
  for (const [what, values] of Object.entries(taken)) {
    report(`${what}: p50 (ms), ${values.length} asked`, percentile(values, 0.5).toFixed(1));
    report(`${what}: p99 (ms)`, percentile(values, 0.99).toFixed(1), 'aim under 100');
  }
  report('longest event loop delay (ms)', delay.toFixed(0));
  report('memory of the API (MB)', residentOf(platform.pid, 'apps/api').toFixed(0));
}

async function longestDelay({ api }: BenchPlatform): Promise<number> {
  const text = await (await fetch(new URL('/metrics', api))).text();
  return Number(/^nodejs_eventloop_lag_max_seconds ([\d.]+)/m.exec(text)?.[1] ?? Number.NaN) * 1_000;
}

async function ask(url: string, headers: Record<string, string>, taken: number[]): Promise<void> {
  const startedAt = performance.now();
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
  taken.push(performance.now() - startedAt);
}

async function otherUser({ api, headers }: BenchPlatform): Promise<Record<string, string>> {
  const call = async (path: string, body: object, sent: Record<string, string>) => {
    const response = await fetch(api + path, { method: 'POST', headers: sent, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const login = { email: 'bystander@localhost.test', password: 'bystander-password-1' };
  const workspace = await call('/workspaces', { name: 'Bystanders' }, headers);
  const invited = await call(`/workspaces/${workspace.id}/invitations`, { email: login.email }, headers);
  const json = { 'content-type': 'application/json' };
  await call('/invitations/accept', { token: invited.token, password: login.password }, json);
  const { access_token } = await call('/auth/login', login, json);
  const own = {
    authorization: `Bearer ${access_token}`,
    'x-scope-type': 'personal',
    'content-type': 'application/json',
  };
  for (let at = 0; at < 20; at += 1) await call('/sessions', { title: `Session ${at}` }, own);
  return own;
}
