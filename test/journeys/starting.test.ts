import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startRedis, startStore } from '@chorus/testing';
import { expect, onTestFinished, test } from 'vitest';
import { PlatformProcess } from './platform-process.ts';
import { poll } from './poll.ts';
import { forward } from './tcp-forward.ts';

const MAINS = {
  api: 'apps/api/src/main.ts',
  text: 'workers/text/src/main.ts',
  media: 'workers/media/src/main.ts',
  system: 'workers/system/src/main.ts',
};
const SECRET = 'geheim';

test.each(['REDIS_URL', 'MONGODB_URI'])(
  'processes that start alone wait for %s, say so in one line each, and go on',
  async (variable) => {
    const [redis, store, folder] = await Promise.all([startRedis(), startStore(), mkdtemp(join(tmpdir(), 'chs-'))]);
    const ports = { REDIS_URL: await freePort(), MONGODB_URI: await freePort() };
    const open: { close(): void }[] = [];
    onTestFinished(async () => {
      await Promise.all(processes.map((one) => one.end('SIGKILL')));
      for (const one of open) one.close();
      await Promise.all([redis.stop(), store.stop(), rm(folder, { recursive: true, force: true })]);
    });
    const storeSocket = decodeURIComponent(/^mongodb:\/\/([^/]+)/.exec(store.uri)?.[1] ?? '');
    const targets = { REDIS_URL: redis.socketPath, MONGODB_URI: storeSocket };
    for (const [name, path] of Object.entries(targets))
      if (name !== variable) open.push(await forward(ports[name as keyof typeof ports], path));
    const env = {
      DATA_DIR: folder,
      // Neither Redis nor the store asks for a login; both are told one.
      REDIS_URL: `redis://127.0.0.1:${ports.REDIS_URL}/?password=${SECRET}`,
      MONGODB_URI: `mongodb://127.0.0.1:${ports.MONGODB_URI}/chorus?appName=${SECRET}`,
      ADMIN_PASSWORD: randomUUID(),
      PORT: '0',
    };
    const processes = Object.entries(MAINS).map(([name, main]) => new PlatformProcess(name, main, env));
    const starting = processes.map((one) => one.start());
    for (const one of starting) one.catch(() => undefined);
    const port = ports[variable as keyof typeof ports];
    const waits = `${variable}: no answer from 127.0.0.1:${port}`;
    const said = (one: PlatformProcess, text: string) => one.log.filter((line) => line.includes(text));
    await poll('all say that they wait', () => processes.every((one) => said(one, waits).length > 0), 60_000);
    open.push(await forward(port, targets[variable as keyof typeof targets]));
    await Promise.all(starting);
    await poll('all say that it answers', () => processes.every((one) => said(one, 'answers').length > 1), 60_000);
    for (const one of processes) {
      const warnings = one.log.filter((line) => /"level":"(warn|error|fatal)"/.test(line) || !line.startsWith('{'));
      expect([one.name, warnings.filter((line) => !line.includes(variable))]).toEqual([one.name, []]);
      expect([one.name, said(one, waits).length]).toEqual([one.name, 1]);
      expect(one.log.join('\n')).not.toMatch(new RegExp(`${SECRET}|\\n\\s+at `));
    }
  },
);
