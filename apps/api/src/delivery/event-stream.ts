import type { ServerResponse } from 'node:http';

/** How often a quiet stream says that it is there. */
export const KEEP_ALIVE_MS = 15_000;

export function writeIfIdle(response: ServerResponse, text: string): void {
  if (response.writableLength === 0) response.write(text);
}

/** Waits until the socket has taken what was written, or is gone. */
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
