import type { IncomingMessage } from 'node:http';
import { ChorusError } from '@chorus/contract';
import { readBeforeGivingUp } from '@chorus/runtime/timing';

/** Time to yield to other work before the next heavy step. */
let owedMs = 0;
let earlier: Promise<void> = Promise.resolve();

/**
 * Waits for a turn to do heavy work, such as parsing a large body. The steps of the process run one after
 * another, and together use at most half of the event loop's time. Work done in the same tick counts.
 */
export function waitForTurn(): Promise<void> {
  const before = earlier;
  const { promise, resolve } = Promise.withResolvers<void>();
  earlier = promise;
  return before.then(() => {
    const began = performance.now();
    setImmediate(() => {
      owedMs += performance.now() - began;
      if (owedMs < 1) return resolve();
      setTimeout(resolve, owedMs);
      owedMs = 0;
    });
  });
}

/** The slowest allowed average, in bytes per second. */
const MIN_RATE = 8_192;

const POLL_INTERVAL_MS = 1_000;

/**
 * Watches a body that is being read. Gives up when nothing arrives for `idleMs`, or when the average rate is
 * too low.
 *
 * Counts only time spent waiting for the client, not for a slow store.
 * @returns stops watching
 */
export function watchPace(request: IncomingMessage, idleMs: number, onSlow: (error: ChorusError) => void): () => void {
  const { socket } = request;
  const everyMs = Math.min(POLL_INTERVAL_MS, Math.ceil(idleMs / 2));
  const began = socket.bytesRead;
  let before = began;
  let waitedMs = 0;
  let idleForMs = 0;
  const look = () => {
    if (request.complete || request.readableLength > 0) return;
    const now = socket.bytesRead;
    waitedMs += everyMs;
    idleForMs = now > before ? 0 : idleForMs + everyMs;
    before = now;
    if (idleForMs >= idleMs) return onSlow(tooSlow(`No data arrived for ${Math.round(idleMs / 1_000)} s.`));
    if (waitedMs < idleMs || now - began >= (waitedMs / 1_000) * MIN_RATE) return;
    onSlow(tooSlow(`The body arrives too slowly. Send at least ${MIN_RATE} bytes per second.`));
  };
  let stop: () => void;
  const lookLater = () => {
    stop = readBeforeGivingUp(everyMs, () => {
      lookLater();
      look();
    });
  };
  lookLater();
  return () => stop();
}

function tooSlow(message: string): ChorusError {
  return new ChorusError('invalid_request', message, { details: [{ path: 'body', message }] });
}

/**
 * Reads a large body in turns. A full socket would otherwise deliver megabytes at once and block the event
 * loop.
 *
 * Use it with `data` events only, not with pipes.
 * @returns stops pacing
 */
export function paceBody(request: IncomingMessage): () => void {
  let isFirst = true;
  const onData = () => {
    // Most bodies are a single chunk.
    if (isFirst || request.complete) {
      isFirst = false;
      return;
    }
    request.pause();
    void waitForTurn().then(() => request.resume());
  };
  request.on('data', onData);
  return () => request.off('data', onData);
}

/** Limits of reading a body after the response. */
const MAX_BYTES = 64_000_000;
const MAX_MS = 10_000;

/**
 * Reads and drops the rest of a body after the response. Closing at once would reset the connection, and most
 * clients would then report the reset instead of the response.
 */
export function discardBody(request: IncomingMessage): void {
  let left = MAX_BYTES;
  const cut = () => request.socket.destroy();
  const timer = setTimeout(cut, MAX_MS);
  timer.unref();
  request.removeAllListeners('data');
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) cut();
  });
  paceBody(request);
  request.read(0);
  request.on('close', () => clearTimeout(timer));
  request.resume();
}
