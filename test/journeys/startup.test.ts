import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startRedis, startStore } from '@chorus/testing';
import { expect, onTestFinished, test } from 'vitest';
import { PlatformProcess } from './platform-process.ts';
import { poll } from './poll.ts';

/** Each kind of process; all workers start as the text worker does. */
const MAINS = {
  api: 'apps/api/src/main.ts',
  text: 'workers/text/src/main.ts',
  maintenance: 'apps/maintenance/src/main.ts',
};
const SECRET = 'geheim';

test.each(['REDIS_URL', 'MONGODB_URI'])(
  'waits for %s at startup, logs that once per process, and continues',
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
      // Neither server requires a password; both get one.
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
    await poll('all processes log that they wait', () => processes.every((one) => said(one, waits).length > 0), 60_000);
    open.push(await forward(port, targets[variable as keyof typeof targets]));
    await Promise.all(starting);
    await poll(
      'all processes log that it answers',
      () => processes.every((one) => said(one, 'answers').length > 1),
      60_000,
    );
    for (const one of processes) {
      const warnings = one.log.filter((line) => /"level":"(warn|error|fatal)"/.test(line) || !line.startsWith('{'));
      expect([one.name, warnings.filter((line) => !line.includes(variable))]).toEqual([one.name, []]);
      expect([one.name, said(one, waits).length]).toEqual([one.name, 1]);
      expect(one.log.join('\n')).not.toMatch(new RegExp(`${SECRET}|\\n\\s+at `));
    }
  },
);

/** Forwards connections to a Unix socket. */
async function forward(port: number, path: string): Promise<{ close(): void }> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    const target = connect(path);
    for (const socket of [client, target]) keep(socket);
    client.pipe(target).pipe(client);
    client.on('close', () => target.destroy());
    target.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
