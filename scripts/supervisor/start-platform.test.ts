import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { FakePlatform, type FakeRun } from './fake-platform.ts';
import { identityOf } from './process-identity.ts';
import { notedModules, notingModules } from './test-noted-modules.ts';

const platforms: FakePlatform[] = [];

afterEach(async () => {
  for (const platform of platforms.splice(0)) await platform.remove();
});

function fakePlatform(): FakePlatform {
  const platform = new FakePlatform();
  platforms.push(platform);
  return platform;
}

/** Processes start slowly on a busy machine; this bounds only tests that hang. */
const waitOptions = { timeout: 60_000, interval: 20 };

async function untilReady(run: FakeRun): Promise<string> {
  await vi.waitFor(() => expect(run.output()).toContain('Ctrl-C stops it.'), waitOptions);
  return /http:\/\/127\.0\.0\.1:\d+/.exec(run.output())?.[0] ?? '';
}

/** A server that accepts connections and never replies. */
async function listening(port: number): Promise<{ port: number; close: () => void }> {
  const server = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  server.unref();
  onTestFinished(() => void server.close());
  return { port: (server.address() as { port: number }).port, close: () => server.close() };
}

/** Returns a port that nothing listens on. */
async function freedPort(): Promise<number> {
  const { port, close } = await listening(0);
  close();
  return port;
}

async function untilGone(pids: number[]): Promise<void> {
  await vi.waitFor(() => expect(pids.filter((pid) => identityOf(pid) !== undefined)).toEqual([]), waitOptions);
}

test('starts the stores and the rest, prints the address and the login, and stops in order', async () => {
  const platform = fakePlatform();
  const run = platform.start();
  const url = await untilReady(run);
  expect(await (await fetch(url)).text()).toBe('up');
  expect(run.output()).toContain('admin@localhost   password: correct-horse   (shown only this once)');
  expect(run.output()).toContain('embedded/assistant');
  expect(platform.events()).toContainEqual(expect.stringMatching(/^worker store at mongodb:.*store\.sock\/chorus$/));
  const pids = platform.processes().map(({ pid }) => pid);
  expect(pids).toHaveLength(5); // guard, redis, store, api, worker

  run.child.kill('SIGINT');
  expect(await run.ended).toBe(0);
  const stopped = platform.events().filter((event) => /asked|ended|interrupted/.test(event));
  expect(new Set(stopped.slice(0, 4))).toEqual(new Set(['api asked', 'api ended', 'worker asked', 'worker ended']));
  expect(stopped.slice(4)).toEqual(['store asked', 'store ended']);
  await untilGone(pids);
});

test('with MONGODB_URI set nothing of the built-in store is started or loaded', async () => {
  const platform = fakePlatform();
  const loaded = join(platform.folder, 'modules');
  const { port } = await listening(0);
  const MONGODB_URI = `mongodb://127.0.0.1:${port}/chorus`;
  const run = platform.start({ MONGODB_URI, ...notingModules(loaded) });
  await untilReady(run);
  const names = platform.processes().map(({ name }) => name);
  expect(names.sort()).toEqual(['api', 'guard', 'redis', 'worker-text']);
  expect(platform.events()).toContain(`worker store at ${MONGODB_URI}`);
  expect(existsSync(join(platform.dataDir, 'store'))).toBe(false);
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(0);
  const modules = notedModules(loaded);
  for (const main of ['supervisor', 'api/src', 'workers/text/src'])
    expect(modules).toContainEqual(expect.stringContaining(`${main}/main.ts`));
  expect(modules.filter((url) => url.includes('document-store'))).toEqual([]);
});

test('a second start on the same data finds the first and leaves it alone', async () => {
  const platform = fakePlatform();
  const first = platform.start();
  const url = await untilReady(first);
  const second = platform.start();
  expect(await second.ended).toBe(0);
  expect(second.output()).toContain(
    `already running with this data (${platform.dataDir}): ${url} (process ${first.child.pid})`,
  );
  expect(await (await fetch(url)).text()).toBe('up');
});

test('a port in use is reported before anything starts', async () => {
  const platform = fakePlatform();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  const run = platform.start({ PORT: String(port) });
  expect(await run.ended).toBe(78);
  expect(run.output()).toContain(`Port ${port} is in use`);
  expect(platform.events()).toEqual([]);
  expect(existsSync(join(platform.dataDir, 'redis'))).toBe(false);
  other.close();
});

test('an invalid setting is named without its value', async () => {
  const run = fakePlatform().start({ PORT: 'eighty-eighty' });
  expect(await run.ended).toBe(78);
  expect(run.output()).toContain('PORT must be a whole number');
  expect(run.output()).not.toContain('eighty-eighty');
});

