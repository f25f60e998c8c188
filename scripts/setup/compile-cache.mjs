import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder, withInstallLock } from './install-lock.mjs';
import { root, say } from './project.mjs';

const WITHIN_MS = 60_000;

/** Returns the folder of compiled sources: later starts are faster, and each process uses 25 MB less. */
export const compileCache = () => process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/node-compile');

/** Exists once the platform and its children have filled the cache, which other programs use, too. */
const marker = () => join(compileCache(), 'has-children');

/**
 * Starts the platform once without data, which compiles what a start needs, and the programs of its children. Without
 * it, the first real start compiles that, but children of root do not: they have other user ids and can only read it.
 * @param {string} node
 * @param {string} path as of `setUp`
 * @param {string} [main] the supervisor
 * @param {string[]} [children] programs that open untrusted files
 */
export async function fillCompileCache(
  node,
  path,
  main = join(root, 'scripts/supervisor/main.ts'),
  children = findChildren(),
) {
  if (existsSync(marker())) return;
  await withInstallLock(async () => {
    if (existsSync(marker())) return;
    say('Compiling the sources (a few seconds, once) …');
    await Promise.all([startOnce(node, path, main), ...children.map((program) => startChild(node, program))]);
    // Even after a failure, which the real start will explain.
    mkdirSync(compileCache(), { recursive: true });
    letOthersRead();
    writeFileSync(marker(), '');
  }, lockFolder('compile'));
}

/**
 * @param {string} node
 * @param {string} path
 * @param {string} main
 */
async function startOnce(node, path, main) {
  const dataDir = mkdtempSync(join(tmpdir(), 'chorus-setup-'));
  const { HOME, LANG, TMPDIR } = process.env;
  // No other settings, so that it reaches no stores or providers of the user.
  const env = { HOME, LANG, TMPDIR, PATH: path, NODE_COMPILE_CACHE: compileCache(), DATA_DIR: dataDir, PORT: '0' };
  try {
    await new Promise((resolve) => {
      const child = spawn(node, [main], { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] });
      const stop = () => child.kill('SIGTERM');
      const timer = setTimeout(stop, WITHIN_MS);
      child.stdout.on('data', (/** @type {Buffer} */ text) => {
        if (text.includes('Chorus is ready')) stop();
      });
      child.on('error', resolve);
      child.on('close', () => {
        clearTimeout(timer);
        resolve(undefined);
      });
    });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Returns the programs that open untrusted files. */
export function findChildren() {
  const packages = join(root, 'packages');
  return readdirSync(packages, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('-main.ts') && !path.includes('node_modules'))
    .map((path) => join(packages, path))
    .filter((path) => readFileSync(path, 'utf8').includes('@chorus/sandbox/child'));
}

/**
 * Starts a program, which ends when its channel closes.
 * @param {string} node
 * @param {string} program
 */
function startChild(node, program) {
  return new Promise((resolve) => {
    const env = { NODE_COMPILE_CACHE: compileCache() };
    const child = spawn(node, [program], { cwd: root, env, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), WITHIN_MS);
    child.stdio[3]?.destroy();
    child.on('error', resolve);
    child.on('exit', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
}

function letOthersRead() {
  for (const name of readdirSync(compileCache(), { recursive: true, encoding: 'utf8' })) {
    const path = join(compileCache(), name);
    const entry = statSync(path, { throwIfNoEntry: false });
    try {
      if (entry !== undefined) chmodSync(path, entry.isDirectory() ? 0o755 : 0o644);
    } catch {
      // Another process has replaced it, or it is not ours.
    }
  }
}
