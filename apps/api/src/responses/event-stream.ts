import type { ServerResponse } from 'node:http';
import type { StoredEvent } from '@chorus/events';
import type { ScopedContext } from '../http/request-context.ts';

/** How often an idle stream sends something. */
const KEEP_ALIVE_MS = 15_000;

const KEEP_ALIVE = ': keep-alive\n\n';

/** Ends every stream, as OpenAI's clients expect. */
export const DONE = 'data: [DONE]\n\n';

/**
 * Starts a `text/event-stream` response. Returns a function that stops its keep-alive frames.
 * @param keepAlive what an idle stream sends. Default: a comment
 */
export function beginEventStream(response: ServerResponse, keepAlive = KEEP_ALIVE): () => void {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
  const timer = setInterval(() => {
    if (response.writableLength === 0) response.write(keepAlive);
  }, KEEP_ALIVE_MS);
  return () => clearInterval(timer);
}

/** Returns a comment for a stream whose work waits for its provider, or null if it does not. */
export function waitingComment(events: readonly StoredEvent[]): string | null {
  const event = events.at(-1)?.event;
  return event?.type === 'execution.waiting' ? `: waiting for ${event.provider} (${event.reason})\n\n` : null;
}

/** Calls `close` when the client disconnects or the process stops. Returns a function that cancels this. */
export function onDisconnect({ response, services }: ScopedContext, close: () => void): () => void {
  response.once('close', close);
  const closed = services.streams.open(close);
  if (response.destroyed) close(); // already disconnected, so no event follows
  return () => {
    response.off('close', close);
    closed();
  };
}

/** Waits until the socket has drained or closed. */
export function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
