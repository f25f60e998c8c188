import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder, withInstallLock } from './install-lock.mjs';
import { root, say } from './project.mjs';

const WITHIN_MS = 60_000;

/** Returns the folder of compiled sources: later starts are faster, and each process uses 25 MB less. */
export const compileCache = () => process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/node-compile');

/** Exists once the platform was started with the cache; other programs use it, too. */
const marker = () => join(compileCache(), 'has-platform');

/**
 * Starts the platform once without data, which compiles what a start needs. Without it, the first real start does that.
 * @param {string} node
 * @param {string} path as of `setUp`
 * @param {string} [main] the supervisor
 */
export async function fillCompileCache(node, path, main = join(root, 'scripts/supervisor/main.ts')) {
  if (existsSync(marker())) return;
  await withInstallLock(async () => {
    if (existsSync(marker())) return;
    say('Compiling the sources (some seconds, once) …');
    await startOnce(node, path, main);
    // Also after a failure, which the real start will explain.
    mkdirSync(compileCache(), { recursive: true });
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
  // No other settings: it must not reach stores and providers of the user.
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
