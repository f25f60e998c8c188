import { type ChildProcess, spawn } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { find, newUid, type Protection } from './protection.ts';
import { currentProtection } from './secure-children.ts';

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

/** Where Node keeps what it has compiled: with it a child starts in half the time. */
const COMPILED = getCompileCacheDir();

const PRLIMIT = find('prlimit');

export interface BoundedChild extends ChildProcess {
  /** The user id that the child runs under; null: ours. */
  uid: number | null;
}

/**
 * Starts a program of ours in a process that may open untrusted files. The system ends it when it takes too much memory or CPU time. It has no
 * privileges and an environment without secrets; where the system allows, also another user id, no network, and no view of our files. It talks to us by
 * messages, and reads what `lendFile` lends.
 */
export function startBoundedChild(
  program: string,
  { memoryBytes, cpuS, env = {}, ownGroup = false }: ChildOptions,
  protection: Protection = currentProtection(),
): BoundedChild {
  const uid = newUid();
  const node = [process.execPath, `--max-old-space-size=${HEAP_MB}`, program];
  const bounded =
    PRLIMIT === null
      ? node
      : [PRLIMIT, `--data=${memoryBytes}`, ...(cpuS === undefined ? [] : [`--cpu=${cpuS}`]), '--core=0', '--', ...node];
  const [command = '', ...args] = protection.wrap(bounded, uid);
  // Node keeps compiled code for each user id apart.
  const compiled = protection.ownUser ? undefined : COMPILED;
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    env: { ...env, NODE_OPTIONS: '', ...(compiled !== undefined && { NODE_COMPILE_CACHE: dirname(compiled) }) },
    detached: ownGroup,
  });
  return Object.assign(child, { uid: protection.ownUser ? uid : null });
}