test('reports all wrong settings at once, and starts nothing', async () => {
  const platform = fakePlatform();
  const run = platform.start({
    PORT: 'eighty',
    DEFAULT_MODEL: 'none',
    S3_BUCKET: 'b',
    DATA_DIR: '/proc/none',
    TLS_CERT_FILE: '/x',
    TLS_KEY_FILE: '/y',
  });
  expect(await run.ended).toBe(78);
  for (const name of ['PORT', 'DEFAULT_MODEL', 'S3_ACCESS_KEY_ID', 'DATA_DIR', 'TLS_CERT_FILE', 'TLS_KEY_FILE'])
    expect(run.output()).toMatch(new RegExp(`^  ${name} `, 'm'));
  expect(run.output().trim().split('\n')).toHaveLength(9);
  expect(platform.events()).toEqual([]);
});

test.each([
  ['where nothing can be made', () => '/proc/none/data'],
  ['under a file', (platform: FakePlatform) => join(platform.folder, 'events', 'data')],
])('reports a DATA_DIR %s in one line', async (_name, folderOf) => {
  const platform = fakePlatform();
  const run = platform.start({ DATA_DIR: folderOf(platform) });
  expect(await run.ended).toBe(78);
  expect(run.output().trim().split('\n')).toEqual([
    "Chorus can't run with these settings:",
    expect.stringMatching(
      /^ {2}DATA_DIR can't be written \(\w+ at .*\): set it to a folder that this user may write\.$/,
    ),
  ]);
});

test('reports stores that do not answer once by variable and address, and waits for them', async () => {
  const platform = fakePlatform();
  const [redis, mongodb] = [await freedPort(), await freedPort()];
  const run = platform.start({
    REDIS_URL: `redis://user:pa/ss@word@127.0.0.1:${redis}/1`,
    MONGODB_URI: `mongodb://user:geheim@127.0.0.1:${mongodb}/chorus?authSource=x`,
  });
  await vi.waitFor(() => expect(run.output()).toContain('MONGODB_URI'), waitOptions);
  await vi.waitFor(() => expect(run.output()).toContain('REDIS_URL'), waitOptions);
  await listening(redis);
  await vi.waitFor(() => expect(run.output()).toContain(`REDIS_URL: 127.0.0.1:${redis} answers.`), waitOptions);
  expect(platform.events()).toEqual([]);
  await listening(mongodb);
  await untilReady(run);
  const waits = run
    .output()
    .split('\n')
    .filter((line) => line.includes('no answer from'));
  expect(waits.sort()).toEqual([
    `MONGODB_URI: no answer from 127.0.0.1:${mongodb} (ECONNREFUSED). Retrying until it answers …`,
    `REDIS_URL: no answer from 127.0.0.1:${redis} (ECONNREFUSED). Retrying until it answers …`,
  ]);
  expect(run.output()).not.toMatch(/pa\/ss|word@|geheim|user/);
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(0);
});

test('a process that is killed is started again', async () => {
  const platform = fakePlatform();
  const run = platform.start();
  await untilReady(run);
  const worker = platform.processes().find(({ name }) => name === 'worker-text');
  process.kill(worker?.pid ?? 0, 'SIGKILL');
  await vi.waitFor(() => expect(run.output()).toContain('is running again'), waitOptions);
  expect(run.output()).toContain('was ended by SIGKILL; restarting in 100 ms');
  expect(platform.events().filter((event) => event.startsWith('worker started'))).toHaveLength(2);
});

test('a process with an invalid configuration stops everything, and its message comes last', async () => {
  const platform = fakePlatform();
  platform.behave('worker', 'misconfigured');
  const run = platform.start();
  expect(await run.ended).toBe(78);
  expect(run.output().trim().split('\n').at(-1)).toContain('DEFAULT_MODEL must be provider/model');
  expect(platform.events()).toContain('store ended');
});

test('a process that never becomes ready ends the start, with its error', async () => {
  const platform = fakePlatform();
  platform.behave('api', 'crash');
  const run = platform.start();
  expect(await run.ended).toBe(1);
  expect(run.output()).toContain('the process api ended with exit code 1 repeatedly');
  expect(run.output()).toContain('Error: no such luck');
});

test('a process that exceeds its time is killed, and later stages still end in order', async () => {
  const platform = fakePlatform();
  platform.behave('worker', 'stuck');
  const run = platform.start({ SHUTDOWN_GRACE_MS: '200' });
  await untilReady(run);
  const pids = platform.processes().map(({ pid }) => pid);
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(0);
  expect(platform.events()).not.toContain('worker ended');
  expect(platform.events().at(-1)).toBe('store ended');
  await untilGone(pids);
});

