import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface CheckOutcome {
  ok: boolean;
  output: string;
}

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/**
 * Runs a program of a development dependency in the repository's root.
 * @returns its whole output; if it cannot be started, `ok: false` and the reason
 */
export function runProgram(name: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<CheckOutcome> {
  return new Promise((resolve) => {
    const output: Buffer[] = [];
    const child = spawn(`${root}/node_modules/.bin/${name}`, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (code) => resolve({ ok: code === 0, output: Buffer.concat(output).toString() }));
  });
}
