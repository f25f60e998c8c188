import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startRedis, startStore } from '@chorus/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { workerPools } from './platform-processes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Writes down every module that a process loads. */
const NOTE_MODULES = `
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED_MODULES, url + '\\n');
    return next(url, context);
  },
});
`;

test('with MONGODB_URI set nothing of the built-in store is started or loaded', { timeout: 90_000 }, async () => {
  const [redis, mongodb] = await Promise.all([startRedis(), startStore()]);
  const dataDir = mkdtempSync(join(tmpdir(), 'chg-'));
  const loaded = join(dataDir, 'modules');
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env;
  const run = spawn(process.execPath, [join(root, 'scripts/supervisor/main.ts'), root], {
    env: {
      PATH,
      HOME,
      ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
      PORT: '0',
      DATA_DIR: dataDir,
      REDIS_URL: redis.url,
      MONGODB_URI: mongodb.uri,
      ADMIN_PASSWORD: 'correct horse',
      LOADED_MODULES: loaded,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NOTE_MODULES)}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    if (run.exitCode === null) {
      const ended = once(run, 'exit');
      run.kill('SIGTERM');
      await ended;
    }
    await Promise.all([redis.stop(), mongodb.stop()]);
    rmSync(dataDir, { recursive: true, force: true });
  });
  let output = '';
  for (const stream of [run.stdout, run.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  await vi.waitFor(() => expect(output).toContain('Ctrl-C stops it.'), { timeout: 60_000, interval: 50 });

  const processes: { name: string }[] = JSON.parse(readFileSync(join(dataDir, 'run/processes.json'), 'utf8'));
  const pools = workerPools(root);
  expect(processes.map(({ name }) => name).sort()).toEqual(['api', 'guard', ...pools.map((pool) => `worker-${pool}`)]);
  expect(existsSync(join(dataDir, 'store'))).toBe(false);
  const modules = readFileSync(loaded, 'utf8').split('\n');
  for (const main of ['apps/api', ...pools.map((pool) => `workers/${pool}`)])
    expect(
      modules.some((url) => url.endsWith(`${main}/src/main.ts`)),
      main,
    ).toBe(true);
  expect(modules.filter((url) => url.includes('packages/document-store/'))).toEqual([]);
});
