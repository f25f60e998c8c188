import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

export interface ChildLimits {
  /** Of its data, in bytes, so far as the system can limit it. */
  memoryBytes: number;
  /** Of computing in all its life, in seconds; absent: whoever starts it limits each of its tasks. */
  cpuS?: number;
}

export interface ChildOptions extends ChildLimits {
  /** All that it has of an environment. */
  env?: Record<string, string>;
  /** Whether it leads a process group of its own, so that what it starts can be ended with it. */
  ownGroup?: boolean;
}

/** JavaScript's own part of a child's memory, in MB. */
const HEAP_MB = 256;

/** Where Node keeps what it has compiled, if anywhere: with it a child begins in half the time. */
const COMPILED = getCompileCacheDir();

const PRLIMIT = ['/usr/bin/prlimit', '/bin/prlimit'].find((path) => existsSync(path));

/**
 * Starts a program of ours in a process that the system ends when it takes too much: it has nothing of our environment but where compiled code is
 * kept, and talks to us by messages.
 * Where there is no `prlimit` only its heap is bounded, and whoever starts it sets a limit of time.
 */
export function startBoundedChild(
  program: string,
  { memoryBytes, cpuS, env = {}, ownGroup = false }: ChildOptions,
): ChildProcess {
  const node = [process.execPath, `--max-old-space-size=${HEAP_MB}`, program];
  const bounded =
    PRLIMIT === undefined
      ? node
      : [PRLIMIT, `--data=${memoryBytes}`, ...(cpuS === undefined ? [] : [`--cpu=${cpuS}`]), '--core=0', '--', ...node];
  const [command = '', ...args] = bounded;
  return spawn(command, args, {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    env: { ...env, NODE_OPTIONS: '', ...(COMPILED !== undefined && { NODE_COMPILE_CACHE: dirname(COMPILED) }) },
    detached: ownGroup,
  });
}
