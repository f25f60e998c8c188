import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '@chorus/testing';

const ROOT = new URL('../..', import.meta.url).pathname;

export const BENCH_LOGIN = { email: 'bench@localhost.test', password: 'bench-password-1' };

export interface BenchPlatform {
  api: string;
  provider: string;
  headers: Record<string, string>;
  dataDir: string;
  startMs: number;
  /** Process id of the supervisor. */
  pid: number;
  stop(): Promise<void>;
}

export async function startPlatform(env: Record<string, string> = {}, login = BENCH_LOGIN): Promise<BenchPlatform> {
  const fake = await startFake();
  const dataDir = mkdtempSync(join(tmpdir(), 'chorus-bench-'));
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: ROOT,
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      ADMIN_EMAIL: login.email,
      ADMIN_PASSWORD: login.password,
      COMPATIBLE_BASE_URL: fake.url,
      ...(env.OPENAI_API_KEY && { OPENAI_BASE_URL: fake.url }),
      LOG_LEVEL: 'warn',
      // One user sends all requests.
      // Measures answers alone.
      TITLE_MODEL: 'off',
      RATE_LIMIT_READS: '100000000',
      RATE_LIMIT_WRITES: '100000000',
      RATE_LIMIT_EXECUTIONS: '100000000',
      MAX_CONNECTIONS: '100000',
      MAX_CONNECTIONS_PER_ADDRESS: '100000',
      EVENT_STREAMS_PER_USER: '100000',
      WAITING_REQUESTS_PER_USER: '100000',
      VOICE_SOCKETS_PER_USER: '100000',
      UPLOADS_PER_USER: '10000',
      EXECUTIONS_PER_USER: '1000000',
      BATCHES_PER_USER: '100000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await lineOf(child, /Chorus is ready/);
  const startMs = performance.now() - startedAt;
  const api = `http://127.0.0.1:${port}/api/v1`;
  const answer = await fetch(`${api}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(login),
  });
  if (!answer.ok) throw new Error(`login: ${answer.status} ${await answer.text()}`);
  const { access_token } = (await answer.json()) as { access_token: string };
  return {
    api,
    provider: fake.url,
    dataDir,
    startMs,
    headers: {
      authorization: `Bearer ${access_token}`,
      'x-scope-type': 'personal',
      'content-type': 'application/json',
    },
    pid: child.pid as number,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      fake.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function startFake(): Promise<{ url: string; stop: () => void }> {
  const child = spawn(process.execPath, ['packages/testing/src/fake-openai-main.ts', '--models', 'words-20,tts-1'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await lineOf(child, /^\{/);
  return { url: (JSON.parse(line) as { url: string }).url, stop: () => child.kill('SIGTERM') };
}

async function lineOf(child: ChildProcess, pattern: RegExp): Promise<string> {
  if (!child.stdout) throw new Error('the process has no stdout');
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    if (!pattern.test(line)) continue;
    child.stdout.resume();
    return line;
  }
  throw new Error(`the process ended before it printed ${pattern}`);
}
