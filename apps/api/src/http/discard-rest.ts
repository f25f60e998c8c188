import type { IncomingMessage } from 'node:http';

/** How much of a refused body is still taken in, in bytes, and for how long, in milliseconds. */
const MAX_BYTES = 64_000_000;
const MAX_MS = 10_000;

/**
 * Takes in what is left of a refused body and forgets it. Closing at once would reset the connection, and most clients then
 * report the reset instead of the answer; taking in all would let a client send for ever.
 */
export function discardRest(request: IncomingMessage): void {
  let left = MAX_BYTES;
  const cut = () => request.socket.destroy();
  const timer = setTimeout(cut, MAX_MS);
  timer.unref();
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) cut();
  });
  request.on('close', () => clearTimeout(timer));
  request.resume();
}
