import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { withTimeout } from '@chorus/runtime/timing';
import { ImportIssue } from './parsed-conversation.ts';
import type { ReadConversation } from './read-conversation.ts';

/** Includes starting the thread on a busy machine. */
const READ_MS = 60_000;
const MEMORY_MB = 1_024;

let last: Promise<unknown> = Promise.resolve();

/**
 * Reads a large conversation in a thread, one at a time, since parsing cannot be interrupted.
 * @param json UTF-8 that has been checked
 * @throws {SyntaxError} if it is not JSON
 */
export function readInThread(json: Uint8Array): Promise<ReadConversation> {
  const reading = last.then(() => read(json));
  last = reading.catch(() => undefined);
  return reading;
}

async function read(json: Uint8Array): Promise<ReadConversation> {
  const worker = new Worker(new URL('../import-main.ts', import.meta.url), {
    name: 'import',
    workerData: json,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  try {
    const first = once(worker, 'message') as Promise<[{ read: ReadConversation } | { problem: string }]>;
    const [answer] = await withTimeout(first, READ_MS, () => {
      throw new ImportIssue('', 'takes too much time to read');
    });
    if ('problem' in answer) throw new SyntaxError(answer.problem);
    return answer.read;
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    const { message } = error instanceof ImportIssue ? error : new ImportIssue('', 'takes too much memory to read');
    return { issue: { path: '', message }, format: null, title: null };
  } finally {
    void worker.terminate();
  }
}
