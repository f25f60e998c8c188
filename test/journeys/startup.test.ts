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

test('waits for each store at startup, logs that once per process, and continues', async () => {
  const [redis, store, folder] = await Promise.all([startRedis(), startStore(), mkdtemp(join(tmpdir(), 'chs-'))]);
  const open: { close(): void }[] = [];
  onTestFinished(async () => {
    await Promise.all(processes.map((one) => one.end('SIGKILL')));
    for (const one of open) one.close();
    await Promise.all([redis.stop(), store.stop(), rm(folder, { recursive: true, force: true })]);
  });
  const storeSocket = decodeURIComponent(/^mongodb:\/\/([^/]+)/.exec(store.uri)?.[1] ?? '');
  const stores = [
    { variable: 'MONGODB_URI', port: await freePort(), target: storeSocket },
    { variable: 'REDIS_URL', port: await freePort(), target: redis.socketPath },
  ];
  const env = {
    DATA_DIR: folder,
    // Neither server requires a password; both get one.
    MONGODB_URI: `mongodb://127.0.0.1:${stores[0]?.port}/chorus?appName=${SECRET}`,
    REDIS_URL: `redis://127.0.0.1:${stores[1]?.port}/?password=${SECRET}`,
    ADMIN_PASSWORD: randomUUID(),
    PORT: '0',
  };
  const processes = Object.entries(MAINS).map(([name, main]) => new PlatformProcess(name, main, env));
  const starting = processes.map((one) => one.start());
  for (const one of starting) one.catch(() => undefined);
  const said = (one: PlatformProcess, text: string) => one.log.filter((line) => line.includes(text));
  const waits = ({ variable, port }: { variable: string; port: number }) =>
    `${variable}: no answer from 127.0.0.1:${port}`;
  // They need the document store first.
  for (const each of stores) {
    const all = (text: string) => () => processes.every((one) => said(one, text).length > 0);
    await poll(`all processes log that they wait for ${each.variable}`, all(waits(each)), 60_000);
    open.push(await forward(each.port, each.target));
    const answers = `${each.variable}: 127.0.0.1:${each.port} answers`;
    await poll(`all processes log that ${each.variable} answers`, all(answers), 60_000);
  }
  await Promise.all(starting);
  for (const one of processes) {
    const warnings = one.log.filter((line) => /"level":"(warn|error|fatal)"/.test(line) || !line.startsWith('{'));
    expect([one.name, warnings.filter((line) => !/MONGODB_URI|REDIS_URL/.test(line))]).toEqual([one.name, []]);
    for (const each of stores) expect([one.name, said(one, waits(each)).length]).toEqual([one.name, 1]);
    expect(one.log.join('\n')).not.toMatch(new RegExp(`${SECRET}|\\n\\s+at `));
  }
});

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
