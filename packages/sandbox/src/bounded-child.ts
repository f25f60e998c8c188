import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { Channel } from './child/channel.ts';
import { lendingFolder } from './lending-folder.ts';
import { currentProtection, find, newUid, type Protection } from './protection.ts';

export interface ChildLimits {
  /** Limits the memory that the child may write to, where the system supports that. */
  memoryBytes: number;
  /** JavaScript threads, including the main one. Default: 1. */
  isolates?: number;
  /** CPU seconds for its whole lifetime. Absent: the caller limits each task. */
  cpuS?: number;
}

export interface ChildOptions extends ChildLimits {
  env?: Record<string, string>;
  ownGroup?: boolean;
}

const HEAP_MB = 256;

/** V8 reserves this much for compiled code in each isolate. It counts as data, although hardly any is used. */
const CODE_RANGE_BYTES = 512 * 2 ** 20;

export const reservedBytes = ({ isolates = 1 }: Pick<ChildLimits, 'isolates'>): number => isolates * CODE_RANGE_BYTES;

/** Keeps the allocator of the PDF library from reserving a whole gigabyte at its start. */
const ALLOCATOR = { MIMALLOC_ARENA_EAGER_COMMIT: '0' };

/** Larger than any honest result, including pictures. */
const MAX_MESSAGE_BYTES = 256_000_000;

/** Node's compile cache halves the start time of a child. */
const COMPILED = getCompileCacheDir();

/** Larger than any honest file. */
const MAX_FILE_BYTES = 8 * 2 ** 30;

/** Processes and threads of a child with its own user id. Those of other children would count, too, without one. */
const MAX_PROCESSES = 256;

const PRLIMIT = find('prlimit');

export interface BoundedChild extends ChildProcess {
  /** The child is killed when this closes. */
  messages: Channel;
  /** Null: the parent's user id. */
  uid: number | null;
}

/**
 * Starts one of our programs in a process that may open untrusted files.
 *
 * The system kills it when it exceeds its memory or CPU time. It has no privileges and no secrets in its
 * environment; where the system allows, it also has another user id, no network, and no view of our files. It
 * talks to us by messages and reads files that `lendFile` made readable.
 */
export function startBoundedChild(
  program: string,
  { memoryBytes, isolates, cpuS, env = {}, ownGroup = false }: ChildOptions,
  protection: Protection = currentProtection(),
): BoundedChild {
  const uid = newUid();
  const node = [process.execPath, `--max-old-space-size=${HEAP_MB}`, program];
  const bounded =
    PRLIMIT === null
      ? node
      : [
          PRLIMIT,
          `--data=${memoryBytes + reservedBytes({ isolates })}`,
          ...(cpuS === undefined ? [] : [`--cpu=${cpuS}`]),
          '--core=0',
          `--fsize=${MAX_FILE_BYTES}`,
          ...(protection.ownUser ? [`--nproc=${MAX_PROCESSES}`] : []),
          '--',
          ...node,
        ];
  const [command = '', ...args] = protection.wrap(bounded, uid);
  const compiled = COMPILED === undefined ? undefined : compileCacheOf(COMPILED, protection.ownUser ? uid : null);
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    env: {
      ...ALLOCATOR,
      ...env,
      NODE_OPTIONS: '',
      ...(compiled !== undefined && { NODE_COMPILE_CACHE: compiled }),
    },
    detached: ownGroup,
  });
  // Without free file descriptors, Node makes no pipes, and the child emits an error.
  const socket = (child.stdio?.[3] ?? new Socket().destroy()) as Socket;
  const messages = new Channel(socket, MAX_MESSAGE_BYTES);
  messages.on('close', () => child.pid !== undefined && child.kill('SIGKILL'));
  return Object.assign(child, { messages, uid: protection.ownUser ? uid : null });
}

const linkedUids = new Set<number>();

/**
 * Returns the value of NODE_COMPILE_CACHE for a child. Node looks there for a folder that ends in the user id, so
 * a child with another one finds a link to our cache, which it can read but not write.
 */
function compileCacheOf(compiled: string, uid: number | null): string {
  if (uid === null) return dirname(compiled);
  const links = join(lendingFolder(), 'compiled');
  if (linkedUids.size === 0) {
    mkdirSync(links);
    chmodSync(links, 0o711); // regardless of the umask
  }
  if (!linkedUids.has(uid)) symlinkSync(compiled, join(links, basename(compiled).replace(/\d+$/, String(uid))));
  linkedUids.add(uid);
  return links;
}
