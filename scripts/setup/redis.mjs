import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { lockFolder, withInstallLock } from './install-lock.mjs';
import { privateRedisFolder, unpackPrivateRedis } from './private-redis.mjs';
import { say } from './project.mjs';
import { runQuietly } from './run-quietly.mjs';
import { SetupError } from './setup-error.mjs';

const needed = { major: 6, minor: 2 };

const instructions = [
  'Install one, then run the command again:',
  '  Debian, Ubuntu   sudo apt-get update && sudo apt-get install redis-server',
  '  Fedora, RHEL     sudo dnf install valkey        (older releases: redis)',
  '  Alpine           sudo apk add redis',
  '  macOS            brew install redis',
  'or set REDIS_URL to a Redis that you run (redis://user:password@host:6379).',
].join('\n');

/**
 * Finds a Redis or Valkey server of version 6.2 or newer on PATH, or downloads one by apt or brew.
 * @returns {Promise<string>} the path of the program
 * @throws {SetupError} whose message says what to install
 */
export async function findOrInstallRedis() {
  const found = await findRedis();
  if (found.path) return found.path;
  return withInstallLock(async () => {
    const again = await findRedis();
    if (again.path) return again.path;
    const problem = await install();
    const installed = await findRedis();
    if (installed.path) {
      say(`Redis is at ${installed.path}.`);
      return installed.path;
    }
    const older = installed.tooOld ?? found.tooOld;
    throw new SetupError(
      [
        `Chorus needs a Redis server, version ${needed.major}.${needed.minor} or newer, but none was found.`,
        ...(older ? [`(${older} is too old.)`] : []),
        ...(problem ? [problem] : []),
        instructions,
      ].join('\n'),
    );
  }, lockFolder('redis'));
}

/**
 * @param {string} [path] the folders to search, as in PATH
 * @returns {Promise<{ path?: string, tooOld?: string }>} the first server that is new enough; else one that
 * isn't
 */
export async function findRedis(path = process.env.PATH ?? '') {
  const folders = [...path.split(delimiter), '/usr/local/bin', '/opt/homebrew/bin', '/usr/bin', privateRedisFolder];
  /** @type {string | undefined} */
  let tooOld;
  for (const folder of new Set(folders.filter(Boolean))) {
    for (const name of ['redis-server', 'valkey-server']) {
      const program = join(folder, name);
      if (!isExecutable(program)) continue;
      const { output } = await runQuietly(program, ['--version'], { timeoutMs: 10_000 });
      const version = /v=(\d+)\.(\d+)/.exec(output);
      if (!version) continue;
      const [major, minor] = [Number(version[1]), Number(version[2])];
      if (major > needed.major || (major === needed.major && minor >= needed.minor)) return { path: program };
      tooOld ??= `${program}, version ${major}.${minor},`;
    }
  }
  return { tooOld };
}

/** @returns {Promise<string | undefined>} why nothing could be installed; undefined when something was */
async function install() {
  if (await has('apt-get')) {
    say('No Redis server found: fetching one with apt into .data/tools/redis (without changing the system) …');
    const unpacked = await unpackPrivateRedis();
    if (unpacked.ok) return undefined;
    const asRoot = await rootCommand();
    if (!asRoot) return `apt could not fetch it: ${lastLine(unpacked.output)}`;
    say('That did not work: installing the package redis-server with apt …');
    const apt = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq'];
    await run([...apt, 'update']);
    const installed = await run([...apt, 'install', '-y', '--no-install-recommends', 'redis-server']);
    return installed.ok ? undefined : `apt could not install it: ${lastLine(installed.output)}`;
  }
  if (await has('brew')) {
    say('No Redis server found: installing one with `brew install redis` …');
    const installed = await run(['brew', 'install', '--quiet', 'redis']);
    return installed.ok ? undefined : `brew could not install it: ${lastLine(installed.output)}`;
  }
  return undefined;
}

/** @returns {Promise<string[] | undefined>} the prefix that runs a command as root without a prompt */
async function rootCommand() {
  if (process.getuid?.() === 0) return [];
  const { ok } = await runQuietly('sudo', ['-n', 'true'], { timeoutMs: 10_000 });
  return ok ? ['sudo', '-n'] : undefined;
}

/** @param {string[]} words */
function run([command = '', ...args]) {
  return runQuietly(command, args);
}

/** @param {string} program */
async function has(program) {
  return (await runQuietly(program, ['--version'], { timeoutMs: 30_000 })).ok;
}

/** @param {string} program */
function isExecutable(program) {
  try {
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} output */
function lastLine(output) {
  const lines = output.trim().split('\n');
  return lines.findLast((line) => /^E:|^Error|error/i.test(line)) ?? lines.at(-1) ?? '';
}