test('a Ctrl-C that npm also forwards counts once; a later one stops everything immediately', async () => {
  const platform = fakePlatform();
  platform.behave('worker', 'stuck');
  const run = platform.start({ SHUTDOWN_GRACE_MS: '60000' });
  await untilReady(run);
  const pids = platform.processes().map(({ pid }) => pid);
  run.child.kill('SIGINT');
  run.child.kill('SIGINT');
  await vi.waitFor(() => expect(platform.events()).toContain('worker asked'), waitOptions);
  await vi.waitFor(() => {
    run.child.kill('SIGINT');
    expect(run.child.exitCode).toBe(130);
  }, waitOptions);
  await untilGone(pids);
});

test('when the supervisor is killed, its processes end in order, and the next start takes over', async () => {
  const platform = fakePlatform();
  const first = platform.start();
  await untilReady(first);
  const pids = platform.processes().map(({ pid }) => pid);
  first.child.kill('SIGKILL');
  await first.ended;
  const second = platform.start();
  await untilReady(second);
  await untilGone(pids);
  const asked = platform.events().filter((event) => event.endsWith('ended'));
  expect(asked.at(-1)).toBe('store ended');
  expect(new Set(asked)).toEqual(new Set(['api ended', 'worker ended', 'store ended']));
  second.child.kill('SIGTERM');
  expect(await second.ended).toBe(0);
});

test('when supervisor and guard are killed, the next start ends the leftovers', async () => {
  const platform = fakePlatform();
  const first = platform.start({ SHUTDOWN_GRACE_MS: '1000' });
  await untilReady(first);
  const left = platform.processes();
  first.child.kill('SIGSTOP'); // so that it can't start the guard again
  process.kill(left.find(({ name }) => name === 'guard')?.pid ?? 0, 'SIGKILL');
  first.child.kill('SIGKILL');
  await first.ended;
  const second = platform.start({ SHUTDOWN_GRACE_MS: '1000' });
  await untilReady(second);
  expect(second.output()).toContain('An earlier run was killed; waiting for its processes to end');
  await untilGone(left.map(({ pid }) => pid));
});

test('a data directory too deep for a socket works', async () => {
  const platform = fakePlatform();
  const dataDir = join(platform.folder, 'a folder with a name'.repeat(8));
  mkdirSync(dataDir, { recursive: true });
  const run = platform.start({ DATA_DIR: dataDir, TMPDIR: platform.folder });
  await untilReady(run);
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(0);
});

test('a killed Redis restarts with its data', async () => {
  const platform = fakePlatform();
  const run = platform.start();
  await untilReady(run);
  const socket = join(platform.dataDir, 'run/redis.sock');
  expect(await askRedis(socket, 'SET turn 42')).toContain('+OK');
  process.kill(platform.processes().find(({ name }) => name === 'redis')?.pid ?? 0, 'SIGKILL');
  await vi.waitFor(() => expect(run.output()).toContain('is running again'), waitOptions);
  expect(await askRedis(socket, 'GET turn')).toContain('42');
  expect(await askRedis(socket, 'CONFIG GET maxmemory-policy')).toContain('noeviction');
});

test('a killed Redis restarts although its folder was deleted', async () => {
  const platform = fakePlatform();
  const run = platform.start();
  await untilReady(run);
  rmSync(join(platform.dataDir, 'redis'), { recursive: true });
  process.kill(platform.processes().find(({ name }) => name === 'redis')?.pid ?? 0, 'SIGKILL');
  await vi.waitFor(() => expect(run.output()).toContain('is running again'), waitOptions);
  expect(await askRedis(join(platform.dataDir, 'run/redis.sock'), 'SET turn 42')).toContain('+OK');
});

test('closing the terminal stops it in order', async () => {
  const platform = fakePlatform();
  const run = platform.start();
  await untilReady(run);
  run.child.stdout?.destroy();
  process.kill(platform.processes().find(({ name }) => name === 'worker-text')?.pid ?? 0, 'SIGKILL'); // to be reported
  await vi.waitFor(
    () => expect(platform.events().filter((event) => event.startsWith('worker started'))).toHaveLength(2),
    waitOptions,
  );
  run.child.kill('SIGHUP');
  expect(await run.ended).toBe(0);
  expect(platform.events().at(-1)).toBe('store ended');
});

function askRedis(socket: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket, () => connection.write(`${command}\r\n`));
    connection.once('data', (chunk) => {
      resolve(chunk.toString());
      connection.destroy();
    });
    connection.once('error', reject);
  });
}
