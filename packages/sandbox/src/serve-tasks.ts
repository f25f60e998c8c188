import { flushCompileCache } from 'node:module';
import { setPriority } from 'node:os';
import { ChorusError } from '@chorus/contract';
import type { Ending, FromChild, ToChild } from './task-protocol.ts';

/** Does one task. `tell` says something in the middle of it, and resolves when that is on its way: no more than one message is in memory. */
export type DoTask<Task, Answer, Told> = (task: Task, tell: (told: Told) => Promise<void>) => Promise<Answer>;

/**
 * The life of a child of a `ChildPool`: it is told its settings, does one task after another, and is gone with its parent, and what it has started with it. It may crash,
 * run out of memory or be killed at any time: it keeps nothing.
 *
 * @param open makes ready what does the tasks
 */
export function serveTasks<Settings, Task, Answer, Told = never>(
  open: (settings: Settings) => DoTask<Task, Answer, Told>,
): void {
  // Whoever waits for an answer that streams comes first.
  setPriority(5);
  process.on('disconnect', leave);
  let run: DoTask<Task, Answer, Told> | null = null;
  process.on('message', (message: ToChild) => {
    if (message.type === 'settings') {
      run = open(message.settings as Settings);
      void end({ type: 'ready' });
      flushCompileCache(); // it will be killed, and Node writes at an end in order alone
    } else if (run) void work(run, message.task as Task);
  });
}

async function work<Task, Answer, Told>(run: DoTask<Task, Answer, Told>, task: Task): Promise<void> {
  try {
    await end({ type: 'done', answer: await run(task, (told) => say({ type: 'told', told })) });
  } catch (error) {
    if (error instanceof ChorusError) await end({ type: 'failed', code: error.code, message: error.message });
    else await end({ type: 'broken', stack: String(error instanceof Error ? error.stack : error).slice(0, 2_000) });
  }
}

function end(ending: Ending): Promise<void> {
  const { user, system } = process.cpuUsage();
  return say({ ...ending, cpuMs: (user + system) / 1_000, memoryBytes: process.memoryUsage.rss() });
}

function say(message: FromChild): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

function leave(): void {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    process.exit(0); // it leads no group, so it has started nothing
  }
}
