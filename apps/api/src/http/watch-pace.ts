import type { IncomingMessage } from 'node:http';
import { ChorusError } from '@chorus/contract';

/** The slowest average at which a body may come, in bytes per second. */
const MIN_RATE = 8_192;

const LOOK_EVERY_MS = 1_000;

/**
 * Watches a body that is being read. Gives up when nothing comes for `idleMs`, or when it comes too slowly on average after that time.
 *
 * Only time in which this process waits for the client counts: a store that takes its time holds nobody against the clock.
 *
 * @returns stops watching
 */
export function watchPace(request: IncomingMessage, idleMs: number, onSlow: (error: ChorusError) => void): () => void {
  const { socket } = request;
  const everyMs = Math.min(LOOK_EVERY_MS, Math.ceil(idleMs / 2));
  const began = socket.bytesRead;
  let before = began;
  let waitedMs = 0;
  let idleForMs = 0;
  let watching = true;
  const look = () => {
    if (!watching || request.complete || request.readableLength > 0) return;
    const now = socket.bytesRead;
    waitedMs += everyMs;
    idleForMs = now > before ? 0 : idleForMs + everyMs;
    before = now;
    if (idleForMs >= idleMs) return onSlow(tooSlow(`Nothing came for ${Math.round(idleMs / 1_000)} s.`));
    if (waitedMs < idleMs || now - began >= (waitedMs / 1_000) * MIN_RATE) return;
    onSlow(tooSlow(`The body comes too slowly: it must come at ${MIN_RATE} bytes per second or more.`));
  };
  // Reads what already lies in the socket before it judges: this process may have been busy.
  const timer = setInterval(() => setImmediate(look), everyMs);
  return () => {
    watching = false;
    clearInterval(timer);
  };
}

function tooSlow(message: string): ChorusError {
  return new ChorusError('invalid_request', message, { details: [{ path: 'body', message }] });
}
