import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ApiClient } from './api-client.ts';
import { poll } from './poll.ts';

export const ROOT = new URL('../..', import.meta.url).pathname;
const READY_WITHIN_MS = 100_000;

export interface RunResult {
  code: number;
  output: string;
}

export function run(env: NodeJS.ProcessEnv, program: string, ...args: string[]): Promise<RunResult> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: ROOT, env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, output: `${stdout}${stderr}` });
    });
  });
}

export interface StartedPlatform {
  url: string;
  client: ApiClient;
  stop(): Promise<void>;
}

/** Runs `npm start` and waits until the platform is ready. It ends with the test. */
export async function start(
  env: NodeJS.ProcessEnv,
  dataDir: string,
  login: { email: string; password: string },
): Promise<StartedPlatform> {
  const child: ChildProcess = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: ROOT,
    env: { ...env, CHORUS_TEST_KEEP_MEMORY: '1' },
    stdio: 'ignore',
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  onTestFinished(stop);
  const instance = join(dataDir, 'run', 'instance.json');
  const url = await poll(
    'the platform is ready',
    () => {
      if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
      const found = existsSync(instance) && JSON.parse(readFileSync(instance, 'utf8'));
      return found?.state === 'ready' && found.pid === child.pid ? (found.url as string) : undefined;
    },
    READY_WITHIN_MS,
  );
  return { url, client: await ApiClient.login(() => url, login), stop };
}
