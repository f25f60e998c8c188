import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What a check found: `output` is for people and shown when it is not `ok`. */
export interface CheckOutcome {
  ok: boolean;
  output: string;
}

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/**
 * Runs one of the development packages' programs in the repository's root.
 * @returns the whole of what it printed; a program that can't be started is `ok: false` with the reason
 */
export function runProgram(name: string, args: string[]): Promise<CheckOutcome> {
  return new Promise((resolve) => {
    const output: Buffer[] = [];
    const child = spawn(`${root}/node_modules/.bin/${name}`, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (code) => resolve({ ok: code === 0, output: Buffer.concat(output).toString() }));
  });
}
