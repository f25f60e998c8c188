import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withInstallLock } from './install-lock.mjs';
import { loadDotEnv } from './load-dot-env.mjs';
import { packagesAreInstalled, withAddresses } from './packages.mjs';
import { findRedis } from './redis.mjs';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chorus-setup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const wanted = {
  '': {},
  'packages/own': { version: '0.1.0' },
  'node_modules/@chorus/own': { resolved: 'packages/own', link: true },
  'node_modules/zod': { version: '4.6.7' },
  'node_modules/elsewhere': { version: '1.0.0', optional: true },
};

function projectWith(installed: object | undefined): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: wanted }));
  if (installed) {
    mkdirSync(join(folder, 'node_modules'));
    writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }));
  }
  return folder;
}

const own = { 'node_modules/@chorus/own': { link: true } };

test.each([
  ['nothing', undefined, false],
  ['everything', { ...own, 'node_modules/zod': { version: '4.6.7' } }, true],
  ['another version', { ...own, 'node_modules/zod': { version: '4.6.6' } }, false],
  ['all but one', own, false],
  ["all but the project's own", { 'node_modules/zod': { version: '4.6.7' } }, false],
])('with %s installed, the packages are there: %s', (_what, installed, expected) => {
  expect(packagesAreInstalled(projectWith(installed), true)).toBe(expected);
});

test('packages for tests count as missing only if they are needed', () => {
  const tool = { 'node_modules/vitest': { version: '5.1.0', dev: true } };
  const folder = projectWith({ ...own, 'node_modules/zod': { version: '4.6.7' } });
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: { ...wanted, ...tool } }));
  expect([false, true].map((needsTools) => packagesAreInstalled(folder, needsTools))).toEqual([true, false]);
});

test('npm gets the address of each package, and the project keeps none', async () => {
  const folder = projectWith(undefined);
  const own = join(folder, 'npm-shrinkwrap.json');
  const { packages } = await withAddresses(folder, 'https://packages.example/npm/', async () =>
    JSON.parse(readFileSync(own, 'utf8')),
  );
  expect(packages['node_modules/zod'].resolved).toBe('https://packages.example/npm/zod/-/zod-4.6.7.tgz');
  expect(packages['node_modules/@chorus/own']).toEqual(wanted['node_modules/@chorus/own']);
  expect(existsSync(own)).toBe(false);
});

/** A folder with a server that reports this version. */
function folderWith(program: string, version: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, program), `#!/bin/sh\necho "Redis server v=${version} sha=0"\n`);
  chmodSync(join(folder, program), 0o755);
  return folder;
}

test('finds the first Redis on PATH that is new enough', async () => {
  const old = folderWith('redis-server', '6.0.16');
  const right = folderWith('redis-server', '6.2.0');
  expect(await findRedis(`${old}:${right}`)).toEqual({ path: join(right, 'redis-server') });
});

test('Valkey works, too', async () => {
  const folder = folderWith('valkey-server', '8.1.0');
  expect(await findRedis(folder)).toEqual({ path: join(folder, 'valkey-server') });
});

test('two setups at the same time take turns', async () => {
  const lock = join(temporaryFolder(), 'lock');
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
    return 'done';
  };
  // Both have this process's pid, which is alive, so the second waits for the first.
  expect(await Promise.all([withInstallLock(work, lock), withInstallLock(work, lock)])).toEqual(['done', 'done']);
  expect(most).toBe(1);
  expect(existsSync(lock)).toBe(false);
});

test('takes over the lock of a killed setup', async () => {
  const lock = join(temporaryFolder(), 'lock');
  mkdirSync(lock);
  writeFileSync(join(lock, 'pid'), '4194305'); // above the highest pid that Linux gives
  expect(await withInstallLock(async () => 'done', lock)).toBe('done');
});

test('.env sets variables that the environment does not', () => {
  const file = join(temporaryFolder(), '.env');
  const environment = { PORT: '9000' };
  loadDotEnv(file, environment);
  expect(environment).toEqual({ PORT: '9000' });
  writeFileSync(file, '# mine\nPORT=8000\nOPENAI_API_KEY="sk-1"\n');
  loadDotEnv(file, environment);
  expect(environment).toEqual({ PORT: '9000', OPENAI_API_KEY: 'sk-1' });
});
