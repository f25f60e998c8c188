import type { IncomingMessage } from 'node:http';
import { readGently } from './read-gently.ts';

/** How much of a body is still read after the answer, and for how long. */
const MAX_BYTES = 64_000_000;
const MAX_MS = 10_000;

/**
 * Reads what is left of a body after its answer, and drops it. Closing at once would reset the connection, and most clients then
 * report the reset instead of the answer; reading everything would let a client send without end.
 */
export function discardRest(request: IncomingMessage): void {
  let left = MAX_BYTES;
  const cut = () => request.socket.destroy();
  const timer = setTimeout(cut, MAX_MS);
  timer.unref();
  request.removeAllListeners('data');
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) cut();
  });
  readGently(request);
  // Marks the body as being read.
  request.read(0);
  request.on('close', () => clearTimeout(timer));
  request.resume();
}
