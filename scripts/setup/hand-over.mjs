import { spawn } from 'node:child_process';
import module from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setUp } from '../setup.mjs';
import { compileCache } from './compile-cache.mjs';
import { whenOrphaned } from './orphaned.mjs';
import { root } from './project.mjs';

/**
 * Sets up, then runs a TypeScript source with the required Node: in this process if possible, which saves
 * memory, otherwise in a child whose exit code is passed on.
 * @param {string} source its path in the repository
 * @param {string[]} args
 * @param {{ needsRedis: boolean, needsConsole?: boolean, needsTools?: boolean, folder?: string }} needs
 * `folder`: where it runs; default: the repository
 * @throws {SetupError} when something can't be installed
 */
export async function setUpAndRun(source, args, needs) {
  const { node, path } = await setUp(needs);
  const file = join(root, source);
  process.env.PATH = path;
  process.chdir(needs.folder ?? root);
  process.env.NODE_COMPILE_CACHE = compileCache();
  if (node !== process.execPath) return runChild(node, [file, ...args]);
  module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);
  process.argv = [node, file, ...args];
  await import(pathToFileURL(file).href);
}

/** @param {string} node @param {string[]} args */
function runChild(node, args) {
  const child = spawn(node, args, { stdio: 'inherit' });
  // The child decides what a signal means. Ctrl-C reaches both processes, `kill` only this one.
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal));
  }
  whenOrphaned(() => child.kill('SIGTERM'));
  child.on('error', (error) => {
    process.stderr.write(`\n${node} could not be started: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0));
  });
}
