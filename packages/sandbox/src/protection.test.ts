import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '@chorus/runtime/log';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBoundedChild } from './bounded-child.ts';
import type { FromChild } from './child/serve-tasks.ts';
import { lendFile, lendFolder } from './lend-file.ts';
import { find, findProtection, type Guard, missingProtection, type Protection, secureChildren } from './protection.ts';
import type { SpyReport, SpyTask } from './test-spy-main.ts';

const SPY = fileURLToPath(new URL('./test-spy-main.ts', import.meta.url));
const compiles = getCompileCacheDir() !== undefined;
const isRoot = process.getuid?.() === 0;

let folder: string;
let hiddenFolder: string;
let server: Server;
let task: Omit<SpyTask, 'ownFolder' | 'otherFolder'>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chorus-sandbox-test-'));
  await chmod(folder, 0o755);
  hiddenFolder = await mkdtemp(join(tmpdir(), 'chorus-sandbox-hidden-'));
  await chmod(hiddenFolder, 0o755);
  const [secretFile, hiddenFile] = [join(folder, 'key.pem'), join(hiddenFolder, 'store')];
  await writeFile(secretFile, 'a private key', { mode: 0o600 });
  await writeFile(hiddenFile, 'a record', { mode: 0o644 });
  server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const lent = await lendFile(Buffer.from('an upload'), 'file');
  const { port } = server.address() as AddressInfo;
  task = { secretFile, hiddenFile, lentFile: lent.path, parentPid: process.pid, port };
});
afterAll(async () => {
  server.close();
  await Promise.all([folder, hiddenFolder].map((path) => rm(path, { recursive: true })));
});

async function spy(protection: Protection): Promise<SpyReport> {
  const child = startBoundedChild(SPY, { memoryBytes: 1_000_000_000, cpuS: 60, env: { GIVEN: 'yes' } }, protection);
  const own = await lendFolder(child);
  const other = await lendFolder({ uid: child.uid === null ? null : child.uid + 1 });
  try {
    return await new Promise((resolve, reject) => {
      child.messages.on('message', (received) => {
        const message = received as FromChild;
        if (message.type === 'done') resolve(message.answer as SpyReport);
        else if (message.type !== 'ready') reject(new Error(JSON.stringify(message)));
      });
      child.once('exit', () => reject(new Error('the child ended without a report')));
      child.messages.send({ type: 'settings', settings: null });
      child.messages.send({ type: 'task', task: { ...task, ownFolder: own.path, otherFolder: other.path } });
    });
  } finally {
    child.kill('SIGKILL');
    await Promise.all([own.remove(), other.remove()]);
  }
}

const has = ({ guards }: Protection, guard: Guard) => guards.has(guard);

describe.each([
  ['of the platform’s user', () => findProtection([hiddenFolder], isRoot)],
  ['of a user without privileges', () => findProtection([hiddenFolder], false)],
])('a hostile child %s', (_name, findOne) => {
  let protection: Protection;
  let report: SpyReport;
  beforeAll(async () => {
    protection = findOne();
    report = await spy(protection);
  });

  test('cannot gain privileges', ({ skip }) => {
    if (!has(protection, 'privileges')) skip('no setpriv here');
    expect(report.status).toMatchObject({ NoNewPrivs: '1', CapEff: '0000000000000000', CapPrm: '0000000000000000' });
    expect(report.setuid === '0' && has(protection, 'user') && protection.ownUser).toBe(false);
  });

  test('sees no secrets in its environment', () => {
    const known = [
      'GIVEN',
      'NODE_COMPILE_CACHE',
      'NODE_OPTIONS',
      'NODE_CHANNEL_FD',
      'NODE_CHANNEL_SERIALIZATION_MODE',
      'PWD',
      'OLDPWD',
      'SHLVL',
      '_',
      'MIMALLOC_ARENA_EAGER_COMMIT',
    ];
    expect(report.environment.filter((name) => !known.includes(name))).toEqual([]);
    expect(report.environment).toContain('GIVEN');
  });

  test('cannot read the environment or private files of its parent', ({ skip }) => {
    if (!has(protection, 'user')) skip('no user namespaces here, and no rights of root');
    expect(report.parentEnvironment).toBe('EACCES');
    if (protection.ownUser) expect(report.secret).toBe('EACCES');
  });

  test('does not see hidden files, and has no network', ({ skip }) => {
    if (!has(protection, 'network')) skip('no namespaces here');
    expect(report.hidden).toBe('ENOENT');
    expect(report.network).not.toBe('connected');
  });

  test('cannot fill the disk or the process table', ({ skip }) => {
    if (find('prlimit') === null) skip('no prlimit here');
    expect(report.limits).toMatchObject({ 'Max file size': String(8 * 2 ** 30), 'Max core file size': '0' });
    if (protection.ownUser) expect(report.limits['Max processes']).toBe('256');
  });

  test('reads lent files', () => {
    expect(report.lent).toBe('an upload');
  });

  test('writes only to its own folder', ({ skip }) => {
    expect(report.writes.own).toBe('written');
    if (!protection.ownUser) skip('the child has our user id');
    expect(report.writes).toEqual({
      secret: 'EACCES',
      lent: 'EACCES',
      replaceLent: 'EACCES',
      own: 'written',
      other: 'EACCES',
      compiled: compiles ? 'EACCES' : 'ENOENT',
    });
  });

  test('reads compiled sources', ({ skip }) => {
    if (!compiles) skip('no compile cache here');
    expect(report.compiled).toBe('found');
  });
});

test('children do not share a user id', ({ skip }) => {
  const protection = findProtection([], isRoot);
  if (!protection.ownUser) skip('no rights of root');
  const children = [1, 2].map(() => startBoundedChild(SPY, { memoryBytes: 1_000_000_000 }, protection));
  expect(new Set(children.map(({ uid }) => uid)).size).toBe(2);
  for (const child of children) child.kill('SIGKILL');
});

test('describes missing protection and its remedy in one sentence', () => {
  const all: Guard[] = ['privileges', 'user', 'files', 'network'];
  expect(missingProtection({ guards: new Set(all) }, true)).toBeNull();
  const some = missingProtection({ guards: new Set<Guard>(['privileges']) }, true);
  expect(some).toMatch(/trace the platform’s own processes, read the platform’s own files and use the network/);
  expect(some).toMatch(/To prevent it, .*\.$/);
  expect(some?.split('\n')).toHaveLength(1);
  expect(missingProtection({ guards: new Set<Guard>() }, false)).toMatch(/memory and CPU without a limit/);
});

test('logs missing protection at start', () => {
  const lines: string[] = [];
  const log = createLogger({ name: 'test', level: 'silent' });
  log.warn = ((line: string) => void lines.push(line)) as typeof log.warn;
  secureChildren([hiddenFolder], log, 'warn');
  expect(lines).toEqual([missingProtection()].filter((line) => line !== null));
});
