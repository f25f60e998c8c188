import { setPriority } from 'node:os';
import { ChorusError } from '@chorus/contract';
import { parseFile } from './parse-file.ts';
import type { FromChild, ParseTask, Used } from './pool/protocol.ts';

// The process that opens files of strangers, one at a time, and tells its parent what they say. It may crash, run out of memory or be killed at any
// time: it keeps nothing.

// Whoever waits for an answer that streams comes first.
setPriority(5);
process.on('disconnect', () => process.exit(0));
process.on('message', (task: ParseTask) => void work(task));
void say({ type: 'ready' });

async function work(task: ParseTask): Promise<void> {
  try {
    const end = await parseFile(task, (blocks, done, total) => say({ type: 'blocks', blocks, done, total }));
    await say({ type: 'done', ...end, ...used() });
  } catch (error) {
    if (error instanceof ChorusError)
      await say({ type: 'failed', code: error.code, message: error.message, ...used() });
    else {
      const stack = String(error instanceof Error ? error.stack : error).slice(0, 2_000);
      await say({ type: 'broken', stack, ...used() });
    }
  }
}

/** Resolves when it is on its way: no more than one message is in memory. */
function say(message: FromChild): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

function used(): Used {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1_000, memoryBytes: process.memoryUsage.rss() };
}
