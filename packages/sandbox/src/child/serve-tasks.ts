import { flushCompileCache } from 'node:module';
import { getPriority, setPriority } from 'node:os';
import type { ChorusError, ErrorCode } from '@chorus/contract';
import { type Channel, openParentChannel } from './channel.ts';

export type ToChild = { type: 'settings'; settings: unknown } | { type: 'task'; task: unknown };

export type Ending =
  | { type: 'ready' }
  | { type: 'done'; answer: unknown }
  | { type: 'failed'; code: ErrorCode; message: string }
  | { type: 'out-of-memory' }
  /** A bug in our code. Not for users. */
  | { type: 'broken'; stack: string };

export interface Used {
  cpuMs: number;
  memoryBytes: number;
}

export type FromChild = (Ending & Used) | { type: 'part'; part: unknown };

/** Runs one task. `send` reports an intermediate result. Await it, so that only one is in memory. */
export type DoTask<Task, Answer, Part> = (task: Task, send: (part: Part) => Promise<void>) => Promise<Answer>;

/**
 * Serves the tasks of a `ChildPool`, one after another, and ends with its parent, including started processes.
 * It keeps no state, so it may crash or be killed at any time.
 * @param open Prepares for tasks.
 */
export function serveTasks<Settings, Task, Answer, Part = never>(
  open: (settings: Settings) => DoTask<Task, Answer, Part>,
): void {
  // Processes that stream answers take precedence. Raising the priority again would take a privilege.
  setPriority(Math.max(5, getPriority()));
  const parent = openParentChannel();
  parent.on('close', leave);
  let run: DoTask<Task, Answer, Part> | null = null;
  parent.on('message', (received) => {
    const message = received as ToChild;
    if (message.type === 'settings') {
      run = open(message.settings as Settings);
      void end(parent, { type: 'ready' });
      flushCompileCache(); // Node only writes it at a normal exit, and this process gets killed.
    } else if (run) void work(parent, run, message.task as Task);
  });
}

async function work<Task, Answer, Part>(parent: Channel, run: DoTask<Task, Answer, Part>, task: Task): Promise<void> {
  try {
    await end(parent, { type: 'done', answer: await run(task, (part) => say(parent, { type: 'part', part })) });
  } catch (error) {
    if (isOutOfMemory(error)) await end(parent, { type: 'out-of-memory' });
    else if (isChorusError(error)) await end(parent, { type: 'failed', code: error.code, message: error.message });
    else
      await end(parent, {
        type: 'broken',
        stack: String(error instanceof Error ? error.stack : error).slice(0, 2_000),
      });
  }
}

/** Does not use the class, whose module takes long to load. */
const isChorusError = (error: unknown): error is ChorusError => error instanceof Error && error.name === 'ChorusError';

const OUT_OF_MEMORY =
  /out of memory|bad_alloc|cannot allocate|allocation failed|failed to allocate|insufficient memory|enlarge memory|\bOOM\b|ENOMEM/i;

/** Returns whether memory was the reason, even for an error that blames the file. */
export function isOutOfMemory(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 5) return OUT_OF_MEMORY.test(String(error));
  return OUT_OF_MEMORY.test(error.message) || (error.cause !== undefined && isOutOfMemory(error.cause, depth + 1));
}

function end(parent: Channel, ending: Ending): Promise<void> {
  const { user, system } = process.cpuUsage();
  return say(parent, { ...ending, cpuMs: (user + system) / 1_000, memoryBytes: process.memoryUsage.rss() });
}

const say = (parent: Channel, message: FromChild): Promise<void> =>
  new Promise((resolve) => parent.send(message, () => resolve()));

function leave(): void {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    process.exit(0); // leads no group, so it has started no processes
  }
}
