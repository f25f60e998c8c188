import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ChorusError } from '@chorus/contract';
import { withTimeout } from '@chorus/runtime/timing';
import type { CompiledApi } from './compiled-api.ts';

/** Includes starting the thread on a busy machine. */
const COMPILE_MS = 20_000;
const MEMORY_MB = 256;
const MAX_RUNNING = 2;
const MAX_WAITING = 20;
const MAX_COMPILED_CHARS = 4_000_000;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Compiles a document in a thread with limits on time and memory.
 * @throws {ChorusError} invalid_request with the reason; overloaded
 */
export async function compileInThread(document: string, path: string): Promise<{ api: CompiledApi; compiled: string }> {
  await takeTurn();
  const worker = new Worker(new URL('../openapi-main.ts', import.meta.url), {
    name: 'openapi',
    workerData: document,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  try {
    const first = once(worker, 'message') as Promise<[{ api: CompiledApi } | { problem: string }]>;
    const [answer] = await withTimeout(first, COMPILE_MS, () => {
      throw new Error('timeout');
    });
    if ('problem' in answer) throw unusable(answer.problem, path);
    const compiled = JSON.stringify(answer.api.operations);
    if (compiled.length > MAX_COMPILED_CHARS)
      throw unusable('The operations of the document are too large. Remove some, or shorten their schemas.', path);
    return { api: answer.api, compiled };
  } catch (error) {
    if (error instanceof ChorusError) throw error;
    throw unusable('The document takes too much time or memory to read.', path);
  } finally {
    void worker.terminate();
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/** Waits until few other documents are being compiled. */
async function takeTurn(): Promise<void> {
  if (running < MAX_RUNNING) {
    running += 1;
    return;
  }
  if (waiting.length >= MAX_WAITING)
    throw new ChorusError('overloaded', 'Other documents are being read. Try again.', { retryAfterS: 2 });
  await new Promise<void>((resolve) => waiting.push(resolve));
}

function unusable(message: string, path: string): ChorusError {
  return new ChorusError('invalid_request', message, { details: [{ path, message }] });
}
