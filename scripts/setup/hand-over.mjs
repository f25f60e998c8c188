import { spawn } from 'node:child_process';
import module from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setUp } from '../setup.mjs';
import { whenOrphaned } from './orphaned.mjs';
import { root } from './project.mjs';

/**
 * Sets up, then runs a TypeScript source on the Node that it needs: in this process where this is that Node already,
 * so that nothing stays in memory beside it, else in a child whose exit code becomes this process's.
 * @param {string} source its path in the repository
 * @param {string[]} args
 * @param {{ needsRedis: boolean, needsConsole?: boolean }} needs
 * @throws {SetupError} when something can't be installed
 */
export async function setUpAndRun(source, args, needs) {
  const { node, path } = await setUp(needs);
  const file = join(root, source);
  process.env.PATH = path;
  process.chdir(root);
  // Node keeps what it has compiled and stripped of types: the next start is faster, and each process 25 MB smaller.
  process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/node-compile');
  if (node !== process.execPath) return runChild(node, [file, ...args]);
  module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);
  process.argv = [node, file, ...args];
  await import(pathToFileURL(file).href);
}

/** @param {string} node @param {string[]} args */
function runChild(node, args) {
  const child = spawn(node, args, { stdio: 'inherit' });
  // The child decides what a signal means; this process only waits for it. Ctrl-C reaches both, a `kill` only this one.
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
