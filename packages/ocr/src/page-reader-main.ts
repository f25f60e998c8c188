import { setPriority } from 'node:os';
import { ChorusError } from '@chorus/contract';
import { createPageReader, type PageReader } from './child/page-reader.ts';
import type { Ending, FromChild, ToChild } from './pool/protocol.ts';

// The process that opens files of strangers, told what to do by messages of its parent, and gone with it. It may crash, run out of memory or be
// killed at any time: it keeps nothing.

// Whoever waits for an answer that streams comes first.
setPriority(5);
process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL')); // and what it has started

let reader: PageReader | null = null;
process.on('message', (message: ToChild) => {
  if (message.type === 'settings') {
    reader = createPageReader(message.settings);
    say({ type: 'ready' });
  } else if (reader) void work(reader, message);
});

async function work(pages: PageReader, { task }: Extract<ToChild, { type: 'task' }>): Promise<void> {
  try {
    say({ type: 'done', answer: await pages.run(task) });
  } catch (error) {
    if (error instanceof ChorusError) say({ type: 'failed', code: error.code, message: error.message });
    else say({ type: 'broken', stack: String(error instanceof Error ? error.stack : error).slice(0, 2_000) });
  }
}

function say(ending: Ending): void {
  const { user, system } = process.cpuUsage();
  const used = { cpuMs: (user + system) / 1_000, memoryBytes: process.memoryUsage.rss() };
  process.send?.({ ...ending, ...used } satisfies FromChild);
}
