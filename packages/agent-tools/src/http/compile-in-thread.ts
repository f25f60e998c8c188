import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ChorusError } from '@chorus/contract';
import { withTimeout } from '@chorus/runtime/timing';
import { Turns } from '@chorus/runtime/turns';
import type { CompiledApi } from './compiled-api.ts';

/** Includes starting the thread on a busy machine. */
const COMPILE_MS = 20_000;
const MEMORY_MB = 256;
const MAX_RUNNING = 2;
const MAX_WAITING = 20;
const MAX_WAITING_OF_USER = 5;
const MAX_COMPILED_CHARS = 4_000_000;

interface Entry {
  user: string;
  start(): void;
}

const running: string[] = [];
const waiting = new Turns<Entry>();
const waitingOf = new Map<string, number>();

/**
 * Compiles a document in a thread with limits on time and memory. Users take turns, with one document at a time.
 * @throws {ChorusError} invalid_request with the reason; overloaded
 */
export async function compileInThread(
  document: string,
  path: string,
  user: string,
): Promise<{ api: CompiledApi; compiled: string }> {
  await takeTurn(user);
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
    running.splice(running.indexOf(user), 1);
    startNext();
  }
}

/** Waits until few other documents are being compiled, and none of this user. */
async function takeTurn(user: string): Promise<void> {
  const own = waitingOf.get(user) ?? 0;
  if (waiting.size >= MAX_WAITING || own >= MAX_WAITING_OF_USER)
    throw new ChorusError('overloaded', 'Other documents are being read. Try again.', { retryAfterS: 2 });
  waitingOf.set(user, own + 1);
  const started = new Promise<void>((start) => waiting.add({ user, start }));
  startNext();
  await started;
}

function startNext(): void {
  while (running.length < MAX_RUNNING) {
    const [next] = waiting.next(1, ({ user }) => !running.includes(user));
    if (next === undefined) return;
    const { user, start } = next;
    waiting.serve(next);
    const left = (waitingOf.get(user) ?? 1) - 1;
    if (left === 0) waitingOf.delete(user);
    else waitingOf.set(user, left);
    running.push(user);
    start();
  }
}

function unusable(message: string, path: string): ChorusError {
  return new ChorusError('invalid_request', message, { details: [{ path, message }] });
}
