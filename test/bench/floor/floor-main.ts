// Runs Redis, the store, an API, and a worker. Reports the API's URL. Argument: base URL of the provider.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startRedis, startStore } from '@chorus/testing';

const [redis, store] = await Promise.all([startRedis(), startStore()]);
const run = (file: string, argument = '') =>
  fork(fileURLToPath(new URL(file, import.meta.url)), [redis.socketPath, store.uri, argument]);
const api = run('floor-api.ts');
const worker = run('floor-worker.ts', process.argv[2]);
process.on('SIGTERM', async () => {
  for (const child of [api, worker]) child.kill();
  await Promise.all([redis.stop(), store.stop()]);
  process.exit(0);
});
const [[url]] = await Promise.all([once(api, 'message'), once(worker, 'message')]);
process.send?.(url);
