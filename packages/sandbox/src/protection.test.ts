import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '@chorus/log';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBoundedChild } from './bounded-child.ts';
import { lendFile, lendFolder } from './lend-file.ts';
import { findProtection, type Guard, type Protection } from './protection.ts';
import { missingProtection, secureChildren } from './secure-children.ts';
import type { FromChild } from './task-protocol.ts';
import type { SpyReport, SpyTask } from './test-spy-main.ts';

const SPY = fileURLToPath(new URL('./test-spy-main.ts', import.meta.url));
const isRoot = process.getuid?.() === 0;

let folder: string;
let hiddenFolder: string;
let server: Server;
let task: SpyTask;
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
  try {
    child.send({ type: 'settings', settings: null });
    child.send({ type: 'task', task });
    for await (const [message] of on(child)) {
      if (message.type === 'done') return message.answer as SpyReport;
      if (message.type === 'failed' || message.type === 'broken') throw new Error(JSON.stringify(message));
    }
    throw new Error('the child said nothing');
  } finally {
    child.kill('SIGKILL');
  }
}

async function* on(child: ReturnType<typeof startBoundedChild>): AsyncGenerator<[FromChild]> {
  const gone = once(child, 'exit').then(() => null);
  for (;;) {
    const said = await Promise.race([once(child, 'message'), gone]);
    if (said === null) return;
    yield said as [FromChild];
  }
}

const has = ({ guards }: Protection, guard: Guard) => guards.has(guard);

describe.each([
  ['as the platform’s user runs it', () => findProtection([hiddenFolder], isRoot)],
  ['as a user without rights runs it', () => findProtection([hiddenFolder], false)],
])('a child that was taken over, %s', (_name, find) => {
  let protection: Protection;
  let report: SpyReport;
  beforeAll(async () => {
    protection = find();
    report = await spy(protection);
  });

  test('can not gain privileges', ({ skip }) => {
    if (!has(protection, 'privileges')) skip('no setpriv here');
    expect(report.status).toMatchObject({ NoNewPrivs: '1', CapEff: '0000000000000000', CapPrm: '0000000000000000' });
    expect(report.setuid === '0' && has(protection, 'user') && protection.ownUser).toBe(false);
  });

  test('sees no secrets in its environment, and its memory has a limit', () => {
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
    ];
    expect(report.environment.filter((name) => !known.includes(name))).toEqual([]);
    expect(report.environment).toContain('GIVEN');
  });

  test('can not read what its parent keeps to itself', ({ skip }) => {
    if (!has(protection, 'user')) skip('no user namespaces here, and no rights of root');
    expect(report.parentEnvironment).toBe('EACCES');
    if (protection.ownUser) expect(report.secret).toBe('EACCES');
  });

  test('does not see hidden files, and has no network', ({ skip }) => {
    if (!has(protection, 'network')) skip('no namespaces here');
    expect(report.hidden).toBe('ENOENT');
    expect(report.network).not.toBe('connected');
  });

  test('reads what it is lent', () => {
    expect(report.lent).toBe('an upload');
  });
});

test('each child under another user id has one of its own', ({ skip }) => {
  const protection = findProtection([], isRoot);
  if (!protection.ownUser) skip('no rights of root');
  const children = [1, 2].map(() => startBoundedChild(SPY, { memoryBytes: 1_000_000_000 }, protection));
  expect(new Set(children.map(({ uid }) => uid)).size).toBe(2);
  for (const child of children) child.kill('SIGKILL');
});

test('what a child writes is taken as a file, and a link to one of ours is not followed', async () => {
  const lent = await lendFolder({ uid: null });
  await writeFile(join(lent.path, 'made'), 'signed');
  await lent.take('made', join(folder, 'taken'));
  const { symlink, readFile } = await import('node:fs/promises');
  expect(await readFile(join(folder, 'taken'), 'utf8')).toBe('signed');
  await symlink(task.secretFile, join(lent.path, 'link'));
  await expect(lent.take('link', join(folder, 'stolen'))).rejects.toMatchObject({ code: 'ELOOP' });
  await lent.remove();
});

test('what is missing is said in one sentence with its remedy; where nothing is, nothing is said', () => {
  const all: Guard[] = ['privileges', 'user', 'files', 'network'];
  expect(missingProtection({ guards: new Set(all) }, true)).toBeNull();
  const some = missingProtection({ guards: new Set<Guard>(['privileges']) }, true);
  expect(some).toMatch(/trace the platform’s own processes, read the platform’s own files and use the network/);
  expect(some).toMatch(/To prevent it, .*\.$/);
  expect(some?.split('\n')).toHaveLength(1);
  expect(missingProtection({ guards: new Set<Guard>() }, false)).toMatch(/memory and CPU without a limit/);
});

test('it is logged at start', () => {
  const lines: string[] = [];
  const log = createLogger({ name: 'test', level: 'silent' });
  log.warn = ((line: string) => void lines.push(line)) as typeof log.warn;
  secureChildren([hiddenFolder], log, 'warn');
  expect(lines).toEqual([missingProtection()].filter((line) => line !== null));
});
