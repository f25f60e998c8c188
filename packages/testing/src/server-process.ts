import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** A server that a test started as a process of its own. */
export interface ServerProcess {
  readonly child: ChildProcess;
  /** The last output, for error messages. */
  output(): string;
  /** Sends the signal and waits for the exit; SIGKILL follows after 10 s. */
  end(signal: NodeJS.Signals): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts a process whose output is kept and which never outlives the test's process: it is killed then, or with `endsWithInput` ends by itself,
 * in order, when nobody holds its standard input any more.
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

/** Asks `ready` again and again until it gives something; throws with the process's output when that takes over `timeoutMs` or the process ends. */
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
