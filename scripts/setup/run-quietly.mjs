import { spawn } from 'node:child_process';

/**
 * Runs a program and captures its output.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number }} [options] timeoutMs defaults to 10
 * minutes
 * @returns {Promise<{ ok: boolean, output: string }>} output of both streams; never rejects: if the program
 * can't be started or takes too long, `ok` is false and the output is the reason
 */
export function runQuietly(command, args, { cwd, env, timeoutMs = 600_000 } = {}) {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs });
    /** @param {Buffer} chunk */
    const keep = (chunk) => {
      output = (output + chunk.toString()).slice(-64_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (code, signal) => {
      resolve({ ok: code === 0, output: signal ? `${output}\n${command} was ended by ${signal}` : output });
    });
  });
}
