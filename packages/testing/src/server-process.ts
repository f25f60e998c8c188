import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { programFile } from '../../../scripts/programs/built-programs.mjs';
import { root } from '../../../scripts/setup/project.mjs';

export interface ServerProcess {
  readonly child: ChildProcess;
  output(): string;
  /** Sends the signal and waits for the exit. SIGKILL follows after 10 s. */
  end(signal: NodeJS.Signals): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Returns the file that runs a program: its bundle if that is up to date, which starts in half the time.
 * @param source such as `apps/api/src/main.ts`
 */
export const programOf = (source: string): string => programFile(root, source);

/**
 * Starts a process and captures its output. It never outlives the test's process: it is killed, or with
 * `endsWithInput` ends by itself when its standard input is closed.
 */
export function startProcess(
  command: string,
  args: string[],
  { env = process.env, endsWithInput = false }: { env?: NodeJS.ProcessEnv; endsWithInput?: boolean } = {},
): ServerProcess {
  const child = spawn(command, args, { stdio: [endsWithInput ? 'pipe' : 'ignore', 'pipe', 'pipe'], env });
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-16_384);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  child.stdin?.on('error', () => undefined);
  if (!endsWithInput) running.add(child);
  child.once('exit', () => running.delete(child));
  child.once('error', (error) => {
    running.delete(child);
    keep(Buffer.from(error.message));
  });
  return {
    child,
    output: () => output,
    end: async (signal) => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await exited;
      clearTimeout(timer);
    },
  };
}

/**
 * Calls `ready` until it returns something.
 * @throws with the output of the process, after `timeoutMs` or when the process ends
 */
export async function waitUntilReady<T>(
  server: ServerProcess,
  ready: () => Promise<T | undefined>,
  timeoutMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await ready();
    if (found !== undefined) return found;
    const { child } = server;
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${child.spawnfile} ended before it was ready:\n${server.output()}`);
    if (Date.now() > deadline) {
      await server.end('SIGKILL');
      throw new Error(`${child.spawnfile} was not ready within ${timeoutMs} ms:\n${server.output()}`);
    }
    await delay(10);
  }
}
